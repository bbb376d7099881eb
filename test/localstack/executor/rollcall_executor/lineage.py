"""Lambda's guard against loops, which LocalStack lacks: how often a function takes part in one chain of messages.

The count travels as Lambda's does, in the trace header: `Lineage=<hash of the function>:<count>|…`. The SDK sends the header of its
invocation with each request, and SQS keeps it with the message. AWS does not say how it counts a batch of several messages: here the
highest count of each function over all messages holds, which is the stricter reading.
Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
"""

import json
import zlib

# About as many, says AWS.
MOST_INVOCATIONS = 16


def key_of(function_name: str) -> str:
    return f"{zlib.crc32(function_name.encode()):08x}"


def counts_in(header: str) -> dict[str, int]:
    """The counts in a trace header, by the hash of the function."""
    fields = dict(part.split("=", 1) for part in header.split(";") if "=" in part)
    pairs = (entry.split(":", 1) for entry in fields.get("Lineage", "").split("|") if ":" in entry)
    return {key: int(count) for key, count in pairs if count.isdecimal()}


def headers_in(payload: str) -> list[str]:
    """The trace headers of the messages of an event; none if it is no batch of a queue."""
    if '"AWSTraceHeader"' not in payload:
        return []
    event = json.loads(payload)
    records = event.get("Records", []) if isinstance(event, dict) else []
    return [record.get("attributes", {}).get("AWSTraceHeader", "") for record in records]


def lineage_of(payload: str, function_name: str) -> dict[str, int]:
    """The counts of an invocation with this event, itself included."""
    counts: dict[str, int] = {}
    for header in headers_in(payload):
        for key, count in counts_in(header).items():
            counts[key] = max(count, counts.get(key, 0))
    own = key_of(function_name)
    return counts | {own: counts.get(own, 0) + 1}


def with_lineage(trace_id: str, counts: dict[str, int]) -> str:
    """The trace header of an invocation, from which those of its messages are made."""
    others = [part for part in trace_id.split(";") if part and not part.startswith("Lineage=")]
    return ";".join([*others, "Lineage=" + "|".join(f"{key}:{count}" for key, count in counts.items())])
