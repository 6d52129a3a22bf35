# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugins' common body: the module's own code, run in the worker process.

No process is made per task, and the strategy loads this file in the parent, so whatever is imported here is inherited
by every worker's fork. A task with environment, async, become or a connection other than local goes to the module as
usual; the results are the same.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ..module_utils._results import Failed
from ..module_utils._tasks import TASKS, perform, shown

_display = Display()
# What the ports import when first used. Whether one is missing is for the task that needs it to say.
_WARM = ("urllib3", "yaml", "kubernetes.config", "kubernetes.client", "boto3", "openstack")
for _name in _WARM:
    with contextlib.suppress(ImportError):
        importlib.import_module(_name)
_OURS = ("_readers.aws", "_readers.radar", "_topics.capo", "_topics.effectuate", "_topics.ingress", "_topics.service")
for _name in _OURS:
    importlib.import_module(f"..module_utils.{_name}", __package__)


class LocalAction(ActionBase):  # Ansible tells mypy nothing of its classes
    task_name = ""
    _supports_check_mode = True
    _supports_async = True

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        if self._elsewhere():
            return {**result, **self._execute_module(task_vars=task_vars, wrap_async=self._task.async_val)}
        task = TASKS[self.task_name]
        validator = ArgumentSpecValidator(dict(task.spec()), **task.constraints)
        checked = validator.validate(self._task.args)
        if checked.error_messages:
            return result | {"failed": True, "msg": "; ".join(checked.error_messages)}
        host = (task_vars or {}).get("inventory_hostname", "")
        try:
            found = perform(self.task_name, checked.validated_parameters, self._task.check_mode, _teller(host))
        except Failed as failure:
            return result | {"failed": True, "msg": str(failure)} | shown(failure.result, self._task.diff)
        return result | shown(found, self._task.diff)

    def _elsewhere(self) -> bool:
        """Does the task ask for another place or another user than this process?"""
        environment = [entry for entry in self._task.environment or () if entry]
        return bool(
            environment or self._task.async_val or self._play_context.become or self._connection.transport != "local"
        )


def _teller(host: str) -> Any:
    def tell(text: str) -> None:
        _display.display(f"[{host}] {text}" if host else text)

    return tell
