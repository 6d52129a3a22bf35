# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things are: the caches that survive a lab, and the parts of one lab's state directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
#: Kept between labs: the virtual environments, MariaDB unpacked, the database templates.
CACHE = ROOT / ".build" / "openstack"
DEFAULT_STATE = ROOT / ".build" / "lab" / "openstack"
PLUGIN = HERE / "plugin"
#: What the other servers of the lab do alike, in modules that need nothing but Python.
SHARED = HERE.parent / "shared"


@dataclass(frozen=True)
class State:
    """One lab's directory. Everything in it is gone after `down`."""

    root: Path

    @property
    def marker(self) -> Path:
        """Says that the directory is a lab's, and in which condition the lab is."""
        return self.root / "lab.json"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def etc(self) -> Path:
        return self.root / "etc"

    @property
    def keys(self) -> Path:
        return self.root / "keys"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def data(self) -> Path:
        return self.root / "mysql"

    @property
    def faults(self) -> Path:
        return self.root / "faults"

    @property
    def requests(self) -> Path:
        return self.run / "requests.jsonl"

    @property
    def clouds_yaml(self) -> Path:
        return self.root / "clouds.yaml"

    def make(self) -> None:
        for path in (self.etc, self.keys, self.log, self.run, self.faults):
            path.mkdir(parents=True, exist_ok=True)
