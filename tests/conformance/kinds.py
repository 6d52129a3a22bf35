# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of vector the core answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import capo_kinds, ingress_kinds, window_kinds
from .histories import replay
from .runner import Kind, Mismatch, Vector


def _on_the_api_server_twin(vector: Vector) -> Sequence[Mismatch]:
    """Imported where it is needed: the model alone is held to its vectors without the lab."""
    from .api_histories import replay_on_twin

    return replay_on_twin(vector)


KINDS: Mapping[str, Kind] = {
    "ic_history": replay,
    "api_history": _on_the_api_server_twin,
    **ingress_kinds.KINDS,
    **capo_kinds.KINDS,
    **window_kinds.KINDS,
}
