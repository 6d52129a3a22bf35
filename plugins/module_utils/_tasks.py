# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module by name: its options and the topic it runs. Modules and action plugins both start here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _arguments as arguments
from . import _capo_arguments as capo_arguments
from ._core.ingress import options
from ._core.model import Finding
from ._run import Clock, Failed, Progress, Topic, result, run

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Task:
    """`topic` for tasks that may change something, `look` for those that only read; `problems` of options first."""

    spec: Callable[[], arguments.Spec]
    topic: Callable[[Params, Clock], Topic] | None = None
    look: Callable[[Params], dict[str, Any]] | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    problems: Callable[[Params], tuple[Finding, ...]] = lambda _params: ()


def _ingress_spec() -> arguments.Spec:
    return {
        **arguments.KUBE,
        **arguments.aws(),
        **arguments.CLUSTER,
        **arguments.GATE,
        **arguments.WAIT,
        **arguments.effectuate(),
        "ingress_controller": {"type": "str", "default": "default"},
    }


def _subnets_spec() -> arguments.Spec:
    return {
        **_ingress_spec(),
        "state": {"type": "str", "choices": ["present", "absent", "adopted"], "default": "present"},
        "subnets": {"type": "dict", "options": arguments.SUBNETS},
        "eip_allocations": {"type": "list", "elements": "str"},
        "scope": {"type": "str", "choices": ["Internal", "External"]},
        "lb_type": {"type": "str", "choices": ["Classic", "NLB"]},
        "domain": {"type": "str"},
        "replicas": {"type": "int"},
    }


def _scope_spec() -> arguments.Spec:
    spec = {
        **_ingress_spec(),
        "scope": {"type": "str", "choices": ["Internal", "External"], "required": True},
        "service": {
            "type": "dict",
            "options": {"namespace": {"type": "str", "required": True}, "name": {"type": "str", "required": True}},
        },
    }
    return {**spec, "ingress_controller": {"type": "str"}}


def _effectuate_spec() -> arguments.Spec:
    choices = ["all", "scope", "type", "subnets", "eip_allocations", "floating_ip"]
    return {
        **_ingress_spec(),
        "changes": {"type": "list", "elements": "str", "choices": choices, "default": []},
        "unfreeze": {"type": "bool", "default": False},
    }


def _info_spec() -> arguments.Spec:
    return {**arguments.KUBE, **arguments.aws(), **arguments.CLUSTER}


def _subnets_topic(params: Params, clock: Clock) -> Topic:
    from ._topics.ingress import IngressTopic, subnets_wanted, way

    chosen = (subnets_wanted(params), way(params))
    return IngressTopic(params, lambda _observed: chosen, clock)


def _scope_topic(params: Params, clock: Clock) -> Topic:
    if params.get("service"):
        from ._topics.service import ServiceTopic

        return ServiceTopic(params, clock)
    from ._core.ingress.state import Wanted
    from ._topics.ingress import IngressTopic, way

    chosen = (Wanted(scope=params["scope"]), way(params))
    return IngressTopic(
        {**params, "ingress_controller": params.get("ingress_controller") or "default"}, lambda _seen: chosen, clock
    )


def _effectuate_topic(params: Params, clock: Clock) -> Topic:
    from ._topics.effectuate import wanted_by
    from ._topics.ingress import IngressTopic

    return IngressTopic(params, wanted_by(params), clock)


def _capo_topic(params: Params, clock: Clock) -> Topic:
    from ._topics.capo import CapoTopic

    return CapoTopic(params, clock)


def _info(params: Params) -> dict[str, Any]:
    from ._topics.info import look

    return look(params)


TASKS: Mapping[str, Task] = {
    "capo_multiaz_lb": Task(capo_arguments.spec, _capo_topic),
    "ingress_lb_subnets": Task(_subnets_spec, _subnets_topic, problems=options.subnets),
    "slb_scope": Task(
        _scope_spec,
        _scope_topic,
        constraints={"mutually_exclusive": [["ingress_controller", "service"]]},
        problems=options.waiting,
    ),
    "lb_effectuate": Task(_effectuate_spec, _effectuate_topic, problems=options.waiting),
    "lb_info": Task(_info_spec, look=_info),
}


def perform(
    name: str, params: Params, check_mode: bool, progress: Progress, clock: Clock | None = None
) -> dict[str, Any]:
    """The task's result; raises Failed with a sentence and the result so far."""
    from ._ports.errors import PortError

    task = TASKS[name]
    problems = task.problems(params)
    if problems:
        refused = options.refused(params, problems)
        raise Failed(refused.message, result(refused, changed=False))
    try:
        if task.topic is None:
            return task.look(params) if task.look is not None else {}
        topic = task.topic(params, clock or Clock())
    except PortError as problem:
        raise Failed(str(problem), {"changed": False, "error_code": problem.code}) from problem
    return run(topic, params, check_mode, progress)


def main(name: str) -> None:
    """A module's body."""
    from ansible.module_utils.basic import AnsibleModule

    task = TASKS[name]
    module = AnsibleModule(argument_spec=dict(task.spec()), supports_check_mode=True, **task.constraints)
    try:
        found = perform(name, module.params, module.check_mode, lambda _text: None)
    except Failed as failure:
        module.fail_json(msg=str(failure), **shown(failure.result, module._diff))
    else:
        module.exit_json(**shown(found, module._diff))


def shown(result: dict[str, Any], diff: bool) -> dict[str, Any]:
    """The diff only where it was asked for."""
    return result if diff else {key: value for key, value in result.items() if key != "diff"}
