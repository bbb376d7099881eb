import json
import unittest
from unittest.mock import patch

from rollcall_executor import deliveries


def stream(*keys: str) -> dict:
    records = [
        {"eventSource": "aws:dynamodb", "eventID": str(at), "dynamodb": {"Keys": {"pk": {"S": key}}}}
        for at, key in enumerate(keys)
    ]
    return {"Records": records}


def handled(event: object, share: float, answer: dict | None = None) -> list:
    """The events that a function gets, of one that is sent to it."""
    got: list = []

    def handle(payload: str) -> dict:
        got.append(json.loads(payload))
        return answer or {"ok": True, "payload": "null", "logs": ""}

    with patch.object(deliveries, "REPEATED", share):
        deliveries.delivered(json.dumps(event), handle)
    return got


class Deliveries(unittest.TestCase):
    def test_are_one_in_an_ordinary_run(self) -> None:
        event = stream("a", "b", "c", "d", "e")
        self.assertEqual(handled(event, 0), [event])

    def test_come_again_after_a_success_only(self) -> None:
        event = {"Records": [{"eventSource": "aws:sqs", "body": "m"}]}
        self.assertEqual(handled(event, 1), [event, event])
        self.assertEqual(handled(event, 1, {"ok": False, "payload": "{}", "logs": ""}), [event])

    def test_of_requests_to_a_url_are_one(self) -> None:
        event = {"requestContext": {}}
        self.assertEqual(handled(event, 1), [event])

    def test_keep_the_order_of_a_key_and_lose_no_record(self) -> None:
        event = stream(*"abcdefgh", *"abcdefgh")
        *parts, again = handled(event, 1)
        self.assertEqual(again, event)
        self.assertGreater(len(parts), 1)
        records = [record for part in parts for record in part["Records"]]
        for key in "abcdefgh":
            of_key = [record["eventID"] for record in records if record["dynamodb"]["Keys"]["pk"]["S"] == key]
            self.assertEqual(of_key, sorted(of_key, key=int))
            self.assertEqual(len(of_key), 2)
