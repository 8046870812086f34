# SPDX-License-Identifier: Apache-2.0
"""Three replicas, Redis and Cassandra, of which now this and now that is killed, stopped, slow, cut off or of another time:
every acknowledged sample is there in the end, every window is exact, at every replica. Long: run by ./dev test --faults."""

import time

from support import effort
from support.actor import TENANTS, Shape
from support.chaos import Chaos, Replica
from support.client import wait_until
from support.ledger import Ledger
from support.life import Life
from support.replicas import SLOTS, ClusterCase


class ClusterChaos(ClusterCase):
    restarts = True

    def three(self, keyspace, config=None):
        replicas = []
        for _ in range(3):
            replica = Replica(self.backends, keyspace, {**SLOTS, "query.timeout": "5m", **(config or {})})
            self.addCleanup(replica.close)
            del replica.server.config["storage.path"]
            replicas.append(replica.start())
        return replicas

    def chaos(self, name, ledger, shape, config=None, clocks=None):
        seed = effort.seed()
        print(f"    {effort.again(seed, name)}", flush=True)
        replicas = self.three(name, config)
        servers = [replica.server for replica in replicas]
        life = Life(seed, servers, ledger, shape=shape, pause=0.2).start()
        chaos = Chaos(seed, self.backends, replicas, **({"clocks": clocks} if clocks else {}))
        chaos.run(effort.seconds(20, 240), long=effort.LONG)
        for server in servers:
            wait_until(lambda s=server: s.get("/-/ready").status == 200, 60, "ready")
        life.finish(300)
        print(f"    {len(chaos.told)} events, {life.outcomes()}, {ledger.acknowledged()} samples", flush=True)
        faults = chaos.faults + life.faults() + self.compare("at the end", ledger, servers)
        for server in servers:
            wait_until(lambda s=server: s.metric("varve_redis_lost") == 0, 120, "Redis is found again")
        for tenant in TENANTS:
            wait_until(lambda t=tenant: servers[0].get(f"/t/{t}/api/v1/admin/slots").json()["slots"] == [], 300, "nothing is pending")
        faults += self.compare("sealed", ledger, servers)
        servers[0].post("/-/settle", timeout=600)
        time.sleep(5)  # two lives of what a replica remembers
        faults += self.compare("settled", ledger, servers)
        if faults:
            print("    " + "\n    ".join(chaos.told), flush=True)
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def compare(self, when, ledger, servers):
        return [f"{when}, replica {number}: {fault}" for number, server in enumerate(servers)
                for fault in ledger.check(server)]

    def test_chaos(self):
        self.chaos("chaos", Ledger(), Shape(queries_may_fail=True, batch=(1, 5, 20)), clocks=(0,))

    def test_chaos_of_clocks(self):
        self.chaos("chaos_of_clocks", Ledger(), Shape(queries_may_fail=True, batch=(1, 5, 20)))
