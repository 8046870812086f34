# SPDX-License-Identifier: Apache-2.0
"""Telegraf's output `opentsdb`, over HTTP and over telnet: its connections and requests byte by byte as Telegraf 1.37 makes
them (Debian has no Telegraf), and what has to come of them."""

import decimal
import gzip
import json
import re
import socket
import unittest

from support import client
from support.case import ServerCase

T = 1_700_000_040  # it sends whole seconds
BIGGEST = (1 << 64) - 1

# What an agent has gathered: (measurement, tags, fields). Fields go out in any order, for they lie in a map of Go.
METRICS = [
    ("cpu", {"host": "web 1", "cpu": "cpu-total", "path": "/x:y", "load": "50%", "empty": ""}, {"usage": 12.5, "n": -3, "up": True, "s": "text"}),
    ("mem used", {"host": "web 1"}, {"third": 1 / 3, "large": 1e21, "small": 1.5e-7, "bytes": (1 << 63) - 1}),
    ("größe", {"host": "ä"}, {"v": 7}),
]
TAGS = {"host": "web_1", "cpu": "cpu-total", "path": "/x_y", "load": "50-"}


def sanitize(text):
    """Some characters become a hyphen, and all but letters, digits and -_./ an underscore."""
    text = re.sub(r"[@*%#$]", "-", text)
    return "".join(c if re.match(r"[a-zA-Z0-9-_./]", c) or c.isalpha() else "_" for c in text)


def points(prefix):
    """(metric, tags, value): numbers only; tags without a value are left out."""
    for measurement, tags, fields in METRICS:
        cleaned = {sanitize(k): sanitize(v) for k, v in tags.items() if v}
        for field, value in fields.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield sanitize(f"{prefix}{measurement}_{field}"), cleaned, value


def go_number(value):
    """As Go's encoding/json writes it."""
    if isinstance(value, int) or value == 0 or 1e-6 <= abs(value) < 1e21:
        return f"{decimal.Decimal(repr(value)):f}".removesuffix(".0")
    mantissa, exponent = repr(value).split("e")
    return f"{mantissa}e{exponent[0]}{exponent[1:].lstrip('0')}"


class Telegraf(ServerCase):
    config = {"raw.retention": "20000d"}

    def connect_once(self, port):
        """At its start it opens a connection and closes it at once, whatever comes after."""
        with socket.create_connection(("127.0.0.1", port), timeout=10):
            pass

    def http(self, prefix, batch):
        """Its requests: bodies of `batch` points, each on a line of its own, always gzip; the answers' statuses."""
        self.connect_once(self.server.port)
        rows = [f'{{"metric":{json.dumps(metric, ensure_ascii=False)},"timestamp":{T},"value":{go_number(value)},'
                f'"tags":{json.dumps(dict(sorted(tags.items())), ensure_ascii=False, separators=(",", ":"))}}}\n'
                for metric, tags, value in points(prefix)]
        headers = {"User-Agent": "Go-http-client/1.1", "Content-Type": "application/json", "Content-Encoding": "gzip",
                   "Accept-Encoding": "gzip"}
        return [self.server.post("/api/put", gzip.compress(("[" + ",".join(rows[i:i + batch]) + "]").encode()), headers).status
                for i in range(0, len(rows), batch)]

    def telnet(self, prefix):
        self.connect_once(self.server.telnet_port)
        with socket.create_connection(("127.0.0.1", self.server.telnet_port), timeout=10) as connection:
            # It never reads what is answered to a line that is refused: one without tags ends with a space.
            connection.sendall(f"put {prefix}untagged {T} 1 \n".encode())
            for metric, tags, value in points(prefix):
                number = str(value) if isinstance(value, int) else f"{value:.6f}"
                words = " ".join(sorted(f"{k}={v}" for k, v in tags.items()))
                connection.sendall(f"put {metric} {T} {number} {words}\n".encode())

    def check(self, prefix, exact):
        for metric, tags, value in points(prefix):
            kept = value if exact or isinstance(value, int) else float(f"{value:.6f}")
            with self.subTest(metric):
                (result,) = self.server.query([{"name": metric}], start=T * 1000, end=T * 1000)[0]["results"]
                self.assertEqual(result["values"], [[T * 1000, kept]])
                self.assertEqual(result["tags"], {k: [v] for k, v in tags.items()})

    def test_http(self):
        self.assertEqual(self.http("tg.http.", 50), [204])
        self.check("tg.http.", exact=True)

    def test_http_in_small_batches(self):
        self.assertEqual(self.http("tg.small.", 2), [204] * 4)
        self.check("tg.small.", exact=True)

    def test_telnet(self):
        self.telnet("tg.telnet.")
        wanted = {metric for metric, _, _ in points("tg.telnet.")}
        client.wait_until(lambda: wanted <= set(self.server.metric_names()), 20, "all that came by telnet")
        self.check("tg.telnet.", exact=False)

    def test_what_cannot_be_kept(self):
        """A point without tags, and whole numbers beyond 63 bits (as which it also writes doubles below 1e21), which OpenTSDB
        refuses, too: the others of the request are kept, and after a 4xx Telegraf does not send the request again."""
        rows = [f'{{"metric":"tg.{name}","timestamp":{T},"value":{value},"tags":{tags}}}\n' for name, value, tags in (
            ("untagged", 1, "{}"), ("unsigned", BIGGEST, '{"host":"a"}'),
            ("whole", go_number(1e20), '{"host":"a"}'), ("good", 2, '{"host":"a"}'))]
        answer = self.server.post("/api/put", gzip.compress(("[" + ",".join(rows) + "]").encode()), {"Content-Encoding": "gzip"})
        self.assertEqual(answer.status, 400)
        self.assertIn("3 of 4 refused, the first: Missing tags", answer.json()["error"]["details"])
        names = self.server.metric_names()
        self.assertEqual([name for name in ("tg.untagged", "tg.unsigned", "tg.whole", "tg.good") if name in names], ["tg.good"])
        self.assertEqual(self.server.values("tg.good"), [(T * 1000, 2)])


if __name__ == "__main__":
    unittest.main()
