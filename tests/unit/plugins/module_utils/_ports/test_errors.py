# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One family of errors: a sentence, a remedy, a code that stays."""

from __future__ import annotations

import pytest
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.model import Severity, as_data
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._ports import errors

CODES = {
    "PortError": "port_error",
    "Misconfigured": "misconfigured",
    "MissingLibrary": "missing_library",
    "Unreachable": "unreachable",
    "OutcomeUnknown": "outcome_unknown",
    "Throttled": "throttled",
    "Unauthorized": "unauthorized",
    "Forbidden": "forbidden",
    "NotFound": "not_found",
    "NoSuchApi": "no_such_api",
    "Conflict": "conflict",
    "NotAsPlanned": "conflict",
    "AlreadyExists": "already_exists",
    "Invalid": "invalid",
    "Unreadable": "unreadable",
    "Timeout": "timeout",
    "Locked": "locked",
    "LockLost": "lock_lost",
    "NotReady": "not_ready",
    "Orphaned": "orphaned",
    "NotHolding": "not_holding",
    "WaitFailed": "wait_failed",
}


def test_every_error_has_a_code_that_playbooks_may_rely_on() -> None:
    family = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.PortError)]
    assert {kind.__name__: kind.code for kind in family} == CODES


def test_an_error_is_a_sentence_and_a_remedy_and_also_a_finding() -> None:
    error = errors.Forbidden("No permission to get services.", "Add a rule.", verb="get")
    assert str(error) == "No permission to get services. Add a rule."
    finding = error.finding("IngressController default")
    assert as_data(finding) == {
        "code": "forbidden",
        "severity": Severity.ERROR.value,
        "where": "IngressController default",
        "what": "No permission to get services.",
        "remedy": "Add a rule.",
        "value": {"verb": "get"},
    }
    assert errors.NotFound("It is gone.").finding().value is None


def test_a_missing_library_names_the_package() -> None:
    error = errors.missing_library("boto3", "asking AWS")
    assert "package boto3 is not installed" in error.message
    assert "pip install boto3" in error.remedy
    with pytest.raises(errors.PortError):
        raise error
