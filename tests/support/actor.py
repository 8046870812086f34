# SPDX-License-Identifier: Apache-2.0
"""A sender whose every sample is known: puts by all protocols, late ones, overwritten ones, deletes and questions, drawn
from a seed."""

import collections
import random
import time

from . import senders
from .answers import Answers
from .ledger import FAR

TENANTS = ("acme", "globex")
METRICS = ("cpu", "net")
STEP_MS = 1000


class Shape:
    """What the senders do. With `raw_retention_ms` samples are of the last minutes, some younger and some older than what
    is kept, and none is written twice: what comes again after its first version was dropped would count twice."""

    def __init__(self, raw_retention_ms=None, deletes=True, give_up=0.1, queries_may_fail=False, batch=(1, 5, 20, 200)):
        self.raw_retention_ms, self.deletes, self.give_up = raw_retention_ms, deletes, give_up
        self.queries_may_fail, self.batch = queries_may_fail, batch


class Actor:
    """One sender: two hosts of each metric in one tenant. `step()` does one thing; what was not acknowledged is done
    again by the next one."""

    def __init__(self, number, seed, servers, ledger, shape):
        self.chance = random.Random(f"{seed}/{number}")
        self.servers, self.ledger, self.shape = servers, ledger, shape
        tenant = TENANTS[number % len(TENANTS)]
        self.series = [ledger.of(tenant, metric, f"h{number}{letter}") for metric in METRICS for letter in "ab"]
        # Slots of three hours ago end as soon as they are quiet, and so do units of windows.
        self.start_ms = int(time.time() - 10_800) // 3600 * 3_600_000
        self.front_ms = {series.key: self.start_ms for series in self.series}
        self.version = number * 1_000_000
        self.pending = None
        self.outcomes, self.faults = collections.Counter(), []

    def step(self):
        """True: it is done, or given up."""
        self.pending = self.pending or self._choose()
        server = self.chance.choice(self.servers)
        try:
            result = self.pending(server)
        except senders.Odd as e:
            self.faults.append(str(e))
            result = senders.REFUSED
        self.outcomes[result] += 1
        if result in (senders.ACKNOWLEDGED, senders.GIVEN_UP):
            self.pending = None
        return self.pending is None

    def prepare_put(self):
        """Makes the next step a put, if none is under way."""
        self.pending = self.pending or self._put(False)

    def _choose(self):
        kind = self.chance.random()
        if kind < 0.10 and self.shape.deletes:
            return self._delete()
        if kind < 0.25:
            return self._ask()
        return self._put(kind > 0.8)

    # --- puts

    def _put(self, late):
        rows, written = [], []
        count = self.chance.choice(self.shape.batch)
        for series in self.chance.sample(self.series, self.chance.choice((1, 1, 2, 4))):
            if self.shape.raw_retention_ms is None:
                times = self._late_times(series, count) if late else self._next_times(series, count)
            else:
                times = self._recent_times(series, count)
            samples = [(t, self._value()) for t in times if t not in series.open]
            if samples:
                series.sending(samples)
                written.append((series, samples))
                rows += [(series.metric, series.tags, t, v) for t, v in samples]
        self.chance.shuffle(rows)
        protocol = self.chance.choice(sorted(senders.SENDERS))
        give_up = self.shape.raw_retention_ms is not None or self.chance.random() < self.shape.give_up

        def put(server):
            if not rows:
                return senders.GIVEN_UP
            result = senders.SENDERS[protocol](server, self.series[0].tenant, rows)
            if result == senders.ACKNOWLEDGED:
                for series, samples in written:
                    series.acknowledged(samples, protocol)
            elif result == senders.UNKNOWN and give_up or result == senders.REFUSED and self.shape.raw_retention_ms:
                return senders.GIVEN_UP
            return result
        return put

    def _value(self):
        """Every value is written once, and every sum of them is exact."""
        self.version += 1
        return self.version if self.chance.random() < 0.5 else self.version + 0.25

    def _next_times(self, series, count):
        begin = self.front_ms[series.key]
        self.front_ms[series.key] = begin + count * STEP_MS + self.chance.choice((0, 0, 15_000))
        return [begin + n * STEP_MS for n in range(count)]

    def _late_times(self, series, count):
        """Some of them stand where a sample is, others between."""
        steps = max(1, (self.front_ms[series.key] - self.start_ms) // STEP_MS)
        begin = self.chance.randrange(max(1, steps - 100), steps + 1) if self.chance.random() < 0.7 else 0
        return sorted({self.start_ms + self.chance.randrange(begin, steps + 1) * STEP_MS + self.chance.choice((0, 0, 400))
                       for _ in range(count)})

    def _recent_times(self, series, count):
        now = int(time.time() * 1000)
        back = 3000 if self.chance.random() < 0.5 else self.shape.raw_retention_ms * 3 // 2
        return sorted({now - self.chance.randrange(back) for _ in range(count)} - series.times())

    # --- deletes

    def _delete(self):
        series = self.chance.choice(self.series)
        start, end = self._range_of_delete(series)
        series.deleting(start, end)

        def delete(server):
            result = senders.delete_range(server, series.tenant, series.metric, series.tags, start, end)
            if result == senders.ACKNOWLEDGED:
                series.deleted(start, end)
            return result
        return delete

    def _range_of_delete(self, series):
        times = sorted(series.times())
        if not times or self.shape.raw_retention_ms is not None or self.chance.random() < 0.1:
            return -FAR, FAR
        begin = self.chance.choice(times)
        if self.chance.random() < 0.5:
            return begin, begin + self.chance.choice((0, 3000, 60_000))
        return begin // 60_000 * 60_000, begin // 60_000 * 60_000 + self.chance.choice((5, 10, 60, 120)) * 1000 - 1

    # --- questions

    def _ask(self):
        series = self.chance.choice(self.series)
        width_s = self.chance.choice(self.ledger.granularities_s)

        def ask(server):
            times = series.times() or {self.start_ms}
            try:
                answers = Answers(server, series.tenant, series.metric, [width_s], (min(times), max(times)), series.tags)
            except senders.HTTP_FAULTS:
                return senders.GIVEN_UP
            except AssertionError as e:
                if "starting or stopping" in str(e):
                    return senders.GIVEN_UP
                if not self.shape.queries_may_fail:
                    self.faults.append(str(e))
                return senders.GIVEN_UP
            self.faults += [f"while it ran: {fault}" for fault in self.ledger.faults_of(series, answers, [width_s])]
            return senders.ACKNOWLEDGED
        return ask
