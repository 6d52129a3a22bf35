# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan for people and machines: terminal table, JSON, Markdown. Each takes the plan, none changes it (EST-2)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .model import Decision, Plan, as_data

_COLUMNS = ("CLUSTER", "TARGET", "VERDICT", "DISRUPTION", "WHY")
_MOST_WHY = 100


def rows(plan: Plan) -> list[tuple[str, ...]]:
    return [_row(decision) for decision in plan.decisions]


def _row(decision: Decision) -> tuple[str, ...]:
    target = decision.target
    return (
        target.cluster,
        f"{target.kind}/{target.name}",
        decision.verdict.value,
        decision.disruption.value,
        decision.message,
    )


def aligned(header: Sequence[str], lines: Sequence[Sequence[str]], most_last: int = _MOST_WHY) -> str:
    """Columns as wide as their widest cell; the last one is cut, the rest never."""
    shown = [[*line[:-1], _cut(line[-1], most_last)] for line in lines]
    widths = [max(len(cell) for cell in column) for column in zip(header, *shown, strict=True)]
    texts = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in (header, *shown)
    ]
    return "\n".join(text.rstrip() for text in texts)


def _cut(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def table(plan: Plan, most_why: int = _MOST_WHY) -> str:
    counts = ", ".join(f"{count} {verdict}" for verdict, count in plan.counts().items() if count)
    closing = f"{len(plan.decisions)} targets: {counts or 'none'}. Worst disruption: {plan.disruption.value}."
    return f"{aligned(_COLUMNS, rows(plan), most_why)}\n\n{closing}\nPlan {plan.fingerprint}"


def to_json(plan: Plan) -> str:
    data = {
        "fingerprint": plan.fingerprint,
        "disruption": plan.disruption.value,
        "counts": plan.counts(),
        "decisions": [{**as_data(decision), "fingerprint": decision.fingerprint} for decision in plan.decisions],
    }
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)


def markdown(plan: Plan) -> str:
    header = "| " + " | ".join(name.capitalize() for name in _COLUMNS) + " |"
    ruler = "|" + "---|" * len(_COLUMNS)
    lines = ["| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows(plan)]
    return "\n".join([header, ruler, *lines, "", f"Plan `{plan.fingerprint}`"])


def _escaped(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|")
