# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways into a cluster, documented once: kubernetes.core's options as the argument specs have them."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._arguments import CLUSTER, KUBE
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports.kube_options import resolved
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import TASKS
from ansible_collections.edgeworks.lb_estate.tests.unit.plugins.documented import (
    Options,
    fragment,
    fragment_problems,
    users,
)


@pytest.mark.parametrize(("name", "spec"), [("kube", KUBE), ("kube.cluster", CLUSTER)])
def test_what_is_documented_is_what_the_argument_specs_have(name: str, spec: Options) -> None:
    assert fragment_problems(name, spec) == []


def test_every_module_that_asks_a_cluster_has_a_way_into_it() -> None:
    assert users("kube") == [name for name in TASKS if name != "window_info"]


@pytest.mark.parametrize("option", [name for name in KUBE if name != "proxy_headers"])
def test_the_environment_variable_that_is_named_is_read(option: str) -> None:
    told = fragment("kube")["options"][option]["description"]
    text = " ".join(told) if isinstance(told, list) else told
    variable = text.partition("E(")[2].partition(")")[0]
    assert variable.startswith("K8S_AUTH_")
    assert option in resolved({}, {variable: "yes"})
