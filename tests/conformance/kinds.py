# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of vector the core answers."""

from __future__ import annotations

from collections.abc import Mapping

from . import capo_kinds, ingress_kinds
from .histories import replay
from .runner import Kind

KINDS: Mapping[str, Kind] = {"ic_history": replay, **ingress_kinds.KINDS, **capo_kinds.KINDS}
