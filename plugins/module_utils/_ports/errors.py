# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong at a port, each as a sentence for a person at 3 a.m. with a stable code and a remedy (CORE-7)."""

from __future__ import annotations

from typing import Any, ClassVar

from .._core.model import Finding, Severity


class PortError(Exception):
    """Something outside said no, or nothing. `details` holds the parts of the sentence for programs."""

    code: ClassVar[str] = "port_error"

    def __init__(self, message: str, remedy: str = "", **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.details = details

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".rstrip()

    def finding(self, where: str = "") -> Finding:
        """The same as a remark: an unreachable cluster is a row of a plan, not a crash."""
        return Finding(self.code, Severity.ERROR, where, self.message, self.remedy, self.details or None)


class Misconfigured(PortError):
    """The options, the kubeconfig or the profile do not lead to a server."""

    code = "misconfigured"


class MissingLibrary(PortError):
    """A Python package this port needs is not installed."""

    code = "missing_library"


class Unreachable(PortError):
    """No connection, no name, no trust, or no sensible answer inside the deadline."""

    code = "unreachable"


class OutcomeUnknown(Unreachable):
    """A write was sent and its answer never came: it may or may not have happened. Observe again before acting."""

    code = "outcome_unknown"


class Throttled(PortError):
    """The server kept asking for patience until there was none left."""

    code = "throttled"


class Unauthorized(PortError):
    """The credentials are missing, wrong or expired."""

    code = "unauthorized"


class Forbidden(PortError):
    """The credentials are good, but not for this. `details` names verb, resource and the rule to add."""

    code = "forbidden"


class NotFound(PortError):
    """What was to be written is not there."""

    code = "not_found"


class NoSuchApi(NotFound):
    """The server does not serve this kind of object at all."""

    code = "no_such_api"


class Conflict(PortError):
    """The world moved on: another resourceVersion or uid, or not the state the step was planned for. Decide again."""

    code = "conflict"


class NotAsPlanned(Conflict):
    """It is not in the state that the step was planned for, so there is nothing for this step to do."""


class AlreadyExists(Conflict):
    """Somebody else made it first."""

    code = "already_exists"


class Invalid(PortError):
    """The server understood the object and refused it; `details["causes"]` lists field and reason."""

    code = "invalid"


class Unreadable(PortError):
    """The server gave an object that is not of the kind it is called."""

    code = "unreadable"


class Timeout(PortError):
    """A wait ended without what it waited for; `details["last"]` is the last thing seen (CORE-10)."""

    code = "timeout"


class Locked(PortError):
    """Another run is at work on the target; the sentence says who and since when."""

    code = "locked"


class LockLost(PortError):
    """The lock expired or was taken over while this run slept: it must not write any more."""

    code = "lock_lost"


class NotReady(PortError):
    """What has to bring a thing back is not there or not well, so the thing is not taken away (CORE-13)."""

    code = "not_ready"


class Orphaned(PortError):
    """The process that wanted this is gone."""

    code = "orphaned"


class NotHolding(PortError):
    """A change was taken and is not there afterwards: somebody undoes it, or a controller is broken."""

    code = "not_holding"


class WaitFailed(PortError):
    """A wait ended early: waiting longer would not help. `details["cause"]` is why."""

    code = "wait_failed"


def missing_library(package: str, purpose: str) -> MissingLibrary:
    return MissingLibrary(
        f"The Python package {package} is not installed for the Python that runs this task; {purpose} needs it.",
        f"Install it there (pip install {package}), or use an execution environment that contains it.",
        package=package,
    )
