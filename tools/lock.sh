#!/bin/sh
# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Write requirements/*.txt from requirements/*.in: hashes for every supported Python, and no word about where they came from.
set -eu
cd "$(dirname "$0")/.."

write() {
    .build/uv/bin/uv pip compile --quiet --no-config --upgrade --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
        "requirements/$1.in" --output-file "requirements/$1.txt"
}

for name in uv main gates; do
    write "$name"
done

# What the sanity tests need is for ansible-test to say; it may have changed with the main environment.
"${PYTHON:-python3}" tools/bootstrap.py main
header=$(sed '/^$/q; /==/d' requirements/sanity.in)
notes=$(sed -n '/^# What ansible-test/,/^# ansible_test/p' requirements/sanity.in)
pins=$(cat .build/venv/lib/python3.*/site-packages/ansible_test/_data/requirements/sanity.*.txt | grep '==' | sort -uf)
printf '%s\n\n%s\n%s\n' "$header" "$notes" "$pins" > requirements/sanity.in
write sanity
