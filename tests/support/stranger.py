# SPDX-License-Identifier: Apache-2.0
"""A stranger and his neighbour: one tenant does what is expensive, another one writes and asks small things, and somebody
asks whether the server is healthy. What they wait is printed and bounded."""

import json
import multiprocessing
import threading
import time

from . import effort
from .case import OwnServerCase
from .client import http_request
from .sanitized import TIMES_SLOWER

FORK = multiprocessing.get_context("fork")
STRANGER, NEIGHBOUR = {"X-Tenant": "stranger"}, {"X-Tenant": "neighbour"}
BODY_MAX = 16 * 1024
WAITS_MAX_S = 2.0  # far more than is hoped for: test machines are busy
NOW_S = int(time.time())
# Of an hour: what may read more than some hours waits for a thread, behind questions of others.
SMALL = {"start_absolute": (NOW_S - 3600) * 1000, "end_absolute": NOW_S * 1000,
         "metrics": [{"name": "m_v", "tags": {"h": ["own"]}}]}


class Watch:
    """Does something small again and again, and notes how long each time took; in a process of its own, for what keeps this
    one's interpreter busy is not what is measured."""

    def __init__(self, name, act):
        self.label = name
        self.seconds, self.wrong = [], []
        self._ends, self._told, child = FORK.Event(), *FORK.Pipe(duplex=False)
        self._process = FORK.Process(target=self._run, args=(act, child), daemon=True)

    def start(self):
        self._process.start()

    def _run(self, act, told):
        seconds, wrong = [], []
        while not self._ends.is_set():
            begin = time.monotonic()
            answer = act(len(seconds))
            seconds.append(time.monotonic() - begin)
            if answer.status not in (200, 204):
                wrong.append(repr(answer))
            self._ends.wait(0.01)
        told.send((seconds, wrong[:10]))

    def stop(self):
        """What it saw is in `seconds` and `wrong` then."""
        self._ends.set()
        if self._told.poll(120):
            self.seconds, self.wrong = self._told.recv()
        self._process.join(10)

    def p99_ms(self):
        return 1000 * sorted(self.seconds)[int(len(self.seconds) * 0.99)] if self.seconds else 0.0


class StrangerCase(OwnServerCase):
    """Of a class that sets `server`, which has the neighbour's `m,h=own`."""

    def watches(self):
        server = self.server

        def ask(method, path, body=None, headers=None):
            return http_request(server.port, method, path, body, headers, 120)

        return [
            Watch("health", lambda n: ask("GET", "/-/healthy")),
            Watch("write", lambda n: ask("POST", "/write?precision=ms", f"m,h=own v={n} {NOW_S * 1000}", NEIGHBOUR)),
            Watch("new series", lambda n: ask("POST", "/write?precision=ms", f"n{time.monotonic_ns()},h=own v=1 {NOW_S * 1000}", NEIGHBOUR)),
            Watch("put", lambda n: ask("POST", "/api/put", {"metric": "p", "timestamp": NOW_S, "value": n, "tags": {"h": "own"}}, NEIGHBOUR)),
            Watch("message", lambda n: ask("POST", "/api/v1/messages", '{"job":"x","text":"own"}\n', NEIGHBOUR)),
            Watch("small query", lambda n: ask("POST", "/api/v1/datapoints/query", SMALL, NEIGHBOUR)),
        ]

    def bear(self, name, acts, seconds=None):
        """The acts, each by two at a time, while the neighbour is watched."""
        watches = self.watches()
        for watch in watches:
            watch.start()
        until = time.monotonic() + (seconds or effort.seconds(3, 10))
        answers = {}

        def act(which):
            while True:
                try:
                    answers[which] = acts[which]()
                except OSError as e:
                    answers[which] = e
                if time.monotonic() > until:
                    return
        threads = [threading.Thread(target=act, args=(i,), daemon=True) for i in range(len(acts)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(90)
            self.assertFalse(thread.is_alive(), f"{name}: a question does not end")
        for watch in watches:
            watch.stop()
            self.assertGreater(len(watch.seconds), 0, f"{name}: {watch.label} hears nothing")
        told = ", ".join(f"{w.label} {w.p99_ms():.0f}/{1000 * max(w.seconds):.0f}" for w in watches)
        print(f"    {name}: p99/most ms: {told}", flush=True)
        self.assertTrue(self.server.alive(), self.server.log()[-2000:])
        for watch in watches:
            self.assertEqual(watch.wrong[:2], [], watch.label)
            self.assertLess(watch.p99_ms() / 1000, WAITS_MAX_S * TIMES_SLOWER, f"{name}: {watch.label}")
        for answer in answers.values():
            self.assertNotIsInstance(answer, Exception, name)
        return [answers[i] for i in range(len(acts))]

    def ask(self, method, path, body=None, headers=None):
        body = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        self.assertLessEqual(len(path) + len(body or ""), BODY_MAX + 200)
        return http_request(self.server.port, method, path, body, {**STRANGER, **(headers or {})}, 120)

    def post(self, path, body, headers=None):
        return self.ask("POST", path, body, headers)
