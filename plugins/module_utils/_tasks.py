# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module by name: its options, the connections it needs and the topic it runs.

Modules and action plugins both start here. Imports that need a package stand where they are needed, so that a missing
one is a sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _api_arguments as api_arguments
from . import _arguments as arguments
from . import _capo_arguments as capo_arguments
from . import _windows as windows
from ._core.api_slb import options as api_rules
from ._core.api_slb.names import target as api_target
from ._core.bad_options import refused
from ._core.capo import options as capo_rules
from ._core.ingress import options as rules
from ._core.lb_class import options as class_rules
from ._core.model import Disruption, Finding, Target
from ._core.numbers import absurd
from ._core.secrets import Hide, concealed, known_secrets
from ._engine import Clock, Progress, Topic, run
from ._ports.errors import PortError
from ._ports.processes import somebody_waits
from ._results import Failed, Gate, Result, failed, result

if TYPE_CHECKING:
    from ._ports.kube import Kube
    from ._ports.openstack_cloud import Cloud
    from ._ports.route53 import Route53
    from ._readers.aws import AwsReader
    from ._readers.cluster import Given
    from ._waiting import WaitOptions

Options = Mapping[str, Any]


class Connections:
    """What a task's options lead to: opened when first asked for, closed with the task."""

    def __init__(self, options: Options, until_done: ExitStack, clock: Clock, hide: Hide) -> None:
        self._options, self._until_done, self.clock, self.hide = options, until_done, clock, hide

    @cached_property
    def kube(self) -> Kube:
        from ._ports.kube import Kube

        kube = self._until_done.enter_context(closing(Kube.connect(self._options)))
        self.hide.what_is_sent_by(kube.secrets)
        return kube

    @cached_property
    def cloud(self) -> Cloud:
        from ._ports.openstack_cloud import Cloud

        cloud = self._until_done.enter_context(closing(Cloud.connect(self._options)))
        self.hide.what_is_sent_by(cloud.secrets)
        return cloud

    @cached_property
    def aws(self) -> AwsReader:
        from ._readers.aws import AwsReader

        reader = AwsReader(self._options)
        self.hide.what_is_sent_by(reader.secrets)
        return reader

    @cached_property
    def route53(self) -> Route53:
        from ._ports.route53 import Route53

        return Route53.connect(self._options)

    @property
    def given(self) -> Given:
        from ._readers.cluster import Given

        return Given.by(self._options)

    @property
    def waiting(self) -> WaitOptions:
        from ._waiting import WaitOptions

        return WaitOptions.by(self._options, self.clock)


@dataclass(frozen=True)
class Task:
    """`topic` for tasks that may change something, `look` for those that only read; `problems` of options first."""

    spec: Callable[[], arguments.Spec]
    topic: Callable[[Options, Connections], Topic[Any]] | None = None
    look: Callable[[Options, Connections], Result] | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    problems: Callable[[Options], tuple[Finding, ...]] = lambda _options: ()
    target: Callable[[Options], Target] = rules.target


def _subnets(options: Options, to: Connections) -> Topic[Any]:
    from ._topics.ingress import IngressTopic, subnets_wanted, way

    chosen = (subnets_wanted(options), way(options))
    return IngressTopic(to.kube, to.aws, to.given, options["ingress_controller"], lambda _seen: chosen, to.waiting)


def _scope(options: Options, to: Connections) -> Topic[Any]:
    service = options.get("service")
    if service:
        from ._topics.service import ServiceTopic

        place, wanted = (service["namespace"], service["name"]), (options["scope"], options["effectuate"])
        return ServiceTopic(to.kube, to.aws, to.given, place, wanted, to.waiting)
    from ._core.ingress.state import Wanted
    from ._topics.ingress import IngressTopic, way

    chosen = (Wanted(scope=options["scope"]), way(options))
    name = options.get("ingress_controller") or "default"
    return IngressTopic(to.kube, to.aws, to.given, name, lambda _seen: chosen, to.waiting)


def _lb_class(options: Options, to: Connections) -> Topic[Any]:
    from ._topics.lb_class import ClassTopic

    place = (options["service"]["namespace"], options["service"]["name"])
    wanted = class_rules.wanted(options)
    return ClassTopic(to.kube, to.aws, to.given, place, wanted, to.waiting, options["unwatched_after"])


def _effectuate(options: Options, to: Connections) -> Topic[Any]:
    from ._topics.effectuate import wanted_by
    from ._topics.ingress import IngressTopic

    name = options["ingress_controller"]
    return IngressTopic(to.kube, to.aws, to.given, name, wanted_by(options), to.waiting)


def _capo(options: Options, to: Connections) -> Topic[Any]:
    from ._topics.capo import CapoTopic

    return CapoTopic(to.kube if options["management_cluster"] else None, to.cloud, options, to.waiting, to.hide)


def _api(options: Options, to: Connections) -> Topic[Any]:
    from ._core.api_slb.state import WantedApi
    from ._topics.api_slb import ApiSlbTopic, CopyTopic

    wanted = WantedApi.by(options)
    if options.get("objects") is not None:
        return CopyTopic(options["objects"], to.given, wanted)
    return ApiSlbTopic(to.kube, to.aws, to.given, wanted, to.waiting, lambda: to.route53)


def _info(_options: Options, to: Connections) -> Result:
    from ._readers.radar import look

    return look(to.kube, to.given, to.aws)


TASKS: Mapping[str, Task] = {
    "api_slb": Task(api_arguments.spec, _api, problems=api_rules.problems, target=lambda _options: api_target()),
    "capo_multiaz_lb": Task(capo_arguments.spec, _capo, problems=capo_rules.problems, target=capo_rules.target),
    "ingress_lb_subnets": Task(arguments.subnets, _subnets, problems=rules.subnets),
    "slb_scope": Task(
        arguments.scope,
        _scope,
        constraints={"mutually_exclusive": [["ingress_controller", "service"]]},
        problems=rules.common,
    ),
    "lb_effectuate": Task(arguments.changes, _effectuate, problems=rules.common),
    "lb_info": Task(arguments.info, look=_info),
    "service_lb_class": Task(arguments.lb_class, _lb_class, problems=class_rules.problems),
    "window_info": Task(windows.spec, look=windows.look),
}


def perform(name: str, options: Options, check_mode: bool, progress: Progress, clock: Clock | None = None) -> Result:
    """The task's result; raises Failed with a sentence and the result so far. Neither shows a secret (CORE-12)."""
    task = TASKS[name]
    hide = Hide(known_secrets(task.spec(), options, os.environ))
    with ExitStack() as until_done:
        to = Connections(options, until_done, clock or Clock(), hide)
        try:
            return dict(hide(_performed(task, options, check_mode, lambda text: progress(hide(text)), to)))
        except Failed as failure:
            raise Failed(hide(str(failure)), hide(failure.result)) from None


def _performed(task: Task, options: Options, check_mode: bool, progress: Progress, to: Connections) -> Result:
    problems = absurd(options) or task.problems(options)
    if problems:
        decision = refused(task.target(options), problems)
        raise Failed(decision.message, result(decision, False, decision.verdict.value))
    try:
        if task.look is not None:
            return task.look(options, to)
        if task.topic is None:
            return {}
        topic = task.topic(options, to)
    except PortError as problem:
        raise failed(problem) from problem
    allowed = Disruption(options.get("allow_disruption") or "none")
    gate = Gate(check_mode, allowed, options.get("fingerprint") or "", somebody_waits())
    return run(topic, gate, progress)


def main(name: str) -> None:
    """A module's body."""
    from ansible.module_utils.basic import AnsibleModule, _load_params

    task = TASKS[name]
    spec = concealed(task.spec(), _load_params() or {}, os.environ)
    module = AnsibleModule(argument_spec=spec, supports_check_mode=True, **task.constraints)
    try:
        found = perform(name, module.params, module.check_mode, lambda _text: None)
    except Failed as failure:
        module.fail_json(msg=str(failure), **shown(failure.result, module._diff))
    else:
        module.exit_json(**shown(found, module._diff))


def shown(told: Result, diff: bool) -> Result:
    """The diff only where it was asked for."""
    return told if diff else {key: value for key, value in told.items() if key != "diff"}
