# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's fault switches as the drivers see them: files in the directory LAB_FAULTS.

`fail-<operation>` and `delay-<operation>` (seconds), for all zones, or with `@<zone>` at the end for one. `lacking`:
what providers refuse. `default-provider`: the one that a request means which names none.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any


def directory() -> Path:
    return Path(os.environ["LAB_FAULTS"])


def _set(name: str, zone: str | None) -> Path | None:
    for path in ([directory() / f"{name}@{zone}"] if zone else []) + [directory() / name]:
        if path.exists():
            return path
    return None


def wait(operation: str, zone: str | None = None) -> None:
    path = _set(f"delay-{operation}", zone)
    if path is not None:
        time.sleep(float(path.read_text(encoding="utf-8")))


def fails(operation: str, zone: str | None = None) -> bool:
    return _set(f"fail-{operation}", zone) is not None


def lacking() -> dict[str, Any]:
    """`features`, and how they are refused: `status`, `vague`."""
    found = _set("lacking", None)
    return dict(json.loads(found.read_text(encoding="utf-8"))) if found else {}


def default_provider() -> str:
    found = _set("default-provider", None)
    return found.read_text(encoding="utf-8") if found else "amphora"
