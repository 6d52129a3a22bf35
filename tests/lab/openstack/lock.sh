#!/bin/sh
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Resolve requirements.in anew, once per Python version the project runs on. Needs PyPI, and uv from `make venv`.
set -eu
cd "$(dirname "$0")"
for version in 3.11 3.12 3.13; do
  UV_CUSTOM_COMPILE_COMMAND="tests/lab/openstack/lock.sh" ../../../.build/uv/bin/uv pip compile --quiet --no-config --upgrade \
    --generate-hashes --no-emit-index-url --no-emit-find-links --python-version "$version" \
    --python-platform x86_64-unknown-linux-gnu --output-file "requirements-$version.txt" requirements.in
done
