# SPDX-License-Identifier: Apache-2.0
"""A disk that is full now and then, no descriptors, a file system that turns read-only, with kills between: nothing
acknowledged is lost or wrong, the process never ends by itself, and all goes on by itself."""

from support import effort
from support.actor import Shape
from support.case import OwnServerCase
from support.ledger import Ledger
from support.life import Life
from support.small_disk import MIB, Descriptors, Filler, Watch, mount_small

CONFIG = {"slots.width": "10s", "slots.quiet": "1s", "rollups": "5s:1y,10s:1y,1m:1y"}
RETENTION_S = 15


class FailingStorage(OwnServerCase):
    def storm(self, name, server, trouble, seed, seconds, retention_ms=None, queries_may_fail=False):
        """Senders, `trouble` and kills side by side; then all is well, and all is compared."""
        print(f"    {effort.again(seed, name)}", flush=True)
        ledger = Ledger(raw_retention_ms=retention_ms)
        life = Life(seed, [server], ledger, shape=Shape(retention_ms, queries_may_fail=queries_may_fail)).start()
        watch = Watch(server, seed, trouble.stop)
        trouble.start()
        watch.run(seconds)
        trouble.stop()
        watch.during(life.finish)
        faults = watch.faults + life.faults()
        faults += [f"at the end: {fault}" for fault in ledger.check(server)]
        server.settle()
        faults += [f"after settling: {fault}" for fault in ledger.check(server)]
        server.kill()
        server.start()
        faults += [f"after a kill and a start: {fault}" for fault in ledger.check(server)]
        print(f"    {trouble.rounds} times, {watch.killed} kills, {life.outcomes()}, {ledger.acknowledged()} samples, "
              f"{len(faults)} faults", flush=True)
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_a_disk_that_fills_and_frees(self):
        mount = mount_small(self)
        seed = effort.seed()
        server = self.new_server(CONFIG, path=mount + "/data").start()
        self.storm("disk_that_fills_and_frees", server, Filler(mount, seed), seed, effort.seconds(10, 180))

    def test_a_full_disk_while_samples_are_dropped(self):
        mount = mount_small(self)
        seed = effort.seed()
        config = CONFIG | {"slots.width": "5s", "raw.retention": f"{RETENTION_S}s"}
        server = self.new_server(config, path=mount + "/data").start()
        self.storm("full_disk_while_samples", server, Filler(mount, seed), seed, effort.seconds(10, 180), RETENTION_S * 1000)

    def test_descriptors_are_taken_away(self):
        seed = effort.seed()
        server = self.new_server(CONFIG).start()
        self.storm("descriptors_are_taken", server, Descriptors(server, seed), seed, effort.seconds(8, 120), queries_may_fail=True)
        self.assertLess(server.peak_memory(), 512 * MIB)
