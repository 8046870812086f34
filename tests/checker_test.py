# SPDX-License-Identifier: Apache-2.0
"""Does the checker of the fault tests find what is wrong? Each fault is made on purpose, by a ledger that knows better."""

from support import senders
from support.case import T0, ServerCase
from support.ledger import Ledger

ROWS = [("cpu", {"host": "a"}, T0 + n * 1000, n + 0.25) for n in range(120)]


class Checker(ServerCase):
    config = {"slots.width": "10s", "slots.quiet": "1s", "rollups": "5s:1y,10s:1y,1m:1y"}

    def ledger(self, tenant):
        ledger = Ledger()
        samples = [(t, v) for _, _, t, v in ROWS]
        for protocol, send in senders.SENDERS.items():
            series = ledger.of(tenant, protocol, "a")
            series.sending(samples)
            rows = [(protocol, tags, t, v) for _, tags, t, v in ROWS]
            self.assertEqual(send(self.server, tenant, rows), senders.ACKNOWLEDGED, protocol)
            series.acknowledged(samples)
        self.assertEqual(ledger.check(self.server), [])
        return ledger

    def test_a_lost_sample(self):
        ledger = self.ledger("lost")
        ledger.of("lost", "influx", "a").acknowledged([(T0 + 500, 1)])
        faults = "\n".join(ledger.check(self.server))
        self.assertIn("lost influx a: 1 of 121 samples lost", faults)
        self.assertIn("windows of count 5 s wrong", faults)
        self.assertIn("windows of sum 60 s wrong", faults)

    def test_a_wrong_value(self):
        ledger = self.ledger("wrong")
        ledger.of("wrong", "telnet", "a").samples[T0] = 7
        faults = "\n".join(ledger.check(self.server))
        self.assertIn("1 samples wrong", faults)
        self.assertIn("windows of min 10 s wrong", faults)

    def test_what_was_deleted_is_gone(self):
        ledger = self.ledger("deleted")
        series = ledger.of("deleted", "kairosdb", "a")
        series.deleted(T0, T0 + 4000)
        self.assertIn("5 samples wrong", "\n".join(ledger.check(self.server)))
        self.assertEqual(senders.delete_range(self.server, "deleted", "kairosdb", series.tags, T0, T0 + 4000), senders.ACKNOWLEDGED)
        self.assertEqual(ledger.check(self.server), [])
        self.server.settle()
        self.assertEqual(ledger.check(self.server), [])

    def test_what_belongs_to_another(self):
        ledger = self.ledger("one")
        self.assertEqual(senders.send_influx(self.server, "one", [("alien", {"host": "a"}, T0, 1)]), senders.ACKNOWLEDGED)
        self.assertIn("one: metrics of others: ['alien']", ledger.check(self.server))
        self.assertEqual(senders.send_influx(self.server, "one", [("influx", {"host": "b"}, T0, 1)]), senders.ACKNOWLEDGED)
        self.assertIn("one influx: a host of nobody: b", ledger.check(self.server))

    def test_an_open_outcome_may_be_either(self):
        ledger = self.ledger("open")
        series = ledger.of("open", "opentsdb", "a")
        series.sending([(T0, 99), (T0 + 500, 1)])  # sent and never heard of
        self.assertEqual(ledger.check(self.server), [])
        self.assertEqual(senders.send_influx(self.server, "open", [("opentsdb", {"host": "a"}, T0, 99)]), senders.ACKNOWLEDGED)
        self.assertEqual(ledger.check(self.server), [])
        self.assertEqual(senders.send_influx(self.server, "open", [("opentsdb", {"host": "a"}, T0, 98)]), senders.ACKNOWLEDGED)
        self.assertIn("1 samples wrong", "\n".join(ledger.check(self.server)))
