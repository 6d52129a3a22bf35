# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How integration tests run what this collection ships. It knows no kind of load balancer: worlds are the tests' own.

tasks      a module in this process, as the action plugin runs it: the quick way, for nearly every test
plays      ansible-playbook on tasks, playbooks and roles, as a person or AWX runs it
killing    a module as a process of its own, killed with -9 after a write, during one, or at a moment a test names
processes  programs of which nothing is left running
counted    what `killing` starts
resolver/  what `plays` gives programs for a name service
"""
