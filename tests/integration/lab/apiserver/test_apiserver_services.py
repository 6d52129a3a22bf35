# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Services as the API server completes and refuses them (facts: aws-ccm §7; CLS-1, CLS-2, CLS-6)."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.api import ApiError
from ansible_collections.edgeworks.lb_estate.tests.lab.apiserver.store import Cluster

from .client import ROUTER_NS, make_cluster, service

NAME = "router-default"
ONLY_LB = "Forbidden: may only be used when `type` is 'LoadBalancer'"


def patch(c: Cluster, **spec: Any) -> dict[str, Any]:
    return c.patch("services", ROUTER_NS, NAME, {"spec": spec})


class TestCompletion:
    def test_defaults_and_allocations_of_a_load_balancer(self, cluster: Cluster) -> None:
        made = cluster.create("services", ROUTER_NS, service(externalTrafficPolicy="Local"))
        spec = made["spec"]
        assert {
            "sessionAffinity": "None",
            "internalTrafficPolicy": "Cluster",
            "allocateLoadBalancerNodePorts": True,
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "externalTrafficPolicy": "Local",
            "clusterIPs": [spec["clusterIP"]],
        }.items() <= spec.items()
        assert spec["clusterIP"].startswith("172.30.")
        numbers = [port["nodePort"] for port in spec["ports"]] + [spec["healthCheckNodePort"]]
        assert len(set(numbers)) == 3
        assert all(30000 <= number <= 32767 for number in numbers)
        assert [port["protocol"] for port in spec["ports"]] == ["TCP", "TCP"]
        assert made["status"] == {"loadBalancer": {}}

    def test_cluster_policy_needs_no_health_check_port(self, cluster: Cluster) -> None:
        spec = cluster.create("services", ROUTER_NS, service())["spec"]
        assert spec["externalTrafficPolicy"] == "Cluster"
        assert "healthCheckNodePort" not in spec

    def test_a_replace_without_allocated_values_keeps_them(self, cluster: Cluster) -> None:
        before = cluster.create("services", ROUTER_NS, service(externalTrafficPolicy="Local"))["spec"]
        after = cluster.replace("services", ROUTER_NS, NAME, service(externalTrafficPolicy="Local"))["spec"]
        assert after == before

    def test_two_services_never_share_an_address_or_port(self, cluster: Cluster) -> None:
        specs = [cluster.create("services", ROUTER_NS, service(f"s{n}"))["spec"] for n in range(50)]
        assert len({spec["clusterIP"] for spec in specs}) == 50
        assert len({port["nodePort"] for spec in specs for port in spec["ports"]}) == 100

    def test_leaving_load_balancer_drops_what_belonged_to_it(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, service(externalTrafficPolicy="Local", loadBalancerClass="example.com/a"))
        status = {"status": {"loadBalancer": {"ingress": [{"hostname": "a.example.com"}]}}}
        cluster.patch("services", ROUTER_NS, NAME, status, subresource="status")
        after = patch(cluster, type="ClusterIP")
        dropped = ("loadBalancerClass", "externalTrafficPolicy", "healthCheckNodePort", "allocateLoadBalancerNodePorts")
        assert not set(dropped) & set(after["spec"])
        assert all("nodePort" not in port for port in after["spec"]["ports"])
        assert after["status"] == {"loadBalancer": {}}
        again = patch(cluster, type="LoadBalancer", loadBalancerClass="example.com/b")
        assert again["spec"]["loadBalancerClass"] == "example.com/b"
        assert again["metadata"]["uid"] == after["metadata"]["uid"]

    def test_empty_values_are_not_stored(self, cluster: Cluster) -> None:
        spec = cluster.create("services", ROUTER_NS, service(loadBalancerSourceRanges=[], loadBalancerIP=""))["spec"]
        assert not {"loadBalancerSourceRanges", "loadBalancerIP"} & set(spec)

    def test_dual_stack(self) -> None:
        c = make_cluster(ip_families=("IPv4", "IPv6"))
        spec = c.create("services", ROUTER_NS, service(ipFamilyPolicy="RequireDualStack"))["spec"]
        assert spec["ipFamilies"] == ["IPv4", "IPv6"]
        assert len(spec["clusterIPs"]) == 2

    def test_dual_stack_on_a_single_stack_cluster(self, cluster: Cluster) -> None:
        with pytest.raises(ApiError, match="this cluster is not configured for dual-stack services"):
            cluster.create("services", ROUTER_NS, service(ipFamilyPolicy="RequireDualStack"))

    def test_an_ip_address_gets_its_mode(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, service())
        status = {"status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.7"}]}}}
        after = cluster.patch("services", ROUTER_NS, NAME, status, subresource="status")
        assert after["status"]["loadBalancer"]["ingress"] == [{"ip": "203.0.113.7", "ipMode": "VIP"}]


class TestClass:
    @pytest.mark.parametrize(
        ("first", "then", "shown"),
        [("example.com/a", "example.com/b", '"example.com/b"'), ("example.com/a", None, "null"), (None, "b", '"b"')],
    )
    def test_may_not_change_while_the_type_stays(self, cluster: Cluster, first: Any, then: Any, shown: str) -> None:
        cluster.create("services", ROUTER_NS, service(**({"loadBalancerClass": first} if first else {})))
        with pytest.raises(ApiError) as error:
            patch(cluster, loadBalancerClass=then)
        assert error.value.message == (
            f'Service "{NAME}" is invalid: spec.loadBalancerClass: Invalid value: {shown}: may not change once set'
        )

    @pytest.mark.parametrize("name", ["", "Bad/LoadBalancerClass", "a/b/c", "-a", "a" * 64])
    def test_is_a_qualified_name(self, cluster: Cluster, name: str) -> None:
        with pytest.raises(ApiError) as error:
            cluster.create("services", ROUTER_NS, service(loadBalancerClass=name))
        assert error.value.status == 422
        assert {cause["field"] for cause in error.value.causes} == {"spec.loadBalancerClass"}

    def test_only_for_load_balancers(self, cluster: Cluster) -> None:
        with pytest.raises(ApiError, match=f"spec.loadBalancerClass: {ONLY_LB}"):
            cluster.create("services", ROUTER_NS, service(type="ClusterIP", loadBalancerClass="a"))

    def test_an_old_api_drops_it_silently(self) -> None:
        c = make_cluster(lb_class_supported=False)
        assert "loadBalancerClass" not in c.create("services", ROUTER_NS, service(loadBalancerClass="a"))["spec"]
        assert "loadBalancerClass" not in patch(c, loadBalancerClass="b")["spec"]


PORT_80 = {"port": 80}
INVALID = [
    ({"type": "Balancer"}, "spec.type", 'Unsupported value: "Balancer": supported values: "ClusterIP", "ExternalName"'),
    ({"ports": []}, "spec.ports", "Required value"),
    ({"ports": [PORT_80, {"port": 81}]}, "spec.ports[0].name", "Required value"),
    ({"ports": [{"port": 0}]}, "spec.ports[0].port", "Invalid value: 0: must be between 1 and 65535, inclusive"),
    ({"ports": [{"port": 80, "protocol": "XTP"}]}, "spec.ports[0].protocol", 'Unsupported value: "XTP"'),
    ({"ports": [{"port": 80, "nodePort": 80}]}, "spec.ports[0].nodePort", "not in the valid range"),
    (
        {"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 80}]},
        "spec.ports[1]",
        'Duplicate value: {"Name":"","Protocol":"TCP"',
    ),
    ({"sessionAffinity": "Some"}, "spec.sessionAffinity", 'Unsupported value: "Some"'),
    ({"externalTrafficPolicy": "Near"}, "spec.externalTrafficPolicy", 'Unsupported value: "Near"'),
    ({"loadBalancerSourceRanges": ["10.0.0.0"]}, "spec.LoadBalancerSourceRanges[0]", "must be a valid CIDR value"),
    ({"loadBalancerSourceRanges": ["10.0.0.0/8", "x"]}, "spec.LoadBalancerSourceRanges[1]", "must be a valid CIDR"),
    ({"type": "ClusterIP", "loadBalancerSourceRanges": ["10.0.0.0/8"]}, "spec.LoadBalancerSourceRanges", ONLY_LB),
    ({"type": "ClusterIP", "externalTrafficPolicy": "Local"}, "spec.externalTrafficPolicy", "may only be set for"),
    ({"clusterIP": "None"}, "spec.clusterIPs[0]", "may not be set to 'None' for LoadBalancer services"),
    ({"externalIPs": ["x"]}, "spec.externalIPs[0]", "must be a valid IP address"),
]


class TestValidation:
    @pytest.mark.parametrize(("spec", "field", "message"), INVALID)
    def test_refusals(self, cluster: Cluster, spec: dict[str, Any], field: str, message: str) -> None:
        with pytest.raises(ApiError) as error:
            cluster.create("services", ROUTER_NS, service(**{"ports": [PORT_80], **spec}))
        assert error.value.status == 422
        causes = {cause["field"]: cause["message"] for cause in error.value.causes}
        assert field in causes, causes
        assert message in causes[field]

    def test_all_problems_at_once(self, cluster: Cluster) -> None:
        with pytest.raises(ApiError) as error:
            cluster.create("services", ROUTER_NS, service(type="X", ports=[{"port": 0}], sessionAffinity="Y"))
        assert {"spec.type", "spec.ports[0].port", "spec.sessionAffinity"} <= {c["field"] for c in error.value.causes}
        assert error.value.message.startswith(f'Service "{NAME}" is invalid: [')

    def test_source_ranges_annotation(self, cluster: Cluster) -> None:
        key = "service.beta.kubernetes.io/load-balancer-source-ranges"
        cluster.create("services", ROUTER_NS, service())
        with pytest.raises(ApiError, match="must be a valid CIDR value"):
            cluster.patch("services", ROUTER_NS, NAME, {"metadata": {"annotations": {key: "nonsense"}}})
        cluster.patch("services", ROUTER_NS, NAME, {"metadata": {"annotations": {key: "10.0.0.0/8, 192.0.2.0/24"}}})

    def test_a_cluster_ip_does_not_move(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, service())
        with pytest.raises(ApiError, match="may not change once set"):
            patch(cluster, clusterIP="172.30.9.9", clusterIPs=["172.30.9.9"])

    def test_a_taken_node_port(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, service("a", ports=[{"port": 80, "nodePort": 30080}]))
        with pytest.raises(ApiError, match="provided port is already allocated"):
            cluster.create("services", ROUTER_NS, service("b", ports=[{"port": 80, "nodePort": 30080}]))

    def test_allocation_failures_are_named_one_at_a_time(self, cluster: Cluster) -> None:
        """Facts: lab-kubernetes §9. Nothing else is looked at before they are solved."""
        taken = [{"name": name, "port": port, "nodePort": port + 30000} for name, port in (("a", 80), ("b", 443))]
        spec = {"ports": taken, "clusterIP": "172.30.0.9", "sessionAffinity": "None"}
        cluster.create("services", ROUTER_NS, service("a", **spec))
        wanted = service("b", **{**spec, "sessionAffinity": "Some"})
        told = []
        while True:
            with pytest.raises(ApiError) as error:
                cluster.create("services", ROUTER_NS, wanted)
            assert len(error.value.causes) == 1
            told.append(error.value.causes[0]["field"])
            if told[-1] == "spec.clusterIPs":
                del wanted["spec"]["clusterIP"]
            elif told[-1] == "spec.sessionAffinity":
                break
            else:
                del wanted["spec"]["ports"][int(told[-1][len("spec.ports[")])]["nodePort"]
        assert told == ["spec.clusterIPs", "spec.ports[0].nodePort", "spec.ports[1].nodePort", "spec.sessionAffinity"]

    def test_a_node_port_is_one_for_all_protocols(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, service("a", ports=[{"port": 53, "nodePort": 30053, "protocol": "UDP"}]))
        with pytest.raises(ApiError, match="provided port is already allocated"):
            cluster.create("services", ROUTER_NS, service("b", ports=[{"port": 53, "nodePort": 30053}]))

    def test_a_taken_health_check_port_is_an_internal_error(self, cluster: Cluster) -> None:
        first = cluster.create("services", ROUTER_NS, service("a", externalTrafficPolicy="Local"))["spec"]
        wanted = {"externalTrafficPolicy": "Local", "healthCheckNodePort": first["healthCheckNodePort"]}
        with pytest.raises(ApiError, match="failed to allocate requested HealthCheck NodePort") as error:
            cluster.create("services", ROUTER_NS, service("b", **wanted))
        assert (error.value.status, error.value.reason) == (500, "InternalError")

    def test_node_ports_are_carried_over_by_name(self, cluster: Cluster) -> None:
        before = cluster.create("services", ROUTER_NS, service())["spec"]["ports"]
        named = {port["name"]: port["nodePort"] for port in before}
        wanted = [{"name": "https", "port": 444}, {"name": "new", "port": 443}]
        after = {port["name"]: port["nodePort"] for port in patch(cluster, ports=wanted)["spec"]["ports"]}
        assert after["https"] == named["https"]
        assert after["new"] not in named.values()

    def test_what_is_not_a_service_at_all(self, cluster: Cluster) -> None:
        with pytest.raises(ApiError, match="cannot be handled as a Service") as error:
            cluster.create("services", ROUTER_NS, service(ports=[{"port": "eighty"}]))
        assert error.value.status == 400

    def test_status_of_a_service_that_is_no_load_balancer(self, cluster: Cluster) -> None:
        cluster.create("services", ROUTER_NS, service(type="ClusterIP"))
        status = {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}}
        with pytest.raises(ApiError, match=r"may only be used when `spec.type` is 'LoadBalancer'"):
            cluster.patch("services", ROUTER_NS, NAME, status, subresource="status")
