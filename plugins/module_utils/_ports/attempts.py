# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which steps may have been carried out although they failed: a write of theirs was sent and its answer got lost.

A port notes that where it happens, below tries and waits that end in something else: a conflict with what the lost try
itself has made, for one. A step is one thread's from its beginning to its end, so the note is the thread's.
"""

from __future__ import annotations

import threading


class _Note(threading.local):
    unsure = False


_note = _Note()


def begin() -> None:
    """A new step."""
    _note.unsure = False


def lose() -> None:
    """A write was sent, and whether it was carried out is not known."""
    _note.unsure = True


def lost() -> bool:
    """Was a write of this step?"""
    return _note.unsure
