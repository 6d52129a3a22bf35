# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Keystone, Neutron and Octavia on loopback, with a stand-in for Nova only. See README.md."""

from __future__ import annotations

from .errors import LabError
from .lab import OpenStackLab, stop_lab
from .tenants import Network, Project, Subnet
from .traffic import Request

__all__ = ["LabError", "Network", "OpenStackLab", "Project", "Request", "Subnet", "stop_lab"]
