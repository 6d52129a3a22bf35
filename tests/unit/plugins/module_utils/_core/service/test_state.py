# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain Service as it was found, and whether a stopped run of ours deleted it (SCO-7)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.operator.names import Infra
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.service.state import ObservedService


def service(uid: str = "u1", **meta: Any) -> dict[str, Any]:
    return {"metadata": {"name": "front", "namespace": "shop", "uid": uid, **meta}}


def kept(uid: str = "u1") -> dict[str, Any]:
    return {"data": {"manifest.json": "{}", "uid": uid}}


GOING = {"deletionTimestamp": "2025-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("live", "config", "ours"),
    [
        pytest.param(service(), None, False, id="nothing kept"),
        pytest.param(None, None, False, id="neither there nor kept"),
        pytest.param(None, kept(), True, id="gone, kept"),
        pytest.param(service(**GOING), kept(), True, id="the kept one is going"),
        pytest.param(service(), kept(), False, id="kept, not deleted yet"),
        pytest.param(service("u2", **GOING), kept(), False, id="another one is going"),
        pytest.param(service("u2"), kept(), False, id="another one has come"),
        pytest.param(service(**GOING), None, False, id="deleted by somebody else"),
    ],
)
def test_deleted_by_us(live: Any, config: Any, ours: bool) -> None:
    assert ObservedService(Infra("AWS"), "shop", "front", live, config).deleted_by_us is ours


def test_what_is_not_there_says_nothing() -> None:
    gone = ObservedService(Infra("AWS"), "shop", "front", cluster="prod")
    assert (gone.annotations, gone.going, gone.platform) == ({}, False, "AWS")
    assert (str(gone.target), gone.target.cluster) == ("Service shop/front", "prod")


def test_going_is_deleted_and_still_there() -> None:
    assert ObservedService(Infra("AWS"), "shop", "front", service(**GOING)).going
    assert not ObservedService(Infra("AWS"), "shop", "front", service()).going
