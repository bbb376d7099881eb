"""What is changed in LocalStack itself, so that it answers on two cores that it shares with the functions and the tests."""

import logging
import time
from functools import cache, lru_cache

from botocore.exceptions import ClientError
from localstack.aws.api.cloudformation import ChangeSetType, StackStatus
from localstack.aws.api.lambda_ import TooManyRequestsException
from localstack.services.cloudformation.engine.v2.change_set_model_executor import ChangeSetModelExecutor
from localstack.services.cloudformation.resource_provider import OperationStatus
from localstack.services.lambda_.event_source_mapping.pollers.poller import EmptyPollResultsException
from localstack.services.lambda_.event_source_mapping.pollers.sqs_poller import SqsPoller
from localstack.services.lambda_.event_source_mapping.senders.lambda_sender import LambdaSender
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.lambda_service import LambdaService
from localstack.services.lambda_.resource_providers.aws_lambda_function import LambdaFunctionProvider
from twisted.web import http

from rollcall_executor.throttling import answer_of_url, patiently

LOG = logging.getLogger(__name__)

# Time in which a poller of a queue that is deleted, with its function, goes on waiting.
LONG_POLL_SECONDS = 5
CONTENT_TYPES = 100


def poll_queues_as_lambda_does() -> None:
    """Waits for messages in long polls: LocalStack asks every queue again and again, and a message waits for the next time."""
    create, poll = SqsPoller.__init__, SqsPoller.poll_events

    def create_long(self, *args, **kwargs) -> None:
        create(self, *args, **kwargs)
        # For ReceiveMessage this is its WaitTimeSeconds, which ends with the first message.
        self.maximum_batching_window = self.maximum_batching_window or LONG_POLL_SECONDS

    def poll_again(self) -> None:
        try:
            poll(self)
        except EmptyPollResultsException:
            pass  # It has waited already: LocalStack would let it rest for up to a second and a half.

    SqsPoller.__init__, SqsPoller.poll_events = create_long, poll_again


def remember_content_types() -> None:
    """Every request has one of a few, and Twisted parses it as an e-mail's: a fifth of LocalStack's time."""
    http._parseContentType = lru_cache(maxsize=CONTENT_TYPES)(http._parseContentType)


def take_over_settings() -> None:
    """LocalStack keeps these settings of a function, but drops those of a template."""

    def taking_over(change):
        def apply(self, request):
            event, model = change(self, request), request.desired_state
            if event.status == OperationStatus.SUCCESS:
                # An update is told what the template says, and LocalStack gives functions without a name one.
                named = {**(request.previous_state or {}), **model}
                settle(request.aws_client_factory.lambda_, {"FunctionName": named["FunctionName"]}, model)
            return event

        return apply

    def settle(client, name, model) -> None:
        client.put_function_recursion_config(**name, RecursiveLoop=model.get("RecursiveLoop", "Terminate"))
        reserved = model.get("ReservedConcurrentExecutions")
        if reserved is None:
            client.delete_function_concurrency(**name)
        else:
            client.put_function_concurrency(**name, ReservedConcurrentExecutions=int(reserved))

    LambdaFunctionProvider.create = taking_over(LambdaFunctionProvider.create)
    LambdaFunctionProvider.update = taking_over(LambdaFunctionProvider.update)


def answer_throttled_urls() -> None:
    """LocalStack's URLs answer 500."""
    invoke = LambdaService.invoke

    def invoke_or_answer(self, *args, **kwargs):
        try:
            return invoke(self, *args, **kwargs)
        except TooManyRequestsException:
            answer = answer_of_url(kwargs["payload"])
            if answer is None:
                raise
            return InvocationResult(kwargs["request_id"], answer, is_error=False, logs="")

    LambdaService.invoke = invoke_or_answer


def wait_for_throttled_functions() -> None:
    """LocalStack's event sources fail: a message would be hidden, and then delivered again."""
    send = LambdaSender.send_events

    def is_throttled(error: Exception) -> bool:
        return isinstance(error, ClientError) and error.response["Error"]["Code"] == "TooManyRequestsException"

    LambdaSender.send_events = lambda self, events: patiently(lambda: send(self, events), is_throttled, time.sleep)


def tell_of_failed_updates() -> None:
    """LocalStack calls an update without a change set complete, whatever has failed in it."""
    execute = ChangeSetModelExecutor.execute

    def execute_or_raise(self):
        change = self._change_set
        # What an update without a change set looks like here.
        is_update = change.stack.status == StackStatus.UPDATE_IN_PROGRESS and change.change_set_type == ChangeSetType.CREATE
        result = execute(self)
        if is_update and result.failure_message:
            LOG.error("update of %s failed: %s", change.stack.stack_name, result.failure_message)
            raise RuntimeError(result.failure_message)
        return result

    ChangeSetModelExecutor.execute = execute_or_raise


@cache
def adapt() -> None:
    """Once: LocalStack loads the plug-in for each version of a function, and each time would wrap what is wrapped."""
    poll_queues_as_lambda_does()
    remember_content_types()
    take_over_settings()
    answer_throttled_urls()
    wait_for_throttled_functions()
    tell_of_failed_updates()
