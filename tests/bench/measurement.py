# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a benchmark gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """One number; with a limit when a requirement sets one, so that make bench fails where it is missed."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def missed(self) -> bool:
        return self.limit is not None and self.value > self.limit

    def row(self) -> str:
        limit = "" if self.limit is None else f"  limit {self.limit:g} {self.unit}{'  MISSED' if self.missed else ''}"
        return f"  {self.name:<58}{self.value:>10.2f} {self.unit:<8}{limit}"
