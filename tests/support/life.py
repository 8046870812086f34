# SPDX-License-Identifier: Apache-2.0
"""A random life: several senders side by side. A seed decides what each of them does; when, the machine decides."""

import collections
import threading
import time

from .actor import Actor, Shape


class Life:
    """Life(seed, servers, ledger).start() … .finish(), or .steps(n) without threads."""

    def __init__(self, seed, servers, ledger, actors=4, shape=None, pause=0.0):
        shape, self.pause = shape or Shape(), pause
        self.actors = [Actor(number, seed, servers, ledger, shape) for number in range(actors)]
        self.stopping = threading.Event()
        self.threads = []

    def steps(self, count):
        """One after the other; returns how many were done."""
        return sum(self.actors[n % len(self.actors)].step() for n in range(count))

    def start(self):
        self.threads = [threading.Thread(target=self._run, args=(actor,), daemon=True) for actor in self.actors]
        for thread in self.threads:
            thread.start()
        return self

    def _run(self, actor):
        try:
            while not self.stopping.is_set():
                done = actor.step()
                time.sleep(self.pause if done else 0.05)
        except Exception as e:  # pylint: disable=broad-except
            actor.faults.append(f"the test itself failed: {e!r}")
            raise

    def finish(self, seconds=120):
        """Ends the senders and does what is still to be acknowledged."""
        self.stopping.set()
        deadline = time.monotonic() + seconds
        for thread in self.threads:
            thread.join(max(1, deadline - time.monotonic()))
            if thread.is_alive():
                raise AssertionError("a request is still not answered")
        for actor in self.actors:
            while actor.pending and not actor.step():
                if time.monotonic() > deadline:
                    raise AssertionError(f"still not taken: {actor.outcomes}, {actor.faults[-3:]}")
                time.sleep(0.05)
        return self

    def faults(self):
        return [fault for actor in self.actors for fault in actor.faults]

    def outcomes(self):
        return dict(sum((actor.outcomes for actor in self.actors), collections.Counter()))
