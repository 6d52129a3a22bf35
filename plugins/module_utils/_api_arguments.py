# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Argument spec of api_slb as a value."""

from __future__ import annotations

from typing import Any

from . import _arguments as arguments

_TEXTS = {"type": "list", "elements": "str"}


def _by(names: tuple[str, ...], kind: dict[str, Any]) -> dict[str, Any]:
    return {"type": "dict", "options": {name: dict(kind) for name in names}}


_PLACES = ("public", "private", "machine_config_server")
_ROLES = ("external", "internal", "machine_config_server")
WANTED: arguments.Spec = {
    "state": {"type": "str", "choices": ["present", "absent", "rendered"], "default": "present"},
    "public": {"type": "bool"},
    "machine_config_server": {"type": "bool", "default": True},
    "opt_out": {"type": "bool", "default": False},
    "addresses": _by(_PLACES, _TEXTS),
    "subnets": _by(_PLACES, _TEXTS),
    "annotations": _by(_ROLES, {"type": "dict"}),
    "selectors": _by(_ROLES, {"type": "dict"}),
    "aws_internal_addresses": {"type": "str", "choices": ["fixed", "unchecked", "dynamic"], "default": "fixed"},
    "other_paths": {**_TEXTS, "default": []},
    "vouched_paths": {**_TEXTS, "default": []},
    "handover": {
        "type": "dict",
        "options": {
            "stage": {"type": "int", "choices": [1, 2, 3], "required": True},
            "bootstrap_addresses": {**_TEXTS, "default": []},
            "domain": {"type": "str", "default": ""},
            "ttl": {"type": "int", "default": 60},
            "public_zone": {"type": "str", "default": ""},
            "private_zone": {"type": "str", "default": ""},
        },
    },
    "objects": {"type": "dict"},
}


def spec() -> arguments.Spec:
    return {
        **arguments.KUBE,
        **arguments.aws(),
        **arguments.CLUSTER,
        **arguments.GATE,
        **arguments.WAIT,
        **WANTED,
    }
