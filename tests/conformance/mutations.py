# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutations of the operator model, each of which the recorded histories must notice (Ingress, "Seen as done when").

One row is one plausible mistake: the exact text of the source, what it would have been written as, and what that
means. The histories come from the running operator, so this is the proof that agreeing with them says something.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    file: str  # below plugins/module_utils/_core
    old: str  # occurs there exactly once
    new: str
    why: str


def _in(file: str, *rows: tuple[str, str, str]) -> tuple[Mutation, ...]:
    return tuple(Mutation(file, old, new, why) for why, old, new in rows)


# Each row: what the mistake means, the source's text, the mistaken text.
MUTATIONS: tuple[Mutation, ...] = (
    *_in(
        "platforms.py",
        (
            "scope on Azure waits for recreation",
            'AZURE_INTERNAL, "true", scope_in_place=True',
            'AZURE_INTERNAL, "true"',
        ),
        (
            "scope on AWS moves in place",
            'Platform(AWS, AWS_INTERNAL, "true"',
            'Platform(AWS, AWS_INTERNAL, "true", scope_in_place=True',
        ),
        (
            "an external IBM load balancer has no annotation",
            'Platform(name, IBM_IP_TYPE, "private", "public"',
            'Platform(name, IBM_IP_TYPE, "private"',
        ),
        (
            "another internal value on OpenStack",
            'Platform(OPENSTACK, OPENSTACK_INTERNAL, "true")',
            'Platform(OPENSTACK, OPENSTACK_INTERNAL, "yes")',
        ),
        (
            "GCP's internal value in lower case",
            '        "Internal",\n        scope_in_place=True',
            '        "internal",\n        scope_in_place=True',
        ),
    ),
    *_in(
        "profiles.py",
        (
            "raw compare already in 4.21",
            '((4, 21), {"readmits_missing_lb": True})',
            '((4, 21), {"readmits_missing_lb": True, "raw_compare": True})',
        ),
        (
            "a type waits for recreation already in 4.21",
            '((4, 21), {"readmits_missing_lb": True})',
            '((4, 21), {"readmits_missing_lb": True, "type_in_place": False, "type_recreates": True})',
        ),
        (
            "only AWS and IBM Cloud are told to delete, in every release",
            '"tags_in_place": True, "delete_text_everywhere": True',
            '"tags_in_place": True',
        ),
        ("floating IPs are unknown", '{"floating_ip": True, ', "{"),
        ("4.22 already has the NLB protocol", '"dual_stack": True,', '"dual_stack": True, "nlb_protocol": True,'),
        ("4.22 and later look at the wanted type", '            "actual_type": True,\n', ""),
        ("the hint names the old component", ', "ready_hint": "cloud-controller-manager"', ""),
        ("OpenStack's DNS is managed", ', "openstack_dns_unmanaged": True', ""),
    ),
    *_in(
        "operator/names.py",
        ("the interval is not managed", "keys = {AWS_INTERVAL, ", "keys = {"),
        ("GCP's global access is not managed", "GCP_GLOBAL_ACCESS, LOCAL_WITH_FALLBACK, ", "LOCAL_WITH_FALLBACK, "),
        ("PROXY on Classic is not managed", "    if profile.proxy_in_place:\n        keys.add(AWS_PROXY)\n", ""),
        ("IBM's features are not managed", "    if profile.ibm_protocol:\n        keys.add(IBM_FEATURES)\n", ""),
        (
            "a type moves in place in every release",
            "    if profile.type_in_place:\n        keys.add",
            "    if True:\n        keys.add",
        ),
        ("Elastic IPs are no reason to recreate", "{AWS_SUBNETS, AWS_EIPS}", "{AWS_SUBNETS}"),
        ("scope on GCP is not managed", "AZURE_INTERNAL, GCP_TYPE}", "AZURE_INTERNAL}"),
    ),
    *_in(
        "operator/subnets.py",
        (
            "the order of subnets counts",
            "len(want) == len(have) and set(want) <= set(have)",
            "list(want) == list(have)",
        ),
        ("one set within the other is enough", "len(want) == len(have) and set(want)", "set(want)"),
        ("names before ids", "iter((*self.ids, *self.names))", "iter((*self.names, *self.ids))"),
        ("an empty list is shown as null", 'self._json("{}", "[]")', 'self._json("{}", "null")'),
        ("an empty list is patched as []", 'self._json("null", "null")', 'self._json("null", "[]")'),
    ),
    *_in(
        "operator/router_service.py",
        ("PROXY and TCP attributes swapped", "_TARGET_GROUP[proxy_needed(", "_TARGET_GROUP[not proxy_needed("),
        ("an NLB's interval is 5", 'names.AWS_INTERVAL: "10"', 'names.AWS_INTERVAL: "5"'),
        ("traffic stays local on IBM", '"Cluster" if infra.platform in (IBM, POWERVS) else "Local"', '"Local"'),
        ("the wanted type is NLB by default", '"aws", "type") or CLASSIC\n', '"aws", "type") or NLB\n'),
        (
            "GCP's access is told for external load balancers too",
            "infra.platform == GCP and _scope(ic) == INTERNAL and",
            "infra.platform == GCP and",
        ),
        ("an idle timeout of zero is written", "        if idle > 0:\n", "        if idle >= 0:\n"),
    ),
    *_in(
        "go.py",
        (
            "seconds of the idle timeout are cut, not rounded",
            "(nanoseconds + SECOND // 2) // SECOND",
            "nanoseconds // SECOND",
        ),
    ),
    *_in(
        "operator/diff.py",
        ("the old spelling of internal stays", "!= _LEGACY_INTERNAL:", "!= _LEGACY_INTERNAL or True:"),
        (
            "removed source ranges leave the Service",
            "    if ranges:\n",
            '    if not ranges:\n        spec.pop("loadBalancerSourceRanges", None)\n    if ranges:\n',
        ),
        ("a managed annotation is never removed", "            del have[key]\n", "            pass\n"),
        ("a floating IP is no reason to recreate", 'fields.append("spec.loadBalancerIP")', "pass"),
        (
            "up to 4.21 subnets are no reason to recreate",
            "            keys.append(names.AWS_SUBNETS)\n",
            "            pass\n",
        ),
    ),
    *_in(
        "operator/reconcile.py",
        (
            "auto-delete by its value",
            'return AUTO_DELETE in (dig(ic, "metadata", "annotations") or {})',
            'return dig(ic, "metadata", "annotations", AUTO_DELETE) == "true"',
        ),
        ("every creation-only difference recreates", "if armed(ic) and (keys or fields):", "if keys or fields:"),
        (
            "an armed newest operator looks at the live Service",
            "None if armed(ic) and profile.nlb_protocol else service",
            "service",
        ),
        (
            "the operator is never frozen",
            "    if causes:\n        return Outcome(error",
            "    if False:\n        return Outcome(error",
        ),
    ),
    *_in(
        "operator/admission.py",
        ("up to 4.21 the other type's parameters stay", 'if profile.name == "P2":', "if False:"),
        ("from 4.22 the other type's parameters go at once", 'if profile.name == "P2":', "if profile.subnets:"),
        ("a new NLB speaks TCP", 'setdefault("protocol", "PROXY")', 'setdefault("protocol", "TCP")'),
        (
            "scope in status is the one in force",
            'status["scope"] = wanted.get("scope", "")',
            'status.setdefault("scope", wanted.get("scope", ""))',
        ),
        ("GCP's and IBM's parameters are not copied", "elif provider in _COPIED:", "elif False:"),
        (
            "a new generation is not admitted",
            'if (ic["metadata"].get("generation") or 0) != (status.get("observedGeneration") or 0):',
            "if False:",
        ),
    ),
    *_in(
        "operator/messages.py",
        ("the singular in M1", '"were" if profile.family == "M1" and', '"were" if profile.family == "M9" and'),
        ("the plural in M2", '"were" if profile.family == "M1" and', '"were" if profile.family != "M0" and'),
        ("M0 closes its backtick", 'tail = f"`{revert}" if', 'tail = f"`{revert}`" if'),
        ("one space before To effectuate", '"{first}  To effectuate', '"{first} To effectuate'),
        (
            "no last sentence in M2",
            'if profile.family == "M2":\n        text +=',
            'if profile.family == "M9":\n        text +=',
        ),
        (
            "instructions on every platform",
            "if platform(infra.platform).scope_in_place or not told:",
            "if platform(infra.platform).scope_in_place:",
        ),
        (
            "source ranges told first",
            "return found + source_range_edits(profile, ic, service)",
            "return source_range_edits(profile, ic, service) + found",
        ),
        ("several texts without brackets", "f\"[{', '.join(texts)}]\"", "', '.join(texts)"),
        (
            "from 4.22 the wanted type's subnets are compared",
            "        kind = have_type\n",
            "        kind = want_type\n",
        ),
        (
            "the scope patch has a type",
            '\'{"spec":{"endpointPublishingStrategy":{"loadBalancer":{"scope":"%s"}}}}\'',
            '\'{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"%s"}}}}\'',
        ),
    ),
    *_in(
        "operator/status.py",
        ("the inactive parameters stay", "if profile.type_recreates and infra.platform == AWS:", "if False:"),
        ("the floating IP is not mirrored", '_put(params, "floatingIP"', '_put({}, "floatingIP"'),
        ("Elastic IPs are not mirrored", '_put(params, "eipAllocations"', '_put({}, "eipAllocations"'),
        ("events of an earlier Service count", '("namespace", "name", "uid")', '("namespace", "name")'),
        (
            "pending changes block upgrades",
            "watched = names.managed(profile) |",
            "watched = names.managed(profile) | names.creation_only(profile, infra.platform) |",
        ),
    ),
    *_in(
        "operator/crd.py",
        ("Elastic IPs may be internal", "lb_rules = (_EIPS_NOT_INTERNAL,)", "lb_rules = ()"),
        (
            "numbers of subnets and Elastic IPs may differ",
            'nlb_rules = (Rule("number of',
            'nlb_rules = () and (Rule("number of',
        ),
        (
            "a floating IP may be internal",
            "lb_rules = (*lb_rules, _FLOATING_IP_NOT_INTERNAL)",
            "lb_rules = (*lb_rules,)",
        ),
        (
            "subnet ids of eight digits are taken",
            "Text(min_length=24, max_length=24,",
            "Text(min_length=15, max_length=24,",
        ),
        (
            "a subnet id may stand twice",
            'Rule("subnet ids cannot contain duplicates", _unique)',
            'Rule("subnet ids cannot contain duplicates", lambda _ids: True)',
        ),
    ),
    *_in(
        "operator/schema.py",
        ("a value of a rule is not shown", 'shown = quote(value) if isinstance(value, str) else ""', 'shown = ""'),
    ),
)
