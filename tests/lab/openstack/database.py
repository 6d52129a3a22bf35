# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MariaDB for one lab: made from its own bootstrap files, or copied from a template."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

from .config import DATABASE_USER, PASSWORD, SOCKET, database_options, environment, write_database_options
from .errors import LabError, tail_of
from .packages import Software
from .paths import State
from .processes import Record, await_ready, launch, record_of, stop

NAME = "mariadb"
DATABASES = ("keystone", "neutron", "octavia")


class Database:
    def __init__(self, state: State, software: Software, *, owner: int = 0) -> None:
        self._state = state
        self._software = software
        self._owner = owner
        self._options = state.etc / "mariadb.cnf"

    def make(self) -> None:
        """System tables, three empty databases and one account.

        mariadb-install-db refuses a tree that is not in its place, so its files go into the server directly.
        """
        self._state.data.mkdir()
        share = self._software.mariadb / "usr" / "share" / "mysql"
        files = (share / name for name in ("mysql_system_tables.sql", "mysql_system_tables_data.sql"))
        script = "CREATE DATABASE mysql;\nUSE mysql;\n" + "\n".join(path.read_text(encoding="utf-8") for path in files)
        script += "\nFLUSH PRIVILEGES;\n"
        script += "".join(f"CREATE DATABASE {name} CHARACTER SET utf8mb3;\n" for name in DATABASES)
        script += f"CREATE USER {DATABASE_USER}@localhost IDENTIFIED BY '{PASSWORD}';\n"
        script += f"GRANT ALL ON *.* TO {DATABASE_USER}@localhost;\n"
        self._write_options()
        log = self._state.log / "mariadb-make.out"
        with log.open("wb") as output:
            done = subprocess.run(
                [*self._server, "--bootstrap"],
                check=False,
                input=script.encode(),
                env=self._env,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        if done.returncode:
            raise LabError(f"MariaDB could not make its system tables (exit code {done.returncode}):\n{tail_of(log)}")

    def start(self) -> None:
        self._write_options()
        record = launch(self._state, NAME, self._server, self._env, owner=self._owner)
        await_ready(self._state, record, self._greets)

    def stop(self) -> None:
        """Cleanly, so that the files can be copied."""
        record = self.record
        if record is not None:
            stop(record, sign=signal.SIGTERM, grace=60)

    @property
    def record(self) -> Record | None:
        return record_of(self._state, NAME)

    def run(self, *statements: tuple[str, tuple[object, ...]]) -> list[dict[str, Any]]:
        """SQL in one transaction; the rows of the last statement."""
        return list(self._sql(statements)["rows"])

    def change(self, statement: str, *arguments: object) -> int:
        """One statement; how many rows it changed or, unchanged, met."""
        return int(self._sql([(statement, arguments)])["changed"])

    def _sql(self, statements: Any) -> dict[str, Any]:
        order = {"socket": SOCKET, "user": DATABASE_USER, "password": PASSWORD, "statements": list(statements)}
        command = [str(self._software.python), "-P", "-m", "lab_plugin.sql"]
        done = subprocess.run(
            command,
            check=False,
            input=json.dumps(order),
            env=environment(self._state),
            text=True,
            capture_output=True,
            cwd=self._state.root,
        )
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise LabError(f"A statement failed in the lab's database: {reason}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    @property
    def _server(self) -> list[str]:
        return [str(self._software.mariadb / "usr" / "sbin" / "mariadbd"), f"--defaults-file={self._options}"]

    @property
    def _env(self) -> dict[str, str]:
        libraries = self._software.mariadb / "usr" / "lib" / f"{platform.machine()}-linux-gnu"
        return environment(self._state) | {"LD_LIBRARY_PATH": str(libraries)}

    def _write_options(self) -> None:
        write_database_options(self._options, database_options(self._state, self._software))

    def _greets(self) -> bool:
        """MariaDB speaks first, with its protocol version 10; an error or silence means not ready."""
        try:
            # By way of an open directory: the whole path can be longer than a socket's address may be.
            directory = os.open(self._state.data, os.O_DIRECTORY | os.O_RDONLY)
        except OSError:
            return False
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(2)
                connection.connect(f"/proc/self/fd/{directory}/{Path(SOCKET).name}")
                return connection.recv(5)[4:5] == b"\x0a"
        except OSError:
            return False
        finally:
            os.close(directory)


def copy_tree(source: Path, target: Path) -> None:
    """A copy of a stopped database; hard work is left to the file system where it can share blocks."""
    done = subprocess.run(
        ["cp", "-a", "--reflink=auto", "--sparse=always", source, target],
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode:
        shutil.rmtree(target, ignore_errors=True)
        raise LabError(f"The database could not be copied ({_free(target)} MB are free there): {done.stdout.strip()}")


def _free(path: Path) -> int:
    status = os.statvfs(path.parent)
    return status.f_bavail * status.f_frsize // 1_000_000
