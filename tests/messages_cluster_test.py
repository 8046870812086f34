# SPDX-License-Identifier: Apache-2.0
"""Log messages of several replicas on a real Cassandra and Redis: what one acknowledged all have, once, whoever is killed,
and whether it is sealed or not."""

import http.client
import json
import threading
import time

from support.client import wait_until
from support.long import only_long
from support.replicas import ClusterCase

SECOND = 1_000_000  # us
PATIENT = {"slots.quiet": "30s"}  # a write that takes longer is refused, which a busy machine would see at 4 s


class Writer:
    """Posts numbered messages to one replica until it is stopped; what it did not get an answer to may be there or not."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.acknowledged, self.maybe, self.next = set(), set(), 0
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.stopping.is_set():
            now = time.time_ns() // 1000
            texts = [f"{self.name}-{self.next + i}" for i in range(20)]
            self.next += 20
            # Some are late, some have been sent before: by their ids they are the same.
            lines = [{"time": now - (i % 5) * 4 * SECOND, "text": text, "source": self.name, f"field{i % 3}": i}
                     for i, text in enumerate(texts)]
            lines[0]["id"] = f"00000000-0000-4000-8000-{self.next:012x}"
            body = "".join(json.dumps(line) + "\n" for line in [*lines, lines[0]])
            try:
                answer = self.server.request("POST", "/api/v1/messages", body.encode())
                good = answer.status == 204
            except OSError:
                good = False
                self.stopping.wait(0.05)
            (self.acknowledged if good else self.maybe).update(texts)

    def stop(self):
        self.stopping.set()
        self.thread.join()


def texts_at(server):
    query = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now+1h", "select_fields": ["Xmlmessage"]}
    answer = server.request("POST", "/analytics/query", json.dumps(query).encode())
    assert answer.status == 200, (answer.status, answer.body)
    return [row["Xmlmessage"] for row in json.loads(answer.body)["value"]]


class Follower:
    """Follows all messages through one replica; knows when each came."""

    def __init__(self, server):
        query = {"table": "MessageTable", "start_time": "now-1h", "select_fields": ["Xmlmessage"], "follow": True}
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        self.connection.request("POST", "/analytics/query", json.dumps(query), {"Accept": "application/x-ndjson"})
        self.answer = self.connection.getresponse()
        self.seen, self.lines = {}, []
        self.closing = False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def arriving(self):
        try:
            yield from self.answer
        except (http.client.IncompleteRead, ValueError):  # in the middle of a chunk, or of how long it is
            if not self.closing:
                raise

    def run(self):
        for line in self.arriving():
            row = json.loads(line)
            self.lines.append(row.get("Xmlmessage", row))
            self.seen[self.lines[-1] if isinstance(self.lines[-1], str) else ""] = time.monotonic()

    def close(self):
        self.closing = True
        self.connection.sock.shutdown(2)
        self.thread.join(10)  # it reads what is there: before that nothing is closed under its hands
        self.connection.close()


def put(server, texts, **more):
    body = "".join(json.dumps({"text": text, **more}) + "\n" for text in texts)
    answer = server.request("POST", "/api/v1/messages", body.encode())
    assert answer.status == 204, (answer.status, answer.body)


class MessagesOfReplicas(ClusterCase):
    def test_a_follower_hears_all_replicas_once(self):
        a, b = self.replicas(2, PATIENT)
        put(a, ["before a"])
        put(b, ["before b"])
        follower = Follower(b)
        wait_until(lambda: len(follower.lines) == 2, 30, "what is stored comes first")
        took = []
        for i in range(40):
            put(a, [f"a{i}"])
            put(b, [f"b{i}"])
            acknowledged = time.monotonic()
            wait_until(lambda: f"a{i}" in follower.seen and f"b{i}" in follower.seen, 30, "it is heard")
            took.append(follower.seen[f"a{i}"] - acknowledged)
        writers = [Writer(a, "wa"), Writer(b, "wb")]
        time.sleep(2)
        self.backends.redis.kill()
        time.sleep(3)
        self.backends.redis.start()
        time.sleep(3)
        for writer in writers:
            writer.stop()
        known = set().union(*(w.acknowledged for w in writers))
        wait_until(lambda: known <= follower.seen.keys(), 60, "all that is acknowledged is heard, with Redis and without")
        time.sleep(1)
        self.assertEqual(len(follower.lines), len(set(follower.lines)), "once each")
        follower.close()
        took.sort()
        print(f"another replica's message is seen after {1000 * took[20]:.0f} ms, 95 %: {1000 * took[38]:.0f} ms")

    @only_long
    def test_deletes_are_seen_by_all_while_replicas_write_and_seal(self):
        a, b, c = self.replicas(config={"slots.quiet": "4s"})
        writers = [Writer(a, "a"), Writer(b, "b")]
        deleted = 0
        gone = set()
        for round_ in range(5):
            time.sleep(2)
            known = set().union(*(set(w.acknowledged) for w in writers))
            digit = str(round_)
            query = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now+1h",
                     "where": [[{"name": "Xmlmessage", "value": f".*{digit}", "op": 8}]]}
            answer = c.request("POST", "/api/v1/messages/delete", json.dumps(query).encode())
            self.assertEqual(answer.status, 200, answer.body)
            deleted += json.loads(answer.body)["deleted"]
            gone |= {text for text in known if text.endswith(digit)}
            for server in (a, b, c):
                self.assertEqual(sorted(gone.intersection(texts_at(server)))[:5], [], "deleted, and there")
            self.assertGreaterEqual(deleted, len(gone))
        for writer in writers:
            writer.stop()
            writer.maybe |= {text for text in writer.acknowledged if text[-1] in "01234"}
            writer.acknowledged -= writer.maybe
        self.check(a, writers)
        c.settle()
        self.sealed(c)
        for server in (a, b, c):
            self.check(server, writers)
            self.assertEqual(gone.intersection(texts_at(server)), set())

    def check(self, server, writers):
        found = texts_at(server)
        there = set(found)
        self.assertEqual(len(found), len(there), "a message is there twice")
        for writer in writers:
            self.assertEqual(sorted(writer.acknowledged - there)[:5], [], "acknowledged and lost")
        self.assertEqual(sorted(there - set().union(*(w.acknowledged | w.maybe for w in writers)))[:5], [])

    def sealed(self, server):
        wait_until(lambda: server.get("/api/v1/admin/slots").json()["messages"] == [], 90, "no slot of messages is pending")

    def test_killed_replicas_lose_nothing_and_repeat_nothing(self):
        a, b, c = self.replicas(config={"slots.quiet": "4s"})
        writers = [Writer(a, "a"), Writer(b, "b")]
        for round_ in range(4):
            time.sleep(3)
            texts_at(c)
            victim = (a, b)[round_ % 2]
            victim.kill()
            victim.start()
        time.sleep(2)
        for writer in writers:
            writer.stop()
            self.assertGreater(len(writer.acknowledged), 100)
        for server in (a, b, c):
            self.check(server, writers)
        c.settle()
        self.check(a, writers)
        self.sealed(c)
        for server in (a, b, c):
            self.check(server, writers)
        self.assertGreater(sum(server.metric("varve_slots_sealed_total") for server in (a, b, c)), 0)

    def test_any_replica_answers_what_another_was_asked(self):
        a, b = self.replicas(2, PATIENT)
        tenant = {"X-Tenant": "later"}
        lines = "".join(json.dumps({"text": f"{i} " + "x" * 300}) + "\n" for i in range(5000))
        self.assertEqual(a.request("POST", "/api/v1/messages", lines.encode(), tenant).status, 204)
        asked = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now+1h", "select_fields": ["Xmlmessage"]}
        begun = a.request("POST", "/analytics/query", json.dumps(asked).encode(), {**tenant, "Expect": "202-accepted"})
        self.assertEqual(begun.status, 202, begun.body)
        href = json.loads(begun.body)["href"]
        wait_until(lambda: json.loads(b.request("GET", href, headers=tenant).body)["progress"] == 100, 60, "the result is there")
        self.assertEqual(b.request("GET", href, headers={"X-Tenant": "other"}).status, 410)
        a.kill()
        for _ in range(2):
            rows = json.loads(b.request("GET", href + "/chunk-final/0", headers=tenant).body)["value"]
            self.assertEqual(sorted(int(row["Xmlmessage"].split()[0]) for row in rows), list(range(5000)))
        a.start()
        self.assertEqual(json.loads(a.request("GET", href, headers=tenant).body)["chunks"][0]["count"], 5000)

    def test_redis_is_lost(self):
        a, b = self.replicas(2, {"slots.quiet": "4s"})
        writers = [Writer(a, "a"), Writer(b, "b")]
        time.sleep(3)
        self.backends.redis.kill()
        time.sleep(4)
        self.backends.redis.start()
        time.sleep(4)
        for writer in writers:
            writer.stop()
        for server in (a, b):
            self.check(server, writers)
        wait_until(lambda: a.metric("varve_redis_lost") == 0, 60, "Redis is whole again")
        self.sealed(a)
        for server in (a, b):
            self.check(server, writers)
