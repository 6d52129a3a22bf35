# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run SQL statements from standard input (JSON) in one transaction; the rows of the last go to standard output."""

from __future__ import annotations

import json
import sys

import pymysql
import pymysql.cursors


def main() -> None:
    order = json.load(sys.stdin)
    connection = pymysql.connect(
        unix_socket=order["socket"],
        user=order["user"],
        password=order["password"],
        cursorclass=pymysql.cursors.DictCursor,
    )
    with connection, connection.cursor() as cursor:
        for statement, arguments in order["statements"]:
            changed = cursor.execute(statement, arguments)
        connection.commit()
        json.dump({"rows": list(cursor.fetchall()), "changed": changed}, sys.stdout, default=str)


if __name__ == "__main__":
    main()
