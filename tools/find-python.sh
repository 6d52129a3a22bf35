#!/bin/sh
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Print the first Python on the PATH that ansible-core 2.19 runs on; if there is none, python3 (tools/bootstrap.py says why not).
for name in python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
    if "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; then
        echo "$name"
        exit 0
    fi
done
echo python3
