#!/usr/bin/python
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Module window_info."""

from __future__ import annotations

DOCUMENTATION = r"""
module: window_info
short_description: State of disruption windows and freezes
version_added: 0.2.0
description:
  - Says whether a disruption window is open, how long, and when something fits next. Asks no cluster.
  - Windows unite, also those that only touch; freezes are subtracted. Without any window it is always open, except in
    freezes.
author:
  - Edgeworks contributors (@edgeworks)
extends_documentation_fragment:
  - edgeworks.lb_estate.attributes.info
options:
  windows:
    description:
      - A list of windows, or the same as JSON.
      - "Each has C(name); C(timezone), a name of the IANA database; C(start), the wall clock there, like
        V(2026-01-05T22:00); C(duration), elapsed time: seconds, V(4h), V(90m), V(2h30m), V(24d) or V(PT4H)."
      - "Optionally C(rrule), a recurrence rule of RFC 5545 (no finer than HOURLY), and C(exclude), a list of starts to
        leave out, as wall clocks."
      - A start that clocks leave out when they go forward is moved on by as much; one that comes twice is the first.
    type: raw
  freezes:
    description: A list of times in which nothing may be disrupted, written like windows, or the same as JSON.
    type: raw
  needs:
    description: How long what is to be done takes, written like a duration.
    type: raw
    default: 0
  now:
    description: Another moment than now, with its offset.
    type: str
  horizon_days:
    description: How far ahead to look for the next fit, 1 to 3660.
    type: int
    default: 400
seealso:
  - plugin: edgeworks.lb_estate.window_open
    plugin_type: test
  - plugin: edgeworks.lb_estate.window_state
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Stop unless half an hour fits into a window
  edgeworks.lb_estate.window_info:
    windows:
      - name: nights
        timezone: Europe/Berlin
        start: "2026-01-05T22:00"
        duration: 4h
        rrule: FREQ=WEEKLY;BYDAY=MO,TU,WE,TH
    freezes:
      - name: year end
        timezone: UTC
        start: "2026-12-15T00:00"
        duration: 24d
    needs: 30m
  register: window
  failed_when: not window.fits
"""

RETURN = r"""
error_code:
  description: Of a task that failed, the kind of failure; C(docs/findings.md) of the collection explains every code.
  type: str
  returned: failure
  sample: bad_window
open:
  description: Whether a window is open and no freeze holds.
  type: bool
  returned: always
  sample: true
closes:
  description: When it closes; nothing where it is closed, or stays open as far as was looked.
  type: str
  returned: always
  sample: "2026-01-06T01:00:00Z"
fits:
  description: Whether it is open for at least O(needs).
  type: bool
  returned: always
  sample: true
next_fit:
  description: The next moment from which it is open for O(needs), now included; nothing where there is none.
  type: str
  returned: always
  sample: "2026-01-05T21:00:00Z"
blocked_by:
  description: V(closed), V(freeze) or V(cutoff), too little time left; nothing where it fits.
  type: str
  returned: always
  sample: cutoff
window:
  description: The window that is open, or would be but for a freeze; of several the one that ends last.
  type: str
  returned: always
  sample: nights
freeze:
  description: The freeze that holds.
  type: str
  returned: always
  sample: year end
message:
  description: The same in a sentence.
  type: str
  returned: always
  sample: "Open until 2026-01-06T01:00:00Z: nights."
findings:
  description: Remarks, for example that no windows are set.
  type: list
  elements: dict
  returned: always
  sample: []
"""

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._tasks import main

if __name__ == "__main__":
    main("window_info")
