# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who gets in and what they may do: tokens, RBAC from the cluster's own objects, access reviews (EST-14)."""

from __future__ import annotations

import time

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.auth import User
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.rbac import Attributes, Rbac
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import CONFIGMAPS, ICS, OPERATOR_NS, ROUTER_NS, SERVICES, Obj, Served, service

GROUP = "rbac.authorization.k8s.io"


def rule(verbs: str, resources: str, group: str = "", names: str = "") -> Obj:
    made = {"apiGroups": [group], "resources": resources.split(), "verbs": verbs.split()}
    return {**made, "resourceNames": names.split()} if names else made


def grant(c: Cluster, subject: Obj, *rules: Obj, namespace: str | None = None, name: str = "granted") -> None:
    """A (Cluster)Role with these rules, bound to the subject."""
    prefix, kind = ("", "Role") if namespace else ("cluster", "ClusterRole")
    c.create(f"{prefix}roles.{GROUP}", namespace, {"metadata": {"name": name}, "rules": list(rules)})
    reference = {"apiGroup": GROUP, "kind": kind, "name": name}
    binding = {"metadata": {"name": name}, "roleRef": reference, "subjects": [subject]}
    c.create(f"{prefix}rolebindings.{GROUP}", namespace, binding)


VIEWER = {"kind": "User", "name": "viewer"}


class TestTokens:
    @pytest.mark.parametrize("token", ["wrong", "x"])
    def test_no_valid_token_is_401(self, served: Served, token: str) -> None:
        status, body = served.client(token=token).send("GET", SERVICES)
        assert (status, body["reason"], body["message"], body["code"]) == (401, "Unauthorized", "Unauthorized", 401)

    def test_without_a_token_one_is_nobody(self, served: Served) -> None:
        """Facts: lab-kubernetes §9."""
        status, body = served.client(token=None).send("GET", SERVICES)
        assert (status, body["reason"]) == (403, "Forbidden")
        assert 'User "system:anonymous" cannot list resource "services"' in body["message"]

    def test_what_is_no_resource_is_for_administrators(self, served: Served) -> None:
        somebody = served.client(token=served.cluster.tokens.add("viewer"))
        assert somebody.send("GET", "/api")[0] == 200
        assert somebody.send("GET", "/nope")[0] == 403
        assert served.client().send("GET", "/nope")[0] == 404

    def test_a_token_ends(self, served: Served) -> None:
        token = served.cluster.tokens.add("a", ("system:masters",), expires_at=time.time() + 0.3)
        client = served.client(token=token)
        assert client.send("GET", SERVICES)[0] == 200
        time.sleep(0.35)
        assert client.send("GET", SERVICES)[0] == 401

    def test_a_token_can_be_expired_and_revoked(self, served: Served) -> None:
        tokens = served.cluster.tokens
        first, second = (tokens.add("a", ("system:masters",)) for _time in range(2))
        tokens.expire(first)
        tokens.revoke(second)
        assert [served.client(token=token).send("GET", SERVICES)[0] for token in (first, second)] == [401, 401]


class TestRefusals:
    def test_texts(self, served: Served) -> None:
        client = served.client(token=served.cluster.tokens.add("viewer"))
        status, body = client.send("DELETE", f"{SERVICES}/x")
        assert (status, body["reason"]) == (403, "Forbidden")
        assert body["message"] == (
            'services "x" is forbidden: User "viewer" cannot delete resource "services" in API group "" '
            f'in the namespace "{ROUTER_NS}"'
        )
        assert client.send("GET", SERVICES)[1]["message"] == (
            'services is forbidden: User "viewer" cannot list resource "services" in API group "" '
            f'in the namespace "{ROUTER_NS}"'
        )
        path = "/apis/config.openshift.io/v1/infrastructures/cluster"
        assert client.send("GET", path)[1]["message"] == (
            'infrastructures.config.openshift.io "cluster" is forbidden: User "viewer" cannot get resource '
            '"infrastructures" in API group "config.openshift.io" at the cluster scope'
        )

    def test_a_refusal_hides_whether_the_object_exists(self, served: Served) -> None:
        served.cluster.create("services", ROUTER_NS, service())
        client = served.client(token=served.cluster.tokens.add("viewer"))
        codes = {client.send("GET", f"{SERVICES}/{name}")[0] for name in ("router-default", "none")}
        assert codes == {403}


RULES = [
    ([rule("get list", "services")], Attributes("get", "", "services", ROUTER_NS, "a"), True),
    ([rule("get list", "services")], Attributes("delete", "", "services", ROUTER_NS, "a"), False),
    ([rule("*", "*", "*")], Attributes("delete", "apps", "deployments", "", "x"), True),
    ([rule("get", "services")], Attributes("get", "apps", "services", "", "x"), False),
    ([rule("patch", "services")], Attributes("patch", "", "services", ROUTER_NS, "a", "status"), False),
    ([rule("patch", "services/status")], Attributes("patch", "", "services", ROUTER_NS, "a", "status"), True),
    ([rule("patch", "*/status")], Attributes("patch", "", "services", ROUTER_NS, "a", "status"), True),
    ([rule("patch", "services", names="a b")], Attributes("patch", "", "services", ROUTER_NS, "b"), True),
    ([rule("patch", "services", names="a b")], Attributes("patch", "", "services", ROUTER_NS, "c"), False),
    ([rule("create", "services", names="a")], Attributes("create", "", "services", ROUTER_NS), False),
    ([rule("get", "pods"), rule("get", "services")], Attributes("get", "", "services", ROUTER_NS, "a"), True),
]


class TestRules:
    @pytest.mark.parametrize(("rules", "wanted", "allowed"), RULES)
    def test_cluster_role(self, cluster: Cluster, rules: list[Obj], wanted: Attributes, allowed: bool) -> None:
        grant(cluster, VIEWER, *rules)
        assert Rbac(cluster).allows(User("viewer"), wanted) is allowed

    def test_a_role_counts_in_its_namespace_only(self, cluster: Cluster) -> None:
        grant(cluster, VIEWER, rule("get", "services"), namespace=ROUTER_NS)
        rbac = Rbac(cluster)
        allowed = [
            rbac.allows(User("viewer"), Attributes("get", "", "services", namespace, "a"))
            for namespace in (ROUTER_NS, "default", "")
        ]
        assert allowed == [True, False, False]

    @pytest.mark.parametrize(
        ("subject", "user"),
        [
            ({"kind": "Group", "name": "ops"}, User("any", ("ops",))),
            (
                {"kind": "ServiceAccount", "namespace": "default", "name": "bot"},
                User("system:serviceaccount:default:bot"),
            ),
        ],
    )
    def test_groups_and_service_accounts(self, cluster: Cluster, subject: Obj, user: User) -> None:
        grant(cluster, subject, rule("get", "services"))
        rbac = Rbac(cluster)
        wanted = Attributes("get", "", "services", "default", "a")
        assert rbac.allows(user, wanted)
        assert not rbac.allows(User("somebody"), wanted)

    def test_a_changed_role_takes_effect_at_once(self, served: Served) -> None:
        client = served.client(token=served.cluster.tokens.add("viewer"))
        grant(served.cluster, VIEWER, rule("get", "services"), namespace=ROUTER_NS)
        assert client.send("GET", SERVICES)[0] == 403
        served.cluster.patch(f"roles.{GROUP}", ROUTER_NS, "granted", {"rules": [rule("get list", "services")]})
        assert client.send("GET", SERVICES)[0] == 200
        served.cluster.delete(f"rolebindings.{GROUP}", ROUTER_NS, "granted")
        assert client.send("GET", SERVICES)[0] == 403

    def test_a_watch_by_name_needs_only_that_name(self, served: Served) -> None:
        grant(served.cluster, VIEWER, rule("list watch", "configmaps", names="one"), namespace="default")
        client = served.client(token=served.cluster.tokens.add("viewer"))
        assert client.send("GET", CONFIGMAPS)[0] == 403
        assert client.send("GET", CONFIGMAPS, fieldSelector="metadata.name=one")[0] == 200

    def test_the_role_of_a_binding_stays(self, cluster: Cluster) -> None:
        grant(cluster, VIEWER, rule("get", "services"))
        with pytest.raises(Exception, match="cannot change roleRef"):
            cluster.patch(f"clusterrolebindings.{GROUP}", None, "granted", {"roleRef": {"name": "other"}})


class TestAccessReview:
    def ask(self, served: Served, token: str, verb: str, resource: str, group: str = "", namespace: str = "") -> bool:
        attributes = {"verb": verb, "resource": resource, "group": group, "namespace": namespace}
        path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        status, body = served.client(token=token).send("POST", path, {"spec": {"resourceAttributes": attributes}})
        assert status == 201
        return bool(body["status"]["allowed"])

    def test_answers_the_truth(self, served: Served) -> None:
        token = served.cluster.tokens.add("viewer")
        grant(served.cluster, VIEWER, rule("get patch", "ingresscontrollers", "operator.openshift.io"))
        group = ICS.partition(".")[2]
        assert self.ask(served, token, "patch", "ingresscontrollers", group, OPERATOR_NS)
        assert not self.ask(served, token, "delete", "ingresscontrollers", group, OPERATOR_NS)
        assert self.ask(served, served.server.admin_of("c1"), "delete", "nodes")

    def test_is_no_write(self, served: Served) -> None:
        self.ask(served, served.server.admin_of("c1"), "delete", "nodes")
        assert served.cluster.requests.writes() == []
