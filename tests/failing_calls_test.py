# SPDX-License-Identifier: Apache-2.0
"""Any write, sync, open, rename, removal or read of a file may fail, once or for a while, or be the last thing that the process
does: nothing acknowledged is lost or wrong, the process never ends by itself, and all goes on once calls go well again."""

import random
import subprocess
import time
import unittest

from support import effort, preload
from support.actor import Shape
from support.case import OwnServerCase
from support.client import wait_until
from support.fault_plan import Plan
from support.ledger import Ledger
from support.life import Life

CONFIG = {"slots.width": "10s", "slots.quiet": "1s", "rollups": "5s:1y,10s:1y,1m:1y"}
RETENTION_MS = 8000
BAD_SECONDS = 2  # then calls go well again, whatever the plan says
HEAL_SECONDS, HEAL_SECONDS_OF_SYNC = 30, 3


class Trial:
    """One short life of a server, and what fails in it."""

    def __init__(self, case, seed, retention, kinds):
        chance = random.Random(f"failing calls {seed}")
        config = dict(CONFIG, **{"storage.sync": chance.choice(["always", "1s"])})
        if retention:
            config |= {"slots.width": "5s", "raw.retention": f"{RETENTION_MS // 1000}s"}
        self.server = case.new_server(config)
        self.failing = preload.FailingCalls(self.server.path)
        case.addCleanup(self.failing.close)
        self.server.env = self.failing.env
        retention_ms = RETENTION_MS if retention else None
        self.ledger = Ledger(raw_retention_ms=retention_ms)
        shape = Shape(retention_ms, queries_may_fail=kinds == preload.READ)
        self.life = Life(seed, [self.server], self.ledger, actors=3, shape=shape)
        self.plan = Plan(chance, 0.4 if retention else 1, kinds)
        self.faults, self.failing_since, self.killed, self.restarts = [], None, False, 0
        self.stuck_since = None  # nothing was done since then
        self.plan.arm(self.failing)

    def run(self):
        try:
            self.up()
            self.steps(40)
            self.settle_by_itself()
            self.steps(40)
            self.settle()
            self.steps(10)
            self.stop()
            self.up()
            self.steps(30)
            self.server.kill()
            self.up()
            self.steps(30)
            self.settle()
            self.end()
        except AssertionError as e:
            self.faults.append(str(e))
        faults = self.faults + self.life.faults()
        if faults:
            faults.append("the log ends: " + self.server.last_words())
        return faults

    def killed_by_plan(self):
        """Was this end the one that the plan has in it?"""
        planned = self.plan.kill and self.failing.failed > 0 and not self.killed
        self.killed = self.killed or planned
        return planned

    def stop(self):
        self.server.process.terminate()
        try:
            code = self.server.wait()
        except subprocess.TimeoutExpired:
            raise AssertionError("it does not stop") from None
        if code < 0 and not self.killed_by_plan():
            self.faults.append(f"a stop ended in {code}")

    def up(self):
        """Starts; a start may fail at a call that fails, and then needs no hand to go well."""
        for _ in range(5):
            failed = self.failing.failed
            self.server.spawn()
            try:
                code = self.server.wait_ready_or_end()
            except TimeoutError:
                raise AssertionError("it neither starts nor ends") from None
            if code is None:
                return
            if self.failing.failed == failed:
                break
            if code < 0 and not self.killed_by_plan():
                self.faults.append(f"a start ended in {code}")
            self.let_go()
            time.sleep(0.5)  # as whoever starts it again would, too
        raise AssertionError(f"it does not start: {self.server.last_words()}")

    def let_go(self):
        """Calls go well again after a while."""
        if self.failing.failed and self.failing_since is None:
            self.failing_since = time.monotonic()
        if self.failing_since is not None and time.monotonic() - self.failing_since > BAD_SECONDS:
            self.failing.disarm()

    def look(self):
        """After each step that was not done: why was it not?"""
        self.let_go()
        if not self.server.alive():
            if not self.killed_by_plan():
                raise AssertionError(f"it ended by itself in {self.server.process.returncode}")
            self.up()
        elif self.failing_since is not None and self.stuck_seconds() > BAD_SECONDS + (
                HEAL_SECONDS_OF_SYNC if self.failing.synced_badly and not self.restarts else HEAL_SECONDS):
            if not self.failing.synced_badly or self.restarts:
                raise AssertionError("it does not heal")
            self.restart_after_sync()
        else:
            time.sleep(0.05)

    def stuck_seconds(self):
        return 0 if self.stuck_since is None else time.monotonic() - max(self.stuck_since, self.failing_since)

    def restart_after_sync(self):
        """What a failed sync has left on the disk nobody knows but a new start."""
        self.restarts += 1
        self.failing.disarm()
        self.server.kill()
        self.up()
        self.failing_since = time.monotonic()

    def steps(self, count):
        for actor in self.life.actors:
            for _ in range(count // len(self.life.actors)):
                while not actor.step():
                    self.stuck_since = self.stuck_since or time.monotonic()
                    self.look()
                self.stuck_since = None

    def settle_by_itself(self):
        """Slots whose time has come are sealed; not while that fails, and it is no fault if it takes longer then."""
        try:
            wait_until(lambda: not self.server.alive() or self.server.metric("varve_slots_pending") == 0, 4)
        except (OSError, TimeoutError):
            pass
        self.look()

    def settle(self):
        try:
            self.server.post("/-/settle", timeout=120)
        except OSError:
            pass
        self.look()

    def settle_until(self, seconds):
        """The database needs a moment to heal."""
        deadline = time.monotonic() + seconds
        while True:
            answer = self.server.post("/-/settle", timeout=120)
            if answer.status == 200 or time.monotonic() > deadline:
                return answer
            time.sleep(0.2)

    def end(self):
        """Calls go well again; all is taken, there, and still there after a kill."""
        self.failing.disarm()
        for actor in self.life.actors:
            actor.prepare_put()
        self.steps(len(self.life.actors))
        self.compare("at the end")
        answer = self.settle_until(HEAL_SECONDS_OF_SYNC if self.failing.synced_badly else HEAL_SECONDS)
        if answer.status != 200 and self.failing.synced_badly and not self.restarts:
            self.restart_after_sync()
            answer = self.settle_until(HEAL_SECONDS)
        if answer.status != 200:
            self.faults.append(f"settle: {answer}")
        self.compare("after settling")
        self.server.kill()
        self.up()
        self.compare("after a kill and a start")

    def compare(self, when):
        self.faults += [f"{when}: {fault}" for fault in self.ledger.check(self.server)]


class FailingCalls(OwnServerCase):
    def trials(self, short, retention=False, kinds=None):
        number = failed = 0
        for seed in effort.seeds(short, 300):
            trial = Trial(self, seed, retention, kinds)
            faults = trial.run()
            trial.server.close()
            number += 1
            failed += trial.failing.failed > 0
            if faults:
                print(f"    {effort.again(seed, self.id().rsplit('.', 1)[1])}", flush=True)
            with self.subTest(seed=seed, plan=str(trial.plan), last=trial.failing.last):
                self.assertFalse(faults, "\n" + "\n".join(faults))
        print(f"    {number} lives, of which {failed} met a failing call", flush=True)

    def test_any_call_may_fail(self):
        self.trials([1, 2, 3])

    def test_any_call_may_fail_while_samples_are_dropped(self):
        self.trials([1, 2, 3], retention=True)

    def test_any_read_may_fail(self):
        self.trials([1, 2, 3, 4], kinds=preload.READ)


if __name__ == "__main__":
    unittest.main()
