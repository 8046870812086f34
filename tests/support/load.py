# SPDX-License-Identifier: Apache-2.0
"""A load whose every sample is known: hosts that write one sample each some times a second, to whichever replica
answers, again until it is acknowledged; and whether replicas then have exactly that."""

import contextlib
import http.client
import itertools
import threading
import time

from . import client

METRIC = "load"


class Host(threading.Thread):
    def __init__(self, name, replicas, start_ms, step_ms, pace):
        super().__init__(daemon=True)
        self.name_, self.replicas, self.step_ms, self.pace = name, replicas, step_ms, pace
        self.start_ms = self.time_ms = start_ms
        self.stopping = threading.Event()
        self.samples = {}  # acknowledged: time → value
        self.refused, self.retry_after, self.broken, self.odd = 0, 0, 0, []

    def run(self):
        for number in itertools.count():
            if self.stopping.is_set():
                return
            self.write(number)
            time.sleep(self.pace)

    def write(self, number):
        """Ten samples; the second half of them overwrites what the last call has put there. Every seventh call is late."""
        late = number % 7 == 6
        begin = max(self.start_ms, self.time_ms - 100 * self.step_ms) if late else self.time_ms
        times = [begin + n * self.step_ms for n in range(10)]
        lines = "\n".join(f"{METRIC},host={self.name_} value={number * 10 + n}i {t}" for n, t in enumerate(times))
        for attempt in itertools.count(number):
            replica = self.replicas[attempt % len(self.replicas)]
            status = None
            with contextlib.suppress(OSError, http.client.HTTPException):
                answer = client.http_request(replica.port, "POST", "/write?precision=ms", lines, None, 120)
                status = answer.status
            if status == 204:
                break
            if status is None:
                self.broken += 1
            elif status in (429, 503):
                self.refused += 1
                self.retry_after += bool(answer.header("Retry-After"))
            else:
                self.odd.append(str(answer))
            if self.stopping.is_set() and attempt > number + 1000:
                raise RuntimeError("never acknowledged")
            time.sleep(0.05)
        for n, t in enumerate(times):
            self.samples[t] = number * 10 + n
        if not late:
            self.time_ms = times[5]


class Load:
    """Load(replicas).start() … .stop(); .check(replica) as often as you like."""

    def __init__(self, replicas, hosts=4, step_ms=1000, pace=0.1):
        # Slots of three hours ago end as soon as they are quiet, and so do units of windows.
        start_ms = self.start_ms = int(time.time() - 10_800) // 3600 * 3_600_000
        self.hosts = [Host(f"h{n}", replicas[n % len(replicas):] + replicas[:n % len(replicas)], start_ms, step_ms, pace)
                      for n in range(hosts)]

    def start(self):
        for host in self.hosts:
            host.start()
        return self

    def stop(self):
        for host in self.hosts:
            host.stopping.set()
        for host in self.hosts:
            host.join(120)
            if host.is_alive():
                raise AssertionError(f"{host.name_} is still not answered")
        return self

    def total(self, what):
        return sum(getattr(host, what) for host in self.hosts)

    def odd(self):
        """Answers that are neither an acknowledgement nor a refusal."""
        return [answer for host in self.hosts for answer in host.odd]

    def acknowledged(self):
        return sum(len(host.samples) for host in self.hosts)

    @staticmethod
    def ask(replica, host, aggregators, start_ms):
        results = replica.query([{"name": METRIC, "tags": {"host": host.name_}, "aggregators": aggregators}],
                                start=start_ms, end=max(host.samples) + 3_600_000)[0]["results"]
        return {t: v for result in results for t, v in result["values"]}

    def check(self, replica):
        """What is wrong; an empty list: each sample is there as it was acknowledged, and each window is exact."""
        wrong = []
        for host in self.hosts:
            found = self.ask(replica, host, [], self.start_ms)
            if found != host.samples:
                missing = sorted(set(host.samples) - set(found))
                more = sorted(set(found) - set(host.samples))
                other = sorted(t for t in found if t in host.samples and host.samples[t] != found[t])
                wrong.append(f"{host.name_}: of {len(host.samples)} are missing {len(missing)} {missing[:5]}, "
                             f"too many {len(more)} {more[:5]}, different {len(other)} {other[:5]}")
            for name, width_s, make in (("sum", 10, sum), ("count", 5, len), ("max", 60, max)):
                windows = {}
                for t, v in host.samples.items():
                    windows.setdefault(t // (width_s * 1000) * width_s * 1000, []).append(v)
                wanted = {start: make(values) for start, values in windows.items()}
                got = self.ask(replica, host, [{"name": name, "align_sampling": True, "align_start_time": True,
                                                "sampling": {"value": width_s, "unit": "seconds"}}], self.start_ms)
                if got != wanted:
                    bad = [(t, wanted.get(t), got.get(t)) for t in sorted(set(wanted) | set(got))
                           if wanted.get(t) != got.get(t)]
                    wrong.append(f"{host.name_}: {len(bad)} windows of {name} {width_s} s: {bad[:3]}")
        return wrong
