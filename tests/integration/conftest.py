# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One lab for all integration tests of a session: imported once, here, or every folder would start its own moto."""

from __future__ import annotations

from ansible_collections.edgeworks.lb_estate.tests.lab.fixtures import lab  # noqa: F401  # pylint: disable=unused-import
