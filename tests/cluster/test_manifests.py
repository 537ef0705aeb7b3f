"""The manifests of docs/cluster: what schemas can say of them, and what their parts say of each other."""

import json
import os
import re
import shlex
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from dashboard.contents import ROOT
from dashboard.hosting import with_workers
from tests.cluster.conftest import WITH_RAY

MANIFESTS = ROOT / "docs" / "cluster"
SCHEMA = json.loads((Path(__file__).parent / "schemas" / "raycluster.json").read_text())
RAY_UP = yaml.safe_load((MANIFESTS / "ray-up.yaml").read_text())
CLUSTER, FRONTS, SERVICE, OF_RAY, OF_PAGES = yaml.safe_load_all((MANIFESTS / "kuberay.yaml").read_text())
HEAD, (WORKERS,) = CLUSTER["spec"]["headGroupSpec"], CLUSTER["spec"]["workerGroupSpecs"]
PODS = {"head": HEAD["template"], "workers": WORKERS["template"], "fronts": FRONTS["spec"]["template"]}
NAME = CLUSTER["metadata"]["name"]
DOCUMENTED = (ROOT / "docs" / "cluster.md").read_text()

WORKER_MEMORY = FRONT_MEMORY = 1.5e9  # bytes, as docs/cluster.md says
UNITS = {"": 1, "m": 1e-3, "Mi": 2**20, "Gi": 2**30}

# In a process of its own: Ray reads its settings when it is imported.
VERDICTS = """
import json, sys
from ray.autoscaler.sdk import bootstrap_config
from ray.scripts.scripts import start

def verdict(function, *arguments):
    try:
        return {"value": function(*arguments), "fault": ""}
    except Exception as fault:
        return {"value": None, "fault": str(fault)}

def machines(configuration):
    return bootstrap_config(configuration, no_config_cache=True)["available_node_types"]

def options(arguments):
    return start.make_context("ray start", arguments).params

configurations, starts = json.load(sys.stdin)
print(json.dumps([[verdict(machines, item) for item in configurations], [verdict(options, item) for item in starts]]))
"""


def faults(manifest: dict, schema: dict = SCHEMA) -> list[str]:
    """What the schema says against a manifest."""
    return [f"{fault.json_path}: {fault.message}" for fault in Draft202012Validator(schema).iter_errors(manifest)]


def container(pod: dict) -> dict:
    """The only container of a pod."""
    (only,) = pod["spec"]["containers"]
    return only


def amount(quantity: str) -> float:
    """A quantity of Kubernetes as a number."""
    number, unit = re.fullmatch(r"([\d.]+)(\D*)", quantity).groups()
    return float(number) * UNITS[unit]


def arguments_after(program: str, text: str) -> list[list[str]]:
    """The arguments of each call of a program in a text, up to the end of its line or the next command."""
    return [shlex.split(rest) for rest in re.findall(rf"{re.escape(program)} ([^\n\"&`]+)", text)]


def options_of_fronts() -> Namespace:
    """The parsed arguments of the process that starts workers and fronts."""
    (arguments,) = arguments_after("dashboard.hosting.with_workers", container(PODS["fronts"])["args"][0])
    return with_workers.read(arguments)


def is_selected(selector: dict[str, str], pod: dict) -> bool:
    return selector.items() <= pod["metadata"]["labels"].items()


def starts_of_ray() -> dict[str, list[str]]:
    """The arguments of every `ray start`, also of those that KubeRay writes."""
    commands = RAY_UP["head_start_ray_commands"] + RAY_UP["worker_start_ray_commands"]
    head, worker, fronts = arguments_after("ray start", "\n".join([*commands, *container(PODS["fronts"])["args"]]))
    written = {"ray up, head": head, "ray up, workers": worker, "kuberay, fronts": fronts}
    for name, group in {"kuberay, head": HEAD, "kuberay, workers": WORKERS}.items():
        written[name] = [f"--{key}={value}" for key, value in group["rayStartParams"].items()]
    return written


# ray up


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory) -> list[list[dict]]:
    """What Ray says of the configuration and of every start, and each time of one with a misspelt key."""
    configurations = [RAY_UP, {**RAY_UP, "setup_comands": []}]
    starts = [*starts_of_ray().values(), ["--num-cpu=0"]]
    environment = os.environ | {"TMPDIR": str(tmp_path_factory.mktemp("ray"))}  # it keeps the configuration there
    result = subprocess.run(
        [sys.executable, "-c", VERDICTS],
        input=json.dumps([configurations, starts]),
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@WITH_RAY
def test_ray_starts_every_machine_and_refuses_a_misspelt_key(verdicts):
    own, misspelt = verdicts[0]
    assert own["fault"] == ""
    (machines,) = own["value"].values()
    assert machines["min_workers"] == machines["max_workers"] == len(RAY_UP["provider"]["worker_ips"])
    assert "'setup_comands' was unexpected" in misspelt["fault"]


@WITH_RAY
def test_ray_start_has_every_option_of_the_manifests(verdicts):
    *own, misspelt = verdicts[1]
    assert [verdict["fault"] for verdict in own] == [""] * 5
    options = {name: verdict["value"] for name, verdict in zip(starts_of_ray(), own, strict=True)}
    without_workers = {name for name, values in options.items() if values["num_cpus"] == 0}
    assert without_workers == {"ray up, head", "kuberay, head", "kuberay, fronts"}
    assert "--num-cpu" in misspelt["fault"]


def test_machines_of_ray_up_have_the_token_and_the_version_of_the_head():
    commands = RAY_UP["head_start_ray_commands"] + RAY_UP["worker_start_ray_commands"]
    starts = [command for command in commands if "ray start" in command]
    assert len(starts) == 2
    assert all("RAY_AUTH_MODE=token .venv/bin/ray start" in command for command in starts)
    assert set(RAY_UP["file_mounts"]) == {"~/.ray/auth_token", "~/attention-atlas.tar"}
    (archive,) = re.findall(r"git archive --output (\S+)", DOCUMENTED)
    assert RAY_UP["file_mounts"]["~/attention-atlas.tar"] == archive
    assert any("bin/environment requirements-cluster.txt" in command for command in RAY_UP["setup_commands"])


# KubeRay


def test_the_cluster_is_one_of_kuberay():
    assert faults(CLUSTER) == []


@pytest.mark.parametrize("name", PODS)
def test_pods_have_fields_of_pods(name):
    assert faults(PODS[name], {**SCHEMA["$defs"]["podTemplate"], "$defs": SCHEMA["$defs"]}) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.enableInTreeAutoscalling", True),
        ("spec.authOptions.mode", "tokens"),
        ("spec.headGroupSpec.rayStartParams.num-cpus", 0),
        ("spec.headGroupSpec.template.spec.securityContext.runAsNonroot", True),
        ("spec.workerGroupSpecs.0.minReplica", 1),
        ("spec.workerGroupSpecs.0.maxReplicas", "4"),
        ("spec.workerGroupSpecs.0.template.spec.containers.0.resources.limits.memory", "4 GB"),
        ("spec.workerGroupSpecs.0.template.spec.containers.0.volumeMounts.0.path", "/tmp"),
        ("metadata.name", "Attention_Atlas"),
    ],
)
def test_a_misspelt_key_or_value_is_refused(path, value):
    manifest = json.loads(json.dumps(CLUSTER))  # a copy in which nothing is shared
    *parents, key = path.split(".")
    place = manifest
    for parent in parents:
        place = place[int(parent) if parent.isdecimal() else parent]
    place[key] = value
    (fault,) = faults(manifest)
    assert re.search(rf"\b{key}\b", fault)


def test_ray_is_the_one_that_is_installed():
    (pin,) = re.findall(r"^ray\[serve\]==(.+)$", (ROOT / "requirements-cluster.txt").read_text(), re.MULTILINE)
    assert CLUSTER["spec"]["rayVersion"] == pin


def test_fronts_have_the_token_and_the_address_of_the_cluster():
    # KubeRay gives the Secret and the service names after the cluster.
    assert CLUSTER["spec"]["authOptions"] == {"mode": "token"}
    variables = {variable["name"]: variable for variable in container(PODS["fronts"])["env"]}
    assert variables["RAY_AUTH_MODE"]["value"] == "token"
    assert variables["RAY_AUTH_TOKEN"]["valueFrom"] == {"secretKeyRef": {"name": NAME, "key": "auth_token"}}
    assert variables["RAY_ADDRESS"]["value"] == f"{NAME}-head-svc:6379"


def test_workers_have_the_processors_and_the_memory_that_fronts_ask_for():
    options = options_of_fronts()
    assert WORKERS["minReplicas"] <= WORKERS["replicas"] <= WORKERS["maxReplicas"]
    limits = container(PODS["workers"])["resources"]["limits"]
    workers_of_a_pod = amount(limits["cpu"]) // options.cores
    assert options.workers <= WORKERS["minReplicas"] * workers_of_a_pod
    assert options.most == WORKERS["maxReplicas"] * workers_of_a_pod
    assert amount(limits["memory"]) > workers_of_a_pod * WORKER_MEMORY
    assert amount(container(PODS["fronts"])["resources"]["limits"]["memory"]) > (options.fronts + 1) * FRONT_MEMORY


def test_one_pod_starts_the_workers():
    assert FRONTS["spec"]["replicas"] == 1
    assert FRONTS["spec"]["strategy"] == {"type": "Recreate"}


def test_visitors_come_to_the_port_of_the_fronts():
    options, fronts = options_of_fronts(), container(PODS["fronts"])
    assert options.address == "0.0.0.0"
    assert {port["name"]: port["containerPort"] for port in fronts["ports"]} == {"pages": options.port}
    assert fronts["readinessProbe"]["httpGet"] == {"path": "/_stcore/health", "port": "pages"}
    assert [port["targetPort"] for port in SERVICE["spec"]["ports"]] == ["pages"]
    assert [port["port"] for rule in OF_PAGES["spec"]["ingress"] for port in rule["ports"]] == ["pages"]
    for selector in (
        FRONTS["spec"]["selector"]["matchLabels"],
        SERVICE["spec"]["selector"],
        OF_PAGES["spec"]["podSelector"]["matchLabels"],
    ):
        assert [name for name, pod in PODS.items() if is_selected(selector, pod)] == ["fronts"]


def test_pods_of_the_cluster_alone_reach_ray():
    rules = OF_RAY["spec"]
    assert rules["policyTypes"] == OF_PAGES["spec"]["policyTypes"] == ["Ingress"]
    assert all(is_selected(rules["podSelector"]["matchLabels"], pod) for pod in PODS.values())
    assert rules["ingress"] == [{"from": [{"podSelector": rules["podSelector"]}]}]
    assert all(rule["from"] for rule in OF_PAGES["spec"]["ingress"])


@pytest.mark.parametrize("name", PODS)
def test_pods_are_nobody_and_have_limits(name):
    spec, own = PODS[name]["spec"], container(PODS[name])
    (user,) = re.findall(r"useradd --uid (\d+)", (ROOT / "Dockerfile").read_text())
    assert spec["securityContext"]["runAsNonRoot"]
    assert spec["securityContext"]["runAsUser"] == int(user)
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert own["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"/tmp", "/models"} <= {mount["mountPath"] for mount in own["volumeMounts"]}
    assert {mount["name"] for mount in own["volumeMounts"]} == {volume["name"] for volume in spec["volumes"]}
    resources = [own["resources"], CLUSTER["spec"]["autoscalerOptions"]["resources"]]
    for of_container in resources:
        for kind in ("cpu", "memory"):
            assert 0 < amount(of_container["requests"][kind]) <= amount(of_container["limits"][kind])


def test_all_pods_have_one_image_which_the_dockerfile_makes():
    (image,) = {container(pod)["image"] for pod in PODS.values()}
    assert f"--tag {image} " in DOCUMENTED
    assert "--build-arg EXTRAS=cluster" in DOCUMENTED
    assert "requirements-$EXTRAS.txt" in (ROOT / "Dockerfile").read_text()


# docs/cluster.md


def test_commands_of_the_documentation_are_accepted():
    calls = arguments_after("dashboard.hosting.with_workers", DOCUMENTED)
    assert calls
    assert all(with_workers.read(arguments).address == "0.0.0.0" for arguments in calls)
    assert "docs/cluster/ray-up.yaml" in DOCUMENTED
    assert "docs/cluster/kuberay.yaml" in DOCUMENTED
