# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module's own EXAMPLES run as written, each proven; addresses are those of loopback."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.edgeworks.lb_estate.tests.integration.ingress.proofs import prove

from .conftest import NewApi
from .workplace import PRIVATE, PUBLIC

FILE = Path(__file__).parents[3] / "plugins" / "modules" / "api_slb.py"
MODULE = "edgeworks.lb_estate.api_slb"


def written() -> list[dict[str, Any]]:
    tree = ast.parse(FILE.read_text(encoding="utf-8"))
    (text,) = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "EXAMPLES"]  # type: ignore[attr-defined]
    own = ast.literal_eval(text).replace("198.18.0.70", PUBLIC).replace("10.0.0.70", PRIVATE)
    found: list[dict[str, Any]] = yaml.safe_load(own)
    return found


def test_every_example_is_truthful_and_idempotent(api: NewApi) -> None:
    """CORE-4, CORE-5: in their order, as one story."""
    subject = api()
    registered: dict[str, Any] = {}
    for task in written():
        options = dict(task[MODULE])
        if "objects" in options:
            options["objects"] = registered["api"]["objects"]
        proven = prove(subject, "api_slb", **{"addresses": {}, **options})
        if "register" in task:
            registered[task["register"]] = proven.applied
    assert len(subject.there()) == 3
