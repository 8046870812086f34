# SPDX-License-Identifier: Apache-2.0
"""Several replicas on a real Cassandra and Redis: what one takes in all have, each does what its roles say, jobs are
shared and go over."""

import json
import string
import time
from random import Random
from urllib.parse import urlencode

from support import wire
from support.client import wait_until
from support.cql import Cql
from support.load import Load
from support.replicas import ClusterCase

CHARACTERS = string.ascii_letters + string.digits + "-_"  # six bits each


class Replicas(ClusterCase):
    def test_what_one_takes_in_all_have(self):
        # A write that takes half of the quiet time is refused, and on a busy machine a second is not much.
        a, b, c = self.replicas(config={"slots.quiet": "60s"})
        now = int(time.time() * 1000)
        for number in range(20):
            a.influx(f"seen,host=h{number % 4} value={number}i {now + number}")
            for other in (b, c):
                self.assertEqual(other.values("seen", {"host": f"h{number % 4}"})[-1], (now + number, number))
        self.assertIn("seen", c.metric_names())
        answer = b.post("/api/v1/datapoints/delete", {"start_absolute": now, "end_absolute": now + 9,
                                                      "metrics": [{"name": "seen"}]})
        self.assertEqual(answer.status, 204)
        for server in (a, b, c):
            self.assertEqual(sorted(v for _, v in server.values("seen")), list(range(10, 20)))

    def test_markers_end_series_on_all(self):
        a, b, c = self.replicas(config={"slots.quiet": "60s"})
        now = int(time.time()) * 1000
        up = {"__name__": "up", "host": "a"}

        def write(server, *samples):
            answer = server.post("/api/v1/write", wire.snappy(wire.write_request([(up, samples)])),
                                 {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy"})
            self.assertEqual(answer.status, 204, answer)

        def ups(server, at):
            answer = server.get("/api/v1/query?" + urlencode({"query": "up", "time": at / 1000}))
            return [row["value"][1] for row in json.loads(answer.body)["data"]["result"]]

        write(a, (now - 60_000, wire.STALE_MARKER))  # nothing has ended
        for server in (a, b, c):
            self.assertNotIn("up", server.metric_names())
        write(a, (now - 60_000, 1.0), (now - 50_000, 2.0))
        write(b, (now - 40_000, wire.STALE_MARKER))  # it learns of the series from the others
        for server in (a, b, c):
            self.assertEqual(ups(server, now - 45_000), ["2"])
            self.assertEqual(ups(server, now), [])
            self.assertEqual(server.values("up"), [(now - 60_000, 1), (now - 50_000, 2)])
        write(c, (now - 40_000, 3.0))
        write(a, (now - 50_000, wire.STALE_MARKER))
        for server in (a, b, c):
            self.assertEqual(ups(server, now), ["3"])
            self.assertEqual(server.values("up"), [(now - 60_000, 1), (now - 40_000, 3)])

    def test_what_is_sealed_is_no_longer_hot(self):
        a, b, c = self.replicas()
        load = Load([a, b]).start()
        time.sleep(8)
        load.stop()

        def hot_rows():
            with Cql(self.backends.cassandra.contact_points) as cql:
                rows = cql.query(f"SELECT tenant FROM {a.config['cassandra.keyspace']}.data_raw_p_pt10s")
            return rows.count([b"default"])  # each replica writes of itself, in another tenant

        self.assertGreater(hot_rows(), 0)
        self.settled(c, load)
        wait_until(lambda: hot_rows() == 0, 60, "the hot rows are gone")
        self.assertGreater(sum(server.metric("varve_hot_slots_dropped_total") for server in (a, b, c)), 0)
        for server in (a, b, c):
            self.assertEqual(load.check(server), [])
        # What comes late changes one of them: one that is there, and one that is not.
        host = load.hosts[0]
        known = min(host.samples)
        for at in (known, known + 1):
            b.influx(f"load,host={host.name_} value=7i {at}")
            host.samples[at] = 7
        for server in (a, b, c):
            self.assertEqual(load.check(server), [])
        self.settled(c, load)

    def test_slots_that_were_sealed_one_by_one_become_a_row(self):
        a, b = self.replicas(2)
        stratum_ms = 24 * 10_000
        start = (int(time.time() * 1000) // stratum_ms - 2) * stratum_ms

        def rows():
            with Cql(self.backends.cassandra.contact_points) as cql:
                found = cql.query(f"SELECT tenant FROM {a.config['cassandra.keyspace']}.data_sealed_p_pt10s")
            return found.count([b"default"])

        sent = [(start + 10_000 * number, number) for number in range(8)]
        for number, (at, value) in enumerate(sent):
            a.influx(f"hours,host=a value={value}i {at}")
            wait_until(lambda: a.get("/api/v1/admin/slots").json()["slots"] == [], 60, "nothing is pending")
            self.assertEqual(rows(), number + 1)
        b.settle()
        self.assertEqual(rows(), 1)
        for server in (a, b):
            self.assertEqual(server.values("hours"), sent)
        # What comes late lies beside it.
        b.influx(f"hours,host=a value=7i {start + 5}")
        wait_until(lambda: a.get("/api/v1/admin/slots").json()["slots"] == [], 60, "nothing is pending")
        b.settle()
        self.assertEqual(rows(), 2)
        for server in (a, b):
            self.assertEqual(server.values("hours"), sorted(sent + [(start + 5, 7)]))

    def test_what_is_too_large_for_a_row_is_sealed(self):
        """Cassandra takes 16 MiB at once. What stands beside it is sealed as ever."""
        a, b = self.replicas(2)
        slot = (int(time.time()) // 10 - 6) * 10_000
        random = Random(7)
        texts = {slot + n * 100: "".join(random.choices(CHARACTERS, k=900_000)) for n in range(20)}
        for time_ms, text in texts.items():
            a.put([{"name": "large", "type": "string", "datapoints": [[time_ms, text]], "tags": {"host": "h"}}])
        a.influx("\n".join(f"beside,host=h{n} value={n}i {slot + n}" for n in range(41)))

        def told(server):
            return dict(server.values("large", start=slot, end=slot + 9_999)), len(server.values("beside", start=slot, end=slot + 9_999))

        self.assertEqual(told(b), (texts, 41))
        wait_until(lambda: a.get("/api/v1/admin/slots").json()["slots"] == [], 120, "nothing is pending")
        self.assertEqual(a.metric("varve_slots_set_aside") + b.metric("varve_slots_set_aside"), 0)
        for server in (a, b):
            self.assertEqual(told(server), (texts, 41))
        with Cql(self.backends.cassandra.contact_points) as cql:
            pieces = cql.query(f"SELECT part FROM {a.config['cassandra.keyspace']}.data_sealed_p_pt10s")
        self.assertGreater(sum(part[0] == (0xffff).to_bytes(2, "big") for part in pieces), 1)
        # A delete, and a late sample.
        gone = [t for t in texts if t < slot + 2_000]
        answer = b.post("/api/v1/datapoints/delete", {"start_absolute": slot, "end_absolute": slot + 1_999, "metrics": [{"name": "large"}]})
        self.assertEqual(answer.status, 204)
        texts = {t: text for t, text in texts.items() if t not in gone} | {slot + 5_000: "late"}
        a.put([{"name": "large", "type": "string", "datapoints": [[slot + 5_000, "late"]], "tags": {"host": "h"}}])
        a.settle()
        # Nothing was left of the series, so that b forgot it: who writes it at once hears of that within a second or so.
        for server in (a, b):
            wait_until(lambda server=server: told(server) == (texts, 41), 30, "the late one is seen")

    def test_a_redis_that_evicts(self):
        redis = self.backends.redis

        def configure(policy, maxmemory):
            for word, value in (("maxmemory-policy", policy), ("maxmemory", maxmemory)):
                self.assertEqual(redis.command("CONFIG", "SET", word, value), b"+OK\r\n")
        self.addCleanup(configure, "noeviction", "0")
        configure("allkeys-lru", "50mb")
        server = self.replica("evicts", {"slots.quiet": "60s"})
        server.spawn()
        self.assertEqual(server.wait_ready_or_end(), 2)
        self.assertIn("redis.url: Redis may evict what is pending (maxmemory-policy allkeys-lru, maxmemory 52428800)", server.log())
        configure("volatile-lru", "50mb")
        server.start()
        self.assertEqual(server.get("/-/ready").body, b"ready\n")
        now = int(time.time() * 1000)
        server.influx("\n".join(f"kept,host=h{n} value={n}i {now - n}" for n in range(20)))
        configure("allkeys-random", "50mb")
        wait_until(lambda: server.metric("varve_redis_may_evict") == 1, 30, "it is noticed")
        ready = server.get("/-/ready")
        self.assertEqual(ready.status, 200)
        self.assertIn(b"Redis may evict", ready.body)
        configure("allkeys-random", "1")  # all of it goes
        wait_until(lambda: server.metric("varve_redis_evicted_keys") > 0, 30, "it is counted")
        configure("noeviction", "0")
        wait_until(lambda: server.metric("varve_redis_lost") == 0, 60, "the journal is replayed")
        # Of all of time each slot would be read, of ten seconds here, since Redis does not say which there are.
        self.assertEqual(sorted(v for _, v in server.values("kept", start=now - 60_000, end=now)), list(range(20)))
        self.assertEqual(server.get("/-/ready").body, b"ready\n")

    def test_roles(self):
        keyspace = "roles"
        writer = self.replica(keyspace, {"roles": "ingest"}).start()
        reader = self.replica(keyspace, {"roles": "query"}).start()
        self.replica(keyspace, {"roles": "rollup"}).start()
        load = Load([writer]).start()
        time.sleep(8)
        load.stop()
        self.assertEqual(load.check(reader), [])
        self.settled(reader, load)
        self.assertEqual(writer.get("/api/v1/metricnames").status, 404)
        self.assertEqual(reader.post("/write", "m value=1").status, 404)
        self.assertEqual(self.held([writer, reader]), [0, 0])

    def test_lists_of_partitions(self):
        keyspace = "lists"
        first = self.replica(keyspace, {"slots.own": "0-6"}).start()
        load = Load([first], hosts=12).start()
        time.sleep(5)
        load.stop()
        wait_until(lambda: first.metric("varve_slots_sealed_total") > 0, 90, "it seals its own partitions")
        time.sleep(5)  # of others it would have sealed some by now
        self.assertNotEqual(first.get("/api/v1/admin/slots").json()["slots"], [])
        second = self.replica(keyspace, {"slots.own": "7-11"}).start()
        self.settled(second, load)
        self.assertEqual(first.get("/api/v1/admin/jobs").json()["own"], "list")

    def test_jobs_are_shared_and_go_over(self):
        servers = self.replicas(2)
        wait_until(lambda: self.held(servers) == [3, 3], 20, "three jobs each")
        keyspace = servers[0].config["cassandra.keyspace"]
        servers.append(self.replica(keyspace).start())
        wait_until(lambda: self.held(servers) == [2, 2, 2], 20, "two jobs each")
        servers[1].kill()
        left = [servers[0], servers[2]]
        wait_until(lambda: self.held(left) == [3, 3], 20, "a dead one's jobs go over")
        code, _ = left[0].stop()
        self.assertEqual(code, 0)
        begin = time.monotonic()
        wait_until(lambda: self.held(left[1:]) == [6], 20, "who stops gives back")
        self.assertLess(time.monotonic() - begin, 10)
        jobs = left[1].get("/api/v1/admin/jobs").json()["jobs"]
        self.assertEqual(len({job["holder"] for job in jobs}), 1)
