# SPDX-License-Identifier: Apache-2.0
"""kill -9 at any moment, 30 times, under the load of four protocols: no acknowledged sample is lost, none is invented."""

import random
import threading
import unittest

from support import senders
from support.case import T0, OwnServerCase
from support.client import http_request
from support.interrupted import Progress, Writer

ROUNDS = 30
BATCH = 20
FIELDS = ("a", "b", "c")


class SampleWriter(Writer):
    """Sample number n has the time base + n and the value n."""

    def __init__(self, server, name, base, send, progress):
        super().__init__(name, lambda numbers: send(server, name, [(base + n, n) for n in numbers]), progress, BATCH)
        self.base, self.by_influx = base, send is send_influx


def send_influx(server, metric, samples):
    lines = "".join(f"{metric} {','.join(f'{f}={v}i' for f in FIELDS)} {t}\n" for t, v in samples)
    return senders.http_outcome(server, "POST", "/write?precision=ms", lines) == senders.ACKNOWLEDGED


def by(protocol):
    def send(server, metric, samples):
        rows = [(metric, {"h": "x"}, t, v) for t, v in samples]
        return senders.SENDERS[protocol](server, "default", rows) == senders.ACKNOWLEDGED
    return send


PROTOCOLS = {"influx": send_influx, "kairosdb": by("kairosdb"), "rw": by("remote_write"), "telnet": by("telnet")}


class Crash(OwnServerCase):
    def check(self, server, writer):
        """All acknowledged samples are there; beyond them only whole things that were sent."""
        names = [f"{writer.what}_{f}" for f in FIELDS] if writer.by_influx else [writer.what]
        for name in names:
            got = server.values(name)
            numbers = [v for _, v in got]
            self.assertEqual([t for t, _ in got], [writer.base + v for v in numbers], f"{name}: times and values mixed up")
            lost = set(range(writer.acknowledged)) - set(numbers)
            self.assertFalse(lost, f"{name}: {len(lost)} of {writer.acknowledged} acknowledged samples lost, "
                                   f"the first is number {min(lost, default=None)}")
            self.assertTrue(not numbers or max(numbers) < writer.sent, f"{name}: invented")
            self.assertEqual(len(numbers), len(set(numbers)), f"{name}: doubled")
            if writer.by_influx and len(numbers) != writer.acknowledged:
                # One request is one record of the log: it is there whole or not at all.
                self.assertEqual(len(numbers) % BATCH, 0, f"{name}: half a request")

    def test_thirty_kills(self):
        chance = random.Random(20260101)
        server = self.new_server().start()
        writers_before = []
        acknowledged = 0
        for number in range(ROUNDS):
            progress = Progress()
            writers = [SampleWriter(server, f"crash.{name}.{number}", T0 + number * 10_000_000, send, progress)
                       for name, send in PROTOCOLS.items()]
            for writer in writers:
                writer.start()
            self.assertTrue(progress.wait_for(chance.randrange(8, 1500)), "no progress: " + server.log()[-2000:])
            settler = None
            if number % 3 == 2:  # a third of the kills hit chunks being written
                settler = threading.Thread(target=quiet_settle, args=(server,), daemon=True)
                settler.start()
                progress.wait_for(progress.batches + chance.randrange(0, 30))
            server.kill()
            for writer in writers:
                writer.end(self)
            if settler:
                settler.join(30)
            server.start()
            for writer in writers:
                self.check(server, writer)
            acknowledged += sum(w.acknowledged for w in writers)
            writers_before += writers
        server.settle()
        for writer in writers_before:
            self.check(server, writer)
        print(f"    {ROUNDS} kills, {acknowledged} samples acknowledged, 0 lost")
        self.assertGreater(acknowledged, ROUNDS * 100)

    def test_new_series_of_a_killed_server_are_found(self):
        """The index is as durable as the data: no series is lost between its definition and its first sample."""
        server = self.new_server().start()
        for number in range(3):
            lines = "".join(f"born,host=h{i},round={number} v={i}i {T0}\n" for i in range(2000))
            server.influx(lines)
            server.kill()
            server.start()
            for n in range(number + 1):
                results = server.query([{"name": "born_v", "tags": {"round": str(n)},
                                         "group_by": [{"name": "tag", "tags": ["host"]}]}])[0]["results"]
                self.assertEqual(sorted(r["values"][0][1] for r in results), list(range(2000)))


def quiet_settle(server):
    try:
        http_request(server.port, "POST", "/-/settle", b"", timeout=20)
    except Exception:  # pylint: disable=broad-except
        pass  # the server is killed meanwhile


if __name__ == "__main__":
    unittest.main()
