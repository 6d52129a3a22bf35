# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of topics share: an AWS that is asked in memory, and the kinds of waits that decisions contain."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.facts import (
    AwsAnswer,
    AwsFacts,
    AwsQuota,
    AwsSubnet,
)
from ansible_collections.edgeworks.lb_estate.plugins.module_utils._core.aws.question import AwsQuestion

# Room for one more, and nothing that speaks against it.
NOTHING_WRONG = AwsFacts(
    "vpc-1",
    subnets=(AwsSubnet("subnet-a", "a", "vpc-1", free=100, public=True),),
    quota=AwsQuota("Classic", 20, 1),
)


@dataclass
class MemoryAws:
    """Stands for AwsReader; `asked`: every question in order."""

    before_asking: AwsAnswer | None = None
    asked: list[AwsQuestion] = field(default_factory=list)

    def answer(self, question: AwsQuestion) -> AwsAnswer:
        self.asked.append(question)
        return AwsAnswer(NOTHING_WRONG, whole=question.whole)


def wait_kinds(package: ModuleType) -> set[str]:
    """Every kind of Wait that a module of the package makes."""
    calls = (
        node
        for file in Path(package.__path__[0]).glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Wait"
    )
    return {str(ast.literal_eval(call.args[0])) for call in calls}
