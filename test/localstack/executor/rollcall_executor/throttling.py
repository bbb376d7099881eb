"""What follows when a function is invoked more often at once than its reserved concurrency allows. LocalStack counts, and refuses.

A URL answers 429. An event source waits and sends the same batch again: a message is received, and so counted as delivered, once.
Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
"""

import json
from collections.abc import Callable

FIRST_WAIT_SECONDS = 1
LONGEST_WAIT_SECONDS = 60
REFUSED = {"Reason": "ReservedFunctionConcurrentInvocationLimitExceeded", "Type": "User", "message": "Rate Exceeded."}


def answer_of_url(payload: bytes | str) -> bytes | None:
    """The answer to a request to a URL whose function is throttled; none if the payload is another event."""
    event = json.loads(payload or "null")
    if not isinstance(event, dict) or "requestContext" not in event:
        return None
    headers = {"content-type": "application/json", "x-amzn-errortype": "TooManyRequestsException"}
    return json.dumps({"statusCode": 429, "headers": headers, "body": json.dumps(REFUSED)}).encode()


def patiently(send: Callable[[], dict], is_throttled: Callable[[Exception], bool], wait: Callable[[float], None]) -> dict:
    """Sends until the function has room: after a second, and then after twice the wait before."""
    seconds = FIRST_WAIT_SECONDS
    while True:
        try:
            return send()
        except Exception as error:
            if not is_throttled(error):
                raise
        wait(seconds)
        seconds = min(2 * seconds, LONGEST_WAIT_SECONDS)
