import json
import unittest

from rollcall_executor.throttling import answer_of_url, patiently


class Throttled(Exception):
    pass


def sender(refusals: int, error: Exception | None = None):
    """Answers after some refusals, or fails."""
    left = [Throttled()] * refusals + ([error] if error else [])

    def send() -> dict:
        if left:
            raise left.pop(0)
        return {}

    return send


def waits_of(send) -> list[float]:
    waits: list[float] = []
    patiently(send, lambda error: isinstance(error, Throttled), waits.append)
    return waits


class EventSources(unittest.TestCase):
    def test_wait_twice_as_long_each_time_and_at_most_a_minute(self) -> None:
        self.assertEqual(waits_of(sender(0)), [])
        self.assertEqual(waits_of(sender(9)), [1, 2, 4, 8, 16, 32, 60, 60, 60])

    def test_pass_on_other_failures_at_once(self) -> None:
        with self.assertRaises(KeyError):
            waits_of(sender(0, KeyError()))
        with self.assertRaises(KeyError):
            waits_of(sender(2, KeyError()))


class Urls(unittest.TestCase):
    def test_answer_429(self) -> None:
        answer = json.loads(answer_of_url(b'{"requestContext": {}}'))
        self.assertEqual(answer["statusCode"], 429)
        self.assertEqual(json.loads(answer["body"])["message"], "Rate Exceeded.")

    def test_are_told_from_events(self) -> None:
        for payload in ('{"Records": []}', "[]", "", '{"schedule": "sweep"}'):
            self.assertIsNone(answer_of_url(payload))
