# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Strategic merge as the API server does it: keyed lists, `$patch`, `$retainKeys`, `$setElementOrder`, and its order.

A list that is merged comes out with the items of the patch in the patch's order; among them stand the others, in front
of a later item of the patch only where the server had them in that order (apimachinery, strategicpatch).
"""

from __future__ import annotations

import copy
from typing import Any

from .api import ApiError, Obj

Items = list[Any]
_DIRECTIVE, _RETAIN, _ORDER, _DELETE = "$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/"
# Merge keys of the lists that occur in the builtin types served here; any other list is replaced whole.
_KEYS = {
    "ports": "port",
    "conditions": "type",
    "ownerReferences": "uid",
    "containers": "name",
    "addresses": "type",
    "env": "name",
    "volumes": "name",
    "imagePullSecrets": "name",
    "taints": "key",
}
# Lists of plain values that are joined as sets.
_SETS = {"finalizers"}
# Within a container the key of `ports` is another one than in a Service.
_CONTAINER_PORT = "containerPort"


def strategic(target: Any, patch: Obj) -> Obj:
    """A new object; neither argument is changed."""
    return _merged_map(copy.deepcopy(target), copy.deepcopy(patch))


def _broken(message: str) -> ApiError:
    """Not a refusal but an error of the server, as it has it."""
    return ApiError(500, "", message)


def _go(value: Any) -> str:
    """fmt's %v of a JSON map."""
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{_go(value[key])}" for key in sorted(value)) + "]"
    return "<nil>" if value is None else str(value)


def _no_key(item: Any, key: str) -> ApiError:
    return _broken(f"map: {_go(item)} does not contain declared merge key: {key}")


def _merged_map(original: Obj, patch: Obj) -> Obj:
    if _DIRECTIVE in patch:
        directive = patch.pop(_DIRECTIVE)
        if directive == "replace":
            return patch
        if directive == "delete":
            return {}
        raise _broken(f"unknown patch type: {directive} in map: {_go({_DIRECTIVE: directive, **patch})}")
    if _RETAIN in patch:
        kept = patch.pop(_RETAIN)
        original = {key: value for key, value in original.items() if key in kept}
    _ordered_lists(original, patch)
    for key, value in patch.items():
        name = key.removeprefix(_DELETE)
        if name != key:
            if isinstance(original.get(name), list):
                original[name] = [item for item in original[name] if item not in value]
        elif value is None:
            original.pop(key, None)
        elif isinstance(value, dict) and isinstance(original.get(key), dict):
            original[key] = _merged_map(original[key], value)
        elif isinstance(value, list) and isinstance(original.get(key), list):
            original[key] = _merged_list(key, original[key], value)
        else:
            original[key] = _without_directives(value)
    return original


def _ordered_lists(original: Obj, patch: Obj) -> None:
    """Lists whose order the patch gives, merged and put into it; they leave the patch."""
    for directive in [key for key in patch if key.startswith(_ORDER)]:
        order, name = patch.pop(directive), directive.removeprefix(_ORDER)
        have, want = original.get(name), patch.pop(name, None)
        if have is None and want is None:
            continue
        before = copy.deepcopy(have or [])
        merged = have if want is None else _without_directives(want) if have is None else _merged_list(name, have, want)
        original[name] = _in_order(merged or [], order, before, _key_of(name, [*(have or []), *(want or [])]))


def _key_of(name: str, items: Items) -> str:
    """'' for lists of plain values."""
    if name == "ports" and any(isinstance(item, dict) and _CONTAINER_PORT in item for item in items):
        return _CONTAINER_PORT
    return _KEYS.get(name, "")


def _merged_list(name: str, original: Items, patch: Items) -> Items:
    if name in _SETS:
        both = [*original, *patch]
        merged = [item for index, item in enumerate(both) if item not in both[:index]]
        return _in_order(merged, patch, original, "")
    key = _key_of(name, [*original, *patch])
    if not key:
        return patch
    original, patch = _directed(key, original, patch)
    before = list(original)
    merged = list(original)
    for item in patch:
        if key not in item:
            raise _no_key(item, key)
        at = _index(merged, item, key)
        if at < 0:
            merged.append(_without_directives(item))
        else:
            merged[at] = _merged_map(merged[at], item)
    return _in_order(merged, patch, before, key)


def _directed(key: str, original: Items, patch: Items) -> tuple[Items, Items]:
    """Both lists once the items that are directives have had their effect."""
    left, replaces = [], False
    for item in patch:
        directive = item.get(_DIRECTIVE) if isinstance(item, dict) else None
        if directive is None:
            left.append(item)
        elif directive == "replace":
            replaces = True
        elif directive != "delete":
            raise _broken(f"unknown patch type: {directive} in map: {_go(item)}")
        elif key not in item:
            raise _no_key(item, key)
        else:
            original = [have for have in original if have.get(key) != item[key]]
    return (left, []) if replaces else (original, left)


def _in_order(merged: Items, patch_order: Items, server_order: Items, key: str) -> Items:
    mine = sorted(
        (item for item in merged if _index(patch_order, item, key) >= 0),
        key=lambda item: _index(patch_order, item, key),
    )
    others = [item for item in merged if _index(patch_order, item, key) < 0]
    found: Items = []
    while mine and others:
        left, right = (_index(server_order, items[0], key) for items in (others, mine))
        found.append(others.pop(0) if 0 <= left < right else mine.pop(0))
    return found + mine + others


def _index(items: Items, item: Any, key: str) -> int:
    wanted = item.get(key) if key else item
    for index, other in enumerate(items):
        if (other.get(key) if key else other) == wanted:
            return index
    return -1


def _without_directives(value: Any) -> Any:
    """What is new is taken as it is, without nulls and directives."""
    if isinstance(value, dict):
        return {
            key: _without_directives(item)
            for key, item in value.items()
            if item is not None and not key.startswith("$")
        }
    if isinstance(value, list):
        return [_without_directives(item) for item in value if not (isinstance(item, dict) and _DIRECTIVE in item)]
    return value
