"""The processes of one LocalStack instance: wait until it is ready, or kill all of them.

processes.py (await-ready | stop) RUN_FOLDER, with the port in $LS_PORT.
"""

import contextlib
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import psutil

RUN = sys.argv[2]
PORT = int(os.environ["LS_PORT"])
START_TIMEOUT_SECONDS = 90


def localstack_pid() -> int:
    return int(Path(RUN, "localstack.pid").read_text())


def is_healthy() -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/_localstack/health", timeout=2) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def listens_on_loopback(process: psutil.Process) -> bool:
    """Whether this process answers on the port, not another one that took it meanwhile, and on loopback alone."""
    connections = process.net_connections("tcp")
    listening = [c.laddr for c in connections if c.status == psutil.CONN_LISTEN]
    elsewhere = [address for address in listening if not ip_address(address.ip).is_loopback]
    if elsewhere:
        print(f"LocalStack listens on more than loopback: {elsewhere}", file=sys.stderr)
    return not elsewhere and any(address.port == PORT for address in listening)


def await_ready() -> bool:
    process = psutil.Process(localstack_pid())
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < deadline and process.is_running():
        if is_healthy():
            return listens_on_loopback(process)
        time.sleep(0.1)
    return False


def belongs_to_instance(process: psutil.Process) -> bool:
    try:
        return process.environ().get("ROLLCALL_INSTANCE") == RUN
    except (psutil.Error, OSError):
        return False


def instance_processes() -> Iterator[psutil.Process]:
    return filter(belongs_to_instance, psutil.process_iter())


def stop() -> bool:
    """Everything is in memory, so nothing is lost by SIGKILL. Looks again, as LocalStack may have been spawning."""
    while processes := list(instance_processes()):
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        time.sleep(0.05)
    return True


if __name__ == "__main__":
    command = {"await-ready": await_ready, "stop": stop}[sys.argv[1]]
    sys.exit(0 if command() else 1)
