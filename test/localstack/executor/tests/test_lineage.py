import json
import unittest

from rollcall_executor.lineage import counts_in, key_of, lineage_of, with_lineage


def queued(*headers: str) -> str:
    return json.dumps({"Records": [{"attributes": {"AWSTraceHeader": header}} for header in headers]})


class Lineage(unittest.TestCase):
    def test_begins_with_one(self) -> None:
        self.assertEqual(lineage_of("{}", "f"), {key_of("f"): 1})

    def test_counts_on_from_the_highest_count_of_each_function(self) -> None:
        own, other = key_of("f"), key_of("g")
        payload = queued(f"Root=1;Lineage={own}:3|{other}:1", f"Lineage={own}:2|{other}:7", "Root=2")
        self.assertEqual(lineage_of(payload, "f"), {own: 4, other: 7})

    def test_travels_in_the_trace_header(self) -> None:
        header = with_lineage("Root=1;Lineage=00000000:9;Sampled=0", {"0a": 2, "0b": 1})
        self.assertEqual(header, "Root=1;Sampled=0;Lineage=0a:2|0b:1")
        self.assertEqual(counts_in(header), {"0a": 2, "0b": 1})
