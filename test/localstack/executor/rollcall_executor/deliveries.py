"""What AWS promises about events, and LocalStack never makes use of: an event may be delivered again after it was handled, and changes of a
stream are in order by key only, because keys are in different shards.

$ROLLCALL_REPEATED is the share of events that are delivered twice, 0 by default; above 0 batches of a stream come in the order of shards, too.
$ROLLCALL_SEED makes a run's choices those of another one, as far as events come in the same order.
"""

import json
import os
import random
import zlib
from collections.abc import Callable

REPEATED = float(os.environ.get("ROLLCALL_REPEATED", "0"))
CHANCE = random.Random(int(os.environ.get("ROLLCALL_SEED", "0")))
SHARDS = 4

Handle = Callable[[str], dict]


def shard_of(record: dict) -> int:
    keys = record.get("dynamodb", {}).get("Keys", {})
    return zlib.crc32(json.dumps(keys, sort_keys=True).encode()) % SHARDS


def in_shards(event: dict) -> list[dict]:
    """A batch of a stream as batches of its shards, in any order; other events as they are."""
    records = event.get("Records", [])
    if not records or records[0].get("eventSource") != "aws:dynamodb":
        return [event]
    parts: dict[int, list[dict]] = {}
    for record in records:
        parts.setdefault(shard_of(record), []).append(record)
    batches = [{**event, "Records": part} for part in parts.values()]
    CHANCE.shuffle(batches)
    return batches


def joined(answers: list[dict]) -> dict:
    """The answer for a batch: the first failure, or all failures of single records."""
    failed = next((answer for answer in answers if not answer["ok"]), None)
    if failed is not None or len(answers) == 1:
        return failed or answers[0]
    failures = [one for answer in answers for one in (json.loads(answer["payload"]) or {}).get("batchItemFailures", [])]
    logs = "".join(answer["logs"] for answer in answers)
    return {"ok": True, "payload": json.dumps({"batchItemFailures": failures}), "logs": logs}


def delivered(payload: str, handle: Handle) -> dict:
    """The answer to an event that is handled as AWS may deliver it. Requests to a URL are no events: each is made once."""
    event = json.loads(payload) if REPEATED > 0 else None
    if not isinstance(event, dict) or "requestContext" in event:
        return handle(payload)
    answer = joined([handle(json.dumps(part)) for part in in_shards(event)])
    if answer["ok"] and CHANCE.random() < REPEATED:
        handle(payload)
    return answer
