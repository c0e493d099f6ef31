# SPDX-License-Identifier: MIT
"""A Slurm of one node on the loopback interface."""

import getpass
import os
import socket
import subprocess
import time
from pathlib import Path

CONFIGURATION = """
ClusterName=actorlab-test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
KillWait=1
MaxArraySize=10
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus}
PartitionName=all Nodes={host} Default=YES
"""


class Cluster:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.daemons = []
        os.chmod(folder, 0o755)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        free = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0], user=getpass.getuser(), folder=folder,
            ports=[port.getsockname()[1] for port in free], cpus=os.cpu_count()))
        for port in free:
            port.close()
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration),
                            "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}

    def start(self):
        at = lambda name: f"{self.folder}/munge.{name}"
        self.daemon("munged", "--foreground", "--force", f"--key-file={at('key')}", f"--socket={at('socket')}",
                    f"--pid-file={at('pid')}", f"--log-file={at('log')}", f"--seed-file={at('seed')}")
        self.wait(lambda: (self.folder / "munge.socket").exists())
        self.daemon("slurmctld", "-D", "-i")
        self.daemon("slurmd", "-D")
        self.wait(lambda: "idle" in subprocess.run(
            ["sinfo", "--noheader", "--format=%T"], env=self.environment, capture_output=True, text=True).stdout)

    def daemon(self, *command):
        with open(self.folder / f"{command[0]}.log", "w") as log:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))

    def wait(self, condition):
        while not condition():
            dead = [daemon.args for daemon in self.daemons if daemon.poll() is not None]
            if dead:
                logs = [f"{log}:\n{log.read_text()[-2000:]}" for log in self.folder.glob("*.log")]
                raise AssertionError("\n".join([f"no cluster: {dead}", *logs]))
            time.sleep(0.1)

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
