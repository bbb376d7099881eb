"""Runs a Node Lambda execution environment as a child process: one process is one environment, as on AWS.

LocalStack's own executor starts a container and speaks HTTP with a Go binary in it. The abstract RuntimeExecutor asks
for start, stop and invoke only, so this one exchanges JSON lines with runtime.ts over a socket pair.

$ROLLCALL_LAMBDA_NODE is the Node binary, $ROLLCALL_LAMBDA_RUNTIME the path of runtime.ts.
"""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from localstack import config
from localstack.services.dynamodb.server import DynamodbServer
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.aws.api.lambda_ import RecursiveLoop
from localstack.services.lambda_.invocation.models import lambda_stores
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from rollcall_executor.deliveries import delivered
from rollcall_executor.lineage import MOST_INVOCATIONS, key_of, lineage_of, with_lineage

NODE = os.environ["ROLLCALL_LAMBDA_NODE"]
RUNTIME = os.environ["ROLLCALL_LAMBDA_RUNTIME"]
# Functions ask the guard, which passes on what their roles allow.
LOCALSTACK, GUARD = (f"localhost:{os.environ[name]}" for name in ("LS_PORT", "LS_GUARD_PORT"))
# Node counts the old space only; the rest of the function's memory is its own.
HEAP_SHARE = 0.9
SMALLEST_HEAP_MB = 64


def error_payload(error_type: str, message: str) -> dict[str, str]:
    return {"errorType": error_type, "errorMessage": message}


class NodeExecutor(RuntimeExecutor):
    def __init__(self, id: str, function_version: FunctionVersion) -> None:
        super().__init__(id=id, function_version=function_version)
        self.process: subprocess.Popen | None = None
        self.socket: socket.socket | None = None
        self.reader = None
        self.environment: dict[str, str] = {}
        self.is_stopped = False
        self.log_file = Path(tempfile.gettempdir(), f"lambda-{id}.log")

    # --- life cycle ---

    def start(self, env_vars: dict[str, str]) -> None:
        self.environment = self._environment(env_vars)
        self._spawn()

    def _environment(self, env_vars: dict[str, str]) -> dict[str, str]:
        """Nothing of LocalStack's own environment but what a process needs, and the mark that stop.sh looks for."""
        return (
            {"PATH": os.environ["PATH"], "HOME": tempfile.gettempdir(), "LANG": "en_US.UTF-8"}
            | {"NODE_COMPILE_CACHE": str(Path(tempfile.gettempdir(), "compile-cache"))}
            | {name: str(value).replace(LOCALSTACK, GUARD) for name, value in env_vars.items()}
            # LocalStack only passes these requests on, and it is the one process that all others wait for.
            | {"AWS_ENDPOINT_URL_DYNAMODB": f"http://{GUARD}/_dynamodb/{DynamodbServer.get().port}"}
            # The guard knows by it who asks.
            | {"AWS_ACCESS_KEY_ID": f"fn-{self.function_version.id.function_name}"}
            | {"LAMBDA_TASK_ROOT": self._task_root(), "LAMBDA_RUNTIME_DIR": os.path.dirname(RUNTIME)}
            | {"ROLLCALL_INSTANCE": os.environ["ROLLCALL_INSTANCE"]}
        )

    def _task_root(self) -> str:
        return str(self.function_version.config.code.get_unzipped_code_location())

    def _spawn(self) -> None:
        ours, theirs = socket.socketpair()
        with self.log_file.open("ab") as log, theirs:
            self.process = self._launch(theirs.fileno(), log)
        self.socket, self.reader = ours, ours.makefile("r", encoding="utf-8", newline="\n")
        self._await_init()

    def _launch(self, descriptor: int, log) -> subprocess.Popen:
        heap = max(SMALLEST_HEAP_MB, int(self.function_version.config.memory_size * HEAP_SHARE))
        return subprocess.Popen(
            [NODE, f"--max-old-space-size={heap}", RUNTIME, str(descriptor)],
            cwd=self._task_root(),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(descriptor,),
            start_new_session=True,
        )

    def _await_init(self) -> None:
        # Without a timeout of its own: LocalStack's calls stop(), which ends this read.
        message = self._receive()
        if message is not None and message["type"] == "ready":
            return
        self._kill()
        exited = json.dumps(error_payload("Runtime.ExitError", "Runtime exited during init"))
        raise StatusErrorException("init failed", (message["payload"] if message else exited).encode())

    def _kill(self) -> None:
        process, self.process = self.process, None
        if process:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        self._close_socket()

    def _close_socket(self) -> None:
        if not self.socket:
            return
        try:
            self.socket.shutdown(socket.SHUT_RDWR)  # ends a read in another thread, which close() would not
        except OSError:
            pass
        self.socket.close()

    def stop(self) -> None:
        self.is_stopped = True
        self._kill()
        self.log_file.unlink(missing_ok=True)

    # --- invocation ---

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        name, request_id = self.function_version.id.function_name, payload["invoke-id"]
        lineage = lineage_of(payload["payload"], name)
        hops = lineage[key_of(name)]
        if hops > MOST_INVOCATIONS and not self._may_loop():
            return self._result(request_id, self._failed("Lambda.RecursiveLoop", self._loop_text(hops)), 0, hops)
        if self.process is None or self.process.poll() is not None:
            # Timed out or crashed before: the same environment gets a new process.
            self._kill()
            self._spawn()
        began = time.time()
        traced = {**payload, "trace-id": with_lineage(payload.get("trace-id", ""), lineage)}
        # The time-out is that of one delivery.
        answer = self._limited(
            delivered(traced["payload"], lambda event: self._exchange({**traced, "payload": event}, time.time()))
        )
        return self._result(request_id, answer, (time.time() - began) * 1000, hops)

    def _may_loop(self) -> bool:
        identity = self.function_version.id
        function = lambda_stores[identity.account][identity.region].functions.get(identity.function_name)
        return function is not None and function.recursive_loop == RecursiveLoop.Allow

    @staticmethod
    def _loop_text(hops: int) -> str:
        return f"invocation {hops} in one chain of messages: the function has no RecursiveLoop: Allow"

    def _exchange(self, payload: dict[str, str], began: float) -> dict:
        request_id, timeout = payload["invoke-id"], self.function_version.config.timeout
        self.socket.settimeout(timeout)
        message = {**payload, "deadline": int((began + timeout) * 1000)}
        try:
            self.socket.sendall(json.dumps(message).encode() + b"\n")
            return self._receive() or self._exited(request_id)
        except TimeoutError:
            self._kill()
            return self._timed_out(request_id, timeout)
        except OSError:
            return self._exited(request_id)

    def _receive(self) -> dict | None:
        """The next message, or None when the other end is gone."""
        try:
            line = self.reader.readline()
        except TimeoutError:
            raise
        except (OSError, ValueError):
            return None
        return json.loads(line) if line.endswith("\n") else None

    def _exited(self, request_id: str) -> dict:
        if self.is_stopped:
            raise RuntimeError("environment stopped during the invocation")
        status = self.process.wait() if self.process else None
        return self._failed(
            "Runtime.ExitError", f"RequestId: {request_id} Error: Runtime exited with error: exit status {status}"
        )

    def _timed_out(self, request_id: str, timeout: float) -> dict:
        stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return self._failed("Sandbox.Timedout", f"{stamp} {request_id} Task timed out after {timeout:.2f} seconds")

    def _limited(self, answer: dict) -> dict:
        limit = config.LAMBDA_LIMITS_MAX_FUNCTION_PAYLOAD_SIZE_BYTES
        if len(answer["payload"].encode()) <= limit:
            return answer
        return self._failed(
            "Function.ResponseSizeTooLarge",
            f"Response payload size exceeded maximum allowed payload size ({limit} bytes).",
            answer["logs"],
        )

    @staticmethod
    def _failed(error_type: str, message: str, logs: str = "") -> dict:
        return {"ok": False, "payload": json.dumps(error_payload(error_type, message)), "logs": f"{logs}{message}\n"}

    def _result(self, request_id: str, answer: dict, ms: float, hops: int) -> InvocationResult:
        version = self.function_version
        logs = (
            f"START RequestId: {request_id} Version: {version.id.qualifier}\n{answer['logs']}"
            f"END RequestId: {request_id}\nREPORT RequestId: {request_id}\tDuration: {ms:.2f} ms\t"
            f"Billed Duration: {int(ms) + 1} ms\tMemory Size: {version.config.memory_size} MB\tLineage: {hops}\n"
        )
        return InvocationResult(request_id, answer["payload"].encode(), is_error=not answer["ok"], logs=logs)

    # --- the rest of LocalStack's interface ---

    def get_address(self) -> str:
        return "127.0.0.1"

    def get_endpoint_from_executor(self) -> str:
        return config.HOSTNAME_FROM_LAMBDA or "127.0.0.1"

    def get_runtime_endpoint(self) -> str:
        return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

    def get_logs(self) -> str:
        try:
            return self.log_file.read_text(errors="replace")
        except OSError:
            return ""

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        runtime = function_version.config.runtime or "an image"
        if not runtime.startswith("nodejs"):
            raise ValueError(f"this executor runs Zip functions of nodejs* only, not {runtime}")
        function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        pass
