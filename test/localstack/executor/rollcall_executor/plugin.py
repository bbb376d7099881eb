from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin


class NodeExecutorPlugin(RuntimeExecutorPlugin):
    name = "rollcall-node"

    def load(self, *args, **kwargs):
        # Imported late: LocalStack loads every plug-in's module when it starts.
        from rollcall_executor.emulator import adapt
        from rollcall_executor.executor import NodeExecutor

        adapt()
        return NodeExecutor
