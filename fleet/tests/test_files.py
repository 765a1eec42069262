"""The files for Slurm and Kubernetes, checked by these themselves where that is possible."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from fleet import LIMIT, until
from ports import free_port

FLEET = Path(__file__).resolve().parents[1]
BATCH = FLEET / "slurm.sbatch"


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Variables with which Slurm's commands know a controller of n1 to n3, four-core nodes that are switched off."""
    if os.geteuid() != 0:
        pytest.skip("munged and slurmctld of the test's own need root")
    for program in ("/usr/sbin/munged", "/usr/sbin/slurmctld", "sbatch"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program}: install munge, slurmctld and slurm-client")
    folder = tmp_path / "slurm"
    (folder / "state").mkdir(parents=True, mode=0o700)
    folder.chmod(0o711)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(64))
    key.chmod(0o400)
    files = [
        f"--{name}={folder}/munge.{ending}"
        for name, ending in (
            ("key-file", "key"),
            ("socket", "sock"),
            ("pid-file", "pid"),
            ("log-file", "log"),
            ("seed-file", "seed"),
        )
    ]
    conf = folder / "slurm.conf"
    conf.write_text(f"""ClusterName=test
SlurmctldHost={os.uname().nodename}(127.0.0.1)
SlurmUser=root
SlurmctldPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=60
NodeName=n[1-3] CPUs=4 RealMemory=4000 State=CLOUD
PartitionName=all Nodes=ALL Default=YES State=UP
""")
    environment = {**os.environ, "SLURM_CONF": str(conf)}
    with contextlib.ExitStack() as stack:
        stack.enter_context(_running(["/usr/sbin/munged", "--foreground", "--force", *files]))
        until("munged", (folder / "munge.sock").exists)
        stack.enter_context(_running(["/usr/sbin/slurmctld", "-D", "-f", str(conf)]))
        ping = ["scontrol", "ping"]
        until(
            "slurmctld",
            lambda: (
                " is UP" in subprocess.run(ping, env=environment, capture_output=True, text=True, check=False).stdout
            ),
        )
        yield environment


@contextlib.contextmanager
def _running(command: list[str]) -> Iterator[None]:
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.terminate()
            process.wait(LIMIT)


def test_slurm_would_run_the_batch_file_on_whole_nodes(slurm: dict[str, str]):
    def tested(*options: str) -> str:
        command = ["sbatch", "--test-only", *options, BATCH, "tls://login:8786", "/shared/tls"]
        return subprocess.run(command, env=slurm, capture_output=True, text=True, check=False).stderr

    assert "using 12 processors on nodes n[1-3] in partition all" in tested()
    assert "using 8 processors on nodes n[1-2] in partition all" in tested("--nodes=2")
    assert "Requested node configuration is not available" in tested("--nodes=4")


def test_batch_file_without_an_address_says_how_it_is_used():
    said = subprocess.run(["bash", BATCH], capture_output=True, text=True, check=False)
    assert said.returncode == 2 and said.stderr.startswith(
        "usage: sbatch --nodes=NUMBER fleet/slurm.sbatch tls://HOST:8786"
    )


def test_batch_file_starts_one_worker_a_node(tmp_path: Path):
    srun = tmp_path / "srun"
    srun.write_text('#!/bin/sh\necho "$@"\n')
    srun.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    said = subprocess.run(
        ["bash", BATCH, "tls://login:8786", "/t"], env={"PATH": path}, capture_output=True, text=True, check=False
    )
    assert said.stdout.split() == [
        "--ntasks-per-node=1", "--cpu-bind=none", "--kill-on-bad-exit=0", "ciphermeter-fleet", "worker", "tls://login:8786",
        "--tls-ca-file", "/t/ca.pem", "--tls-cert", "/t/cert.pem", "--tls-key", "/t/key.pem",
    ]  # fmt: skip


def documents() -> dict[str, dict[str, Any]]:
    loaded = yaml.safe_load_all((FLEET / "kubernetes.yaml").read_text())
    return {document["kind"]: document for document in loaded}


@pytest.mark.parametrize("kind", ["Service", "Pod", "Job"])
def test_kubernetes_knows_every_field(kind: str):
    kubernetes_validate.validate(documents()[kind], kubernetes_validate.latest_version(), strict=True)


def test_kubectl_reads_the_file(tmp_path: Path):
    if shutil.which("kubectl") is None:
        pytest.skip("there is no kubectl; it is in Kubernetes's own package repository")
    (tmp_path / "kubernetes.yaml").write_bytes((FLEET / "kubernetes.yaml").read_bytes())
    (tmp_path / "kustomization.yaml").write_text("resources: [kubernetes.yaml]\n")
    said = subprocess.run(["kubectl", "kustomize", tmp_path], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said
    assert list(yaml.safe_load_all(said.stdout)) and said.stdout.count("kind: Job") == 1


def test_workers_have_nodes_and_cpus_of_their_own():
    job = documents()["Job"]["spec"]
    pod = job["template"]["spec"]
    resources = pod["containers"][0]["resources"]
    assert resources["requests"] == resources["limits"] and resources["limits"]["cpu"].isdecimal()
    [apart] = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    own = job["template"]["metadata"]["labels"]["app"]
    assert apart["topologyKey"] == "kubernetes.io/hostname"
    assert own in apart["labelSelector"]["matchExpressions"][0]["values"]
    assert (job["backoffLimit"], pod["restartPolicy"]) == (0, "Never")
    assert job["completions"] == job["parallelism"]
