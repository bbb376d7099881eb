"""What is changed in LocalStack itself, so that it answers on two cores that it shares with the functions and the tests."""

from functools import lru_cache

from localstack.services.cloudformation.resource_provider import OperationStatus
from localstack.services.lambda_.event_source_mapping.pollers.poller import EmptyPollResultsException
from localstack.services.lambda_.event_source_mapping.pollers.sqs_poller import SqsPoller
from localstack.services.lambda_.resource_providers.aws_lambda_function import LambdaFunctionProvider
from twisted.web import http

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


def take_over_recursive_loop() -> None:
    """LocalStack keeps this setting of a function, but drops that of a template."""

    def taking_over(change):
        def apply(self, request):
            event, model = change(self, request), request.desired_state
            if event.status == OperationStatus.SUCCESS:
                request.aws_client_factory.lambda_.put_function_recursion_config(
                    FunctionName=model["FunctionName"], RecursiveLoop=model.get("RecursiveLoop", "Terminate")
                )
            return event

        return apply

    LambdaFunctionProvider.create = taking_over(LambdaFunctionProvider.create)
    LambdaFunctionProvider.update = taking_over(LambdaFunctionProvider.update)


def adapt() -> None:
    poll_queues_as_lambda_does()
    remember_content_types()
    take_over_recursive_loop()
