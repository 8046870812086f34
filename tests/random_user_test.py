# SPDX-License-Identifier: Apache-2.0
"""A random user against a plain store: writes by every protocol (on time, late, again, in the future, at the ends of time),
deletes, settles, restarts and kills at any moment, and asks by every API; each answer is what the maps say, sample by sample.
Slots are seconds long, so that a minute has lives of months. A failure names its seed, and `--seed` repeats it."""

import collections
import json
import random
import threading
import time
import unittest

from support import effort, plain, questions, senders
from support.case import OwnServerCase

HOUR, DAY = 3_600_000, 86_400_000
FAR = 1 << 53
TENANTS = ["acme", "globex"]
METRICS = ["m0", "m1", "m2", "io_bytes", "mixed", "ends"]
SERIES = [{"host": h, "dc": d} for h in "abc" for d in "xy"] + [{"host": "a"}, {"host": "e=f", "dc": "ü"}]
ENDS = [-FAR, -FAR + 1, FAR, FAR - 1, -1, 0, 1, -10_000, -9_999, -10_001, -9_223_372_036_855, 9_223_372_036_854,
        -62_135_596_800_000, 253_402_300_799_999, 4_294_967_296, 4_294_967_295_000]
WIDTHS = [(1, "seconds"), (5, "seconds"), (10, "seconds"), (1, "minutes"), (5, "minutes"), (1, "hours"), (1, "days"), (1, "months")]
ZONES = ["UTC", "Europe/Paris", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]
OPTIONS = {"slots.width": "10s", "slots.quiet": "1s", "slots.period": "1s", "rollups": "5s:300y,10s:300y,1m:300y,1h:300y",
           "raw.retention": "300y", "rollup.counter_suffixes": "", "counters": ""}


class User:
    """One step is one request, and what comes of it. Raises AssertionError where an answer is wrong."""

    def __init__(self, server, seed):
        self.server, self.chance, self.store = server, random.Random(seed), plain.Store()
        self.done = collections.Counter()
        now = self._now()
        # Where samples lie: now, a little ahead, and days and months ago; two days on which clocks change in Paris.
        self.places = [(now - 90_000, 90_000), (now + 600_000, 600_000), (now - DAY, 600_000), (now - 3 * DAY, DAY),
                       (now - 20 * DAY, 2 * HOUR), (now - 40 * DAY, DAY), (1_774_742_400_000, 4 * HOUR), (1_792_886_400_000, 4 * HOUR)]

    def step(self):
        kind = self.chance.random()
        if kind < 0.52:
            self._put()
        elif kind < 0.56:
            self._delete()
        elif kind < 0.94:
            self._ask()
        elif kind < 0.965:
            self._settle()
        elif kind < 0.98:
            self._restart()
        elif kind < 0.99:
            self._kill()
        else:
            self._killed_meanwhile(self.chance.choice([self._put_rows, self._settle_only]))

    def check_all(self):
        for tenant in TENANTS:
            for metric in METRICS:
                self._right(questions.kairosdb_samples(self.server, self.store, tenant, metric))
            self._right(questions.metric_names(self.server, self.store, tenant))

    # --- writes

    @staticmethod
    def _now():
        return int(time.time() * 1000)

    def _times(self, count):
        chance = self.chance
        begin, span = self.places[0] if chance.random() < 0.4 else chance.choice(self.places)
        if chance.random() < 0.4:
            begin = self._now() - span if (begin, span) == self.places[0] else begin
        step = chance.choice([1, 250, 1000, 1000, 5000, 10_000, 60_000])
        first = begin + chance.randrange(span)
        if chance.random() < 0.7:
            first -= first % chance.choice([1, 1000, 10_000])
        times = [first + n * step for n in range(count)]
        if chance.random() < 0.2:
            chance.shuffle(times)
        return times

    def _value(self, metric, protocol):
        chance = self.chance
        if metric == "mixed" and protocol == "kairosdb" and chance.random() < 0.2:
            return chance.choice(["up", "v12", "naïve ☃", "x" * chance.randrange(1, 200)])
        if protocol == "remote_write" or chance.random() < 0.5:
            return chance.choice([chance.randrange(-10_000, 10_000) / 100, chance.uniform(0, 1000), float(chance.randrange(50)), -0.0])
        return chance.choice([chance.randrange(-1000, 1000), chance.randrange(10**6), 0])

    def _rows(self, tenant, protocol):
        """Of one metric; some again where samples are."""
        chance, metric, rows = self.chance, self.chance.choice(METRICS), {}
        for _ in range(chance.choice([1, 1, 2, 4])):
            tags = chance.choice([tags for tags in SERIES if protocol == "kairosdb" or tags["host"] != "e=f"])
            count = chance.choice([1, 1, 3, 10, 40])
            times = chance.sample(ENDS, min(count, 5)) if metric == "ends" and chance.random() < 0.6 else self._times(count)
            known = list(self.store.series.get((tenant, metric, tuple(sorted(tags.items()))), {}))
            if known and chance.random() < 0.3:
                times = chance.sample(known, min(len(known), count))
            if protocol in ("opentsdb", "telnet"):  # what is shorter counts in seconds there
                times = [t for t in times if t > 1 << 32]
            for t in times:
                rows[metric, tuple(tags.items()), t] = self._value(metric, protocol)
        return [(metric, dict(tags), t, v) for (metric, tags, t), v in rows.items()]

    def _put_rows(self):
        """Returns whether it was acknowledged, and what was sent."""
        protocol = self.chance.choice(sorted(senders.SENDERS))
        tenant = self.chance.choice(TENANTS)
        rows = self._rows(tenant, protocol)
        if not rows:
            return None
        return senders.SENDERS[protocol](self.server, tenant, rows), protocol, tenant, rows

    def _put(self):
        sent = self._put_rows()
        if sent is None:
            return
        outcome, protocol, tenant, rows = sent
        if outcome != senders.ACKNOWLEDGED:
            raise AssertionError(f"a put by {protocol} is {outcome}: {rows[:5]}")
        self.store.put(tenant, rows)
        self.done["samples"] += len(rows)

    def _delete(self):
        chance = self.chance
        tenant, metric = chance.choice(TENANTS), chance.choice(METRICS)
        known = [(tags, t) for tags, samples in self.store.select(tenant, metric) for t in samples]
        if not known:
            return
        tags, t = chance.choice(known)
        some = dict(chance.sample(sorted(tags.items()), chance.randrange(len(tags) + 1)))
        width = chance.choice([0, 1000, 7777, 10_000, 60_000, HOUR, 5 * HOUR, DAY])
        first = max(-FAR, t - chance.randrange(width + 1))
        first -= first % 5000 if chance.random() < 0.5 and first > -FAR + 5000 else 0
        last = min(FAR, first + width)
        outcome = senders.delete_range(self.server, tenant, metric, some, first, last)
        if outcome != senders.ACKNOWLEDGED:
            raise AssertionError(f"a delete of {metric} {some} {first}..{last} is {outcome}")
        self.store.erase(tenant, metric, some, first, last)
        self.done["deletes"] += 1

    # --- questions

    def _range(self, tenant, metric):
        chance = self.chance
        times = [t for _, samples in self.store.select(tenant, metric) for t in samples if abs(t) < 8 * 10**12]
        t = chance.choice(times) if times else self._now()
        width = chance.choice([1000, 10_000, 60_000, 300_000, HOUR, DAY, 3 * DAY])
        start = t - chance.randrange(width)
        start -= start % chance.choice([1, 1000, 5000, 60_000, HOUR])
        return start, start + width - chance.choice([0, 1])

    def _ask(self):
        chance, server, store = self.chance, self.server, self.store
        tenant, metric = chance.choice(TENANTS), chance.choice(METRICS)
        start, end = self._range(tenant, metric)
        widths = [(v, u) for v, u in WIDTHS if (end - start) < 4000 * v * plain.FIXED_MS.get(u, DAY)]
        value, unit = width = chance.choice(widths)
        name = chance.choice(sorted(plain.OVER))
        tags = chance.choice([{}, {}, {"host": ["a"]}, {"host": ["a", "b"]}, {"dc": ["x"], "host": ["c", "zzz"]}])
        kind = chance.choice(["samples", "windows", "windows", "windows", "opentsdb", "ceres", "last", "catalog", "names"])
        self.done[f"asked: {kind}"] += 1
        if kind == "names":
            return self._right(questions.metric_names(server, store, tenant))
        if kind == "samples":
            return self._right(questions.kairosdb_samples(server, store, tenant, metric, tags, start, end))
        # A text is in no window; and over all of time there are more windows than anybody can ask for.
        numbers = metric if metric not in ("mixed", "ends") else "m0"
        if kind == "catalog":
            return self._right(questions.catalog_windows(server, store, tenant, numbers, chance.choice([1, 5, 24])))
        if kind == "windows":
            by, zone = chance.choice([[], ["host"], ["dc", "host"]]), chance.choice(ZONES) if unit not in plain.FIXED_MS else None
            return self._right(questions.kairosdb_windows(server, store, tenant, numbers, tags, start, end, name, width, by, zone))
        if kind == "last":
            return self._right(questions.opentsdb_last(server, store, tenant, numbers))
        if unit not in plain.FIXED_MS or start < 1 << 32:  # what is before 1970 OpenTSDB refuses, and counts in seconds after it
            return None
        width_s = value * plain.FIXED_MS[unit] // 1000
        ask = questions.opentsdb_windows if kind == "opentsdb" else questions.ceres_windows
        return self._right(ask(server, store, tenant, numbers, start, end, name, width_s))

    @staticmethod
    def _right(wrong):
        if wrong:
            raise AssertionError(wrong)

    # --- what happens to a server

    def _settle(self):
        self.server.settle()
        self.done["settles"] += 1

    def _restart(self):
        self.server.restart()
        self.done["restarts"] += 1

    def _kill(self):
        self.server.kill()
        self.server.start()
        self.done["kills"] += 1

    def _settle_only(self):
        senders.http_outcome(self.server, "POST", "/-/settle")

    def _killed_meanwhile(self, request):
        """The server is killed while it answers; of a put, all or nothing of each sample is there then."""
        answer = []
        thread = threading.Thread(target=lambda: answer.append(request()))
        thread.start()
        time.sleep(self.chance.choice([0, 0.001, 0.004, 0.02, 0.1]))
        self._kill()
        thread.join()
        if answer and answer[0]:
            self._learn(*answer[0])

    def _learn(self, outcome, protocol, tenant, rows):
        """What became of a put whose answer may be lost."""
        if outcome == senders.ACKNOWLEDGED:
            self.store.put(tenant, rows)
            return
        metric = rows[0][0]
        after = plain.Store()
        after.put(tenant, rows)
        times = [t for _, _, t, _ in rows]
        stands, missing = [], []
        for row in rows:
            sent = plain.Store()
            sent.series = {key: dict(samples) for key, samples in self.store.series.items() if key[:2] == (tenant, metric)}
            sent.put(tenant, [row])
            tags = {key: [value] for key, value in row[1].items()}
            wrong = questions.kairosdb_samples(self.server, sent, tenant, metric, tags, row[2], row[2])
            (missing if wrong else stands).append(row)
        if protocol != "telnet" and stands and missing:
            changed = [row for row in stands if self._stood(tenant, row) != row[3]]
            if changed:
                raise AssertionError(f"half of a request by {protocol}: {len(changed)} are there, {len(missing)} are not, of {len(times)}")
        self.store.put(tenant, stands)

    def _stood(self, tenant, row):
        return self.store.series.get((tenant, row[0], tuple(sorted(row[1].items()))), {}).get(row[2])


class RandomUser(OwnServerCase):
    STEPS = 1200

    def life(self, seed):
        server = self.new_server(OPTIONS).start()
        user = User(server, seed)
        step = 0
        try:
            for step in range(1, self.STEPS + 1):
                user.step()
                if step % 300 == 0:
                    user.check_all()
            server.settle()
            user.check_all()
            server.restart()
            user.check_all()
        except Exception as e:
            raise AssertionError(f"step {step}: {e}\n{effort.again(seed, 'random_user')}\n{server.last_words()}") from e
        print(f"seed {seed}: {json.dumps(user.done)}", flush=True)

    def test_lives(self):
        for seed in effort.seeds([1], 600):
            with self.subTest(seed=seed):
                self.life(seed)


if __name__ == "__main__":
    unittest.main()
