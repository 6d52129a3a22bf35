# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""openstack.cloud's options as the argument spec has them, where Kubernetes has the plain names."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._arguments import KUBE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._capo_arguments import OPENSTACK
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import (
    fragment,
    fragment_problems,
    users,
)


def test_what_is_documented_is_what_the_argument_spec_has() -> None:
    assert users("openstack") == ["capo_multiaz_lb"]
    assert fragment_problems("openstack", OPENSTACK) == []


def test_an_option_that_goes_by_another_name_here_says_which_one_it_replaces() -> None:
    replaced = {"verify": "validate_certs", "cacert": "ca_cert", "cert": "client_cert", "key": "client_key"}
    for name, usual in replaced.items():
        told = fragment("openstack")["options"][name]["description"]
        assert f"alias of C({usual})" in (" ".join(told) if isinstance(told, list) else told)
        assert usual in KUBE
