# SPDX-License-Identifier: Apache-2.0
"""`varve logs`: which messages it prints, in each format, as new ones come, and what it says where that cannot be."""

import contextlib
import http.server
import itertools
import json
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
import unittest

from support import certificates
from support.case import OwnServerCase, ServerCase
from support.client import wait_until
from support.cluster import die_with_parent
from support.sanitized import skip_what_measures_memory
from support.server import BINARY, free_port

SECOND = 1_000_000
NOW = time.time_ns() // 1000 // SECOND * SECOND
T = NOW - 300 * SECOND

XML = '<CollectorInfo type="sandesh"><state>up &amp; ready</state><stats><rate>5</rate><name>x</name></stats><file>a.cc</file></CollectorInfo>'
MESSAGES = [
    {"time": T + 1, "source": "node-1", "module": "collector", "type": "CollectorInfo", "level": "info", "kind": "system",
     "node_type": "Analytics", "instance": "0", "category": "db", "sequence": 7, "objects": ["ObjectVNTable:a:b"], "text": XML},
    {"time": T + 2, "source": "node-1", "module": "query-engine", "type": "CollectorInfo", "level": 4, "kind": "object",
     "objects": ["ObjectVNTable:a:c"], "text": XML, "user": {"name": "jo e"}},
    {"time": T + 3, "source": "node-2", "module": "query-engine", "type": "QueryLog", "level": "err", "kind": "uve", "pid": 12,
     "objects": ["ObjectVNTable:a:b", "ConfigObjectTableByUser:x"], "text": "Timeout of \"x\"\nafter 30s"},
    {"time": T + 4, "source": "other", "module": "api", "type": "Traced", "sequence": 9, "level": 7, "kind": "trace", "text": "traced"},
    {"time": T + 5, "source": "h", "module": "sshd", "type": "Syslog", "level": 6, "kind": "syslog", "category": "auth", "text": "plain"},
]


def local(us):
    return time.strftime("%Y %b %d %H:%M:%S", time.localtime(us // SECOND)) + f".{us % SECOND:06d}"


def logs(*arguments, **more):
    return subprocess.run([BINARY, "logs", *arguments], capture_output=True, text=True, timeout=60, check=False,
                          preexec_fn=die_with_parent, **more)


class Printed(ServerCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.put(MESSAGES)

    @classmethod
    def put(cls, messages, tenant="default"):
        answer = cls.server.post("/api/v1/messages", "".join(json.dumps(m) + "\n" for m in messages).encode(), {"X-Tenant": tenant})
        assert answer.status == 204, answer.body

    def lines(self, *arguments):
        done = logs("--url", f"http://127.0.0.1:{self.server.port}", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout.splitlines()

    def times(self, *arguments):
        """Which of the messages, by the last digit of their times, in the order of the lines."""
        return [int(json.loads(line)["MessageTS"]) - T for line in self.json_rows(*arguments)]

    def json_rows(self, *arguments):
        return [json.dumps(row) for row in json.loads("\n".join(self.lines("--json", *arguments)))]

    def test_plain_lines(self):
        def at(us):
            return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(us // SECOND)) + f".{us % SECOND:06d}"
        self.assertEqual(self.lines(), [
            f"{at(T + 1)} info    node-1 collector: up & ready 5 x",
            f"{at(T + 2)} warning node-1 query-engine: state = up & ready, stats = [rate = 5, name = x] user.name=\"jo e\"",
            f"{at(T + 3)} err     node-2 query-engine[12]: Timeout of \"x\"", "    after 30s",
            f"{at(T + 4)} debug   other api: traced",
            f"{at(T + 5)} info    h sshd: plain"])

    def test_all_fields(self):
        """Of any protocol: nothing that a sender said is hidden."""
        tenant = "fields"
        self.put([{"time": T, "source": "a", "text": "x", "user": {"name": "jo e", "tags": ["a", 1]}, "n": 1.5},
                  {"time": T + 1, "source": "b", "text": "y", "user": {"name": "joe"}}], tenant)
        push = {"streams": [{"stream": {"app": "shop", "job": "web"}, "values": [[str((T + 2) * 1000), "z", {"trace": "t1"}]]}]}
        self.assertEqual(self.server.post(f"/t/{tenant}/loki/api/v1/push", push, {"Content-Type": "application/json"}).status, 204)
        lines = self.lines("--tenant", tenant)
        self.assertTrue(lines[0].endswith(' a: x user.name="jo e" user.tags="[\\"a\\",1]" n=1.5'), lines[0])
        self.assertIn(" app=shop", lines[2])
        self.assertIn(" trace=t1", lines[2])
        self.assertIn(' user.name="jo e"', self.lines("--tenant", tenant, "--format=logfmt")[0])
        rows = [json.loads(row) for row in self.json_rows("--tenant", tenant)]
        self.assertEqual((rows[0]["user.name"], rows[0]["user.tags"], rows[0]["n"], rows[2]["app"]), ("jo e", ["a", 1], 1.5, "shop"))
        self.assertNotIn("n", rows[1])
        listed = dict(reversed(line.split()) for line in self.lines("--tenant", tenant, "--fields"))
        self.assertEqual({name: listed.get(name) for name in ("user.name", "user.tags", "n", "app", "trace")},
                         {"user.name": "2", "user.tags": "1", "n": "1", "app": "1", "trace": "1"})
        self.assertEqual([line.split() for line in self.lines("--tenant", tenant, "--source=a", "--fields")], [["1", "n"], ["1", "user.name"], ["1", "user.tags"]])
        self.assertTrue(self.lines("--tenant", tenant, "--fields=n")[0].endswith(" a: x n=1.5"))

    def test_lines(self):
        self.assertEqual(self.lines("--format=contrail"), [
            f"{local(T + 1)} node-1 [Analytics:collector:0:db][SYS_INFO] : CollectorInfo:7 up & ready 5 x",
            f"{local(T + 2)} node-1 [:query-engine::][SYS_WARN] : CollectorInfo: state = up & ready, stats = [rate = 5, name = x]",
            f"{local(T + 3)} node-2 [:query-engine::][SYS_ERR] : QueryLog: Timeout of \"x\"", "    after 30s",
            f"{local(T + 4)} other [:api::][SYS_DEBUG] : Traced:9 traced",
            f"{local(T + 5)} h [:sshd::auth][SYS_INFO] : Syslog: plain"])
        self.assertEqual(self.lines("--raw", "--limit=1"),
                         [f"{local(T + 1)} node-1 [Analytics:collector:0:db][SYS_INFO] : CollectorInfo:7 {XML}"])
        self.assertEqual(self.lines("--format=contrail", "--object-type", "virtual-network", "--object-id", "a:c"),
                         [f"{local(T + 2)} node-1 [:query-engine:] : CollectorInfo: state = up & ready, stats = [rate = 5, name = x]"])
        self.assertEqual(self.lines("--format=contrail", "--trace", "Traced", "--source", "other", "--module=api"), [f"{local(T + 4)} Traced:9 traced"])
        self.assertEqual(self.lines("--format=logfmt", "--source=node-2", "--fields", "user.name")[0].split(" ", 1)[1],
                         'level=err source=node-2 module=query-engine type=QueryLog kind=6 pid=12 '
                         'objects=ObjectVNTable:a:b,ConfigObjectTableByUser:x msg="Timeout of \\"x\\"\\nafter 30s"')
        self.assertEqual(self.lines("--format=contrail", "--where=user.name='jo e'", "--fields=user.name")[0].split(" : ")[1],
                         'CollectorInfo: {user.name="jo e"} state = up & ready, stats = [rate = 5, name = x]')

    def test_which(self):
        cases = [
            ([], [1, 2, 3, 4, 5]),
            (["--source", "node-1", "other", "--module", "query-engine", "api"], [2, 4]),
            (["--source", "node-*"], [1, 2, 3]),
            (["--message-type=Coll*"], [1, 2]),
            (["--level", "err"], [3]),
            (["--level", "SYS_WARN"], [2, 3]),
            (["--category", "auth"], [5]),
            (["--node-type=Analytics", "--instance-id=0"], [1]),
            (["--keywords", "timeout,30s"], [3]),
            (["--keywords", "TIME*"], [3]),
            (["--where", "Source=node-2 OR Keyword=ready AND Level<=4"], [2, 3]),
            (["--where", "user.name=\"jo e\""], [2]),
            (["--where", "Pid=10<12"], [3]),
            (["--where", "Xmlmessage=~(?s)Timeout.*"], [3]),
            (["--where", "ObjectName~ObjectVNTable:a:b"], [1, 3]),
            (["--where", "Source!=node-1", "--reverse"], [5, 4, 3]),
            (["--reverse", "--limit", "2"], [5, 4]),
            (["--limit", "2"], [1, 2]),
            (["--last", "1m"], []),
            (["--last", "1h", "--limit=100"], [1, 2, 3, 4, 5]),
            (["--start-time", str(T + 2), "--end-time", str(T + 3)], [2, 3]),
            (["--start-time", local(T + 3), "--end-time=now"], [3, 4, 5]),
            (["--start-time", "-10m", "--where=Level>=7"], [4]),
            (["--object-type=ObjectVNTable", "--object-id=a:b"], [1, 3]),
            (["--object-type=ObjectVNTable", "--object-select-field=SystemLog"], [1]),
            (["--tenant", "other"], []),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments):
                self.assertEqual(self.times(*arguments), expected)

    def test_values(self):
        self.assertEqual(self.lines("--object-type", "virtual-network", "--object-values"), ["a:b", "a:c"])
        self.assertEqual(self.lines("--object-type", "config-user", "--object-values", "--object-id=y*"), [])
        self.assertEqual(sorted(self.lines("--message-types")), ["CollectorInfo", "QueryLog", "Syslog", "Traced"])

    def test_json_is_one_list_also_of_nothing(self):
        (row,) = json.loads("".join(self.lines("--json", "--source=node-2", "--fields=user.name")))
        self.assertEqual((row["Pid"], row["ObjectName"][0], row["user.name"], row["Xmlmessage"]),
                         (12, "ObjectVNTable:a:b", None, 'Timeout of "x"\nafter 30s'))
        self.assertEqual(self.lines("--format=json", "--source=nobody"), ["[]"])

    def test_output_file_and_verbose(self):
        path = os.path.join(self.server.root, "out")
        done = logs("--analytics-api-ip=127.0.0.1", "--analytics-api-port", str(self.server.port), "--output-file", path, "--verbose")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn('/analytics/query {"table":"MessageTable","start_time":"now-10m"', done.stderr)
        with open(path) as f:
            self.assertEqual(f.read().splitlines(), self.lines())

    def test_as_syslog(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("127.0.0.1", 0))
            receiver.settimeout(20)
            done = logs("--url", f"http://127.0.0.1:{self.server.port}", "--send-syslog", "--syslog-server", "127.0.0.1", "--syslog-port",
                        str(receiver.getsockname()[1]), "--source", "node-2", "h")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "2 messages sent\n"))
            got = [receiver.recv(65536).decode() for _ in range(2)]
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(T // SECOND))
        self.assertEqual(got, [f'<11>1 {stamp}.000003Z node-2 query-engine 12 QueryLog - Timeout of "x"\nafter 30s',
                               f"<14>1 {stamp}.000005Z h sshd - Syslog - plain"])

    def test_many_stream(self):
        """More than a client with little memory could gather: it prints them all."""
        text = "x" * 2000
        for begin in range(0, 50_000, 5000):
            self.put([{"time": T + n, "source": "many", "text": f"{n} {text}"} for n in range(begin, begin + 5000)], "many")
        process = subprocess.Popen([BINARY, "logs", "--url", f"http://127.0.0.1:{self.server.port}", "--tenant=many", "--last=1h"],
                                   stdout=subprocess.PIPE, preexec_fn=die_with_parent)
        self.addCleanup(process.kill)
        count = 0
        with process.stdout:
            for line in process.stdout:
                self.assertIn(b" many: %d x" % count, line)
                count += 1
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((process.returncode, count), (0, 50_000))
        skip_what_measures_memory()
        self.assertLess(usage.ru_maxrss, 60 * 1024)  # of 100 MB; most of it is the program

    def test_a_reader_that_has_enough(self):
        head = subprocess.run(f"{BINARY} logs --url http://127.0.0.1:{self.server.port} | head -n 1", shell=True, capture_output=True,
                              text=True, timeout=60, check=True)
        self.assertEqual((len(head.stdout.splitlines()), head.stderr), (1, ""))


class Wrong(OwnServerCase):
    def test_arguments(self):
        for arguments, says in [(["--colour"], '"--colour": no such flag'), (["--where", "a=1 b"], "--where: AND or OR is expected"),
                                (["--limit=0"], "--limit:"), (["-f", "--reverse"], "--reverse: not with -f"),
                                (["--url=ftp://h"], "only http and https are spoken"), (["--start-time=then"], "is not a time")]:
            done = logs(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith("varve: "), done.stderr)
            self.assertIn(says, done.stderr)
        done = logs("--help")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([line.split()[:2] for line in done.stdout.splitlines()[:3]], [["varve", "logs"]] * 3)
        self.assertIn("application-policy-set", done.stdout)

    def test_no_server(self):
        done = logs(f"--url=http://127.0.0.1:{free_port()}")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^varve: cannot connect to 127\.0\.0\.1:\d+: Connection refused; is the server running\?")
        done = logs("--url=http://no.such.host.invalid:1")
        self.assertIn("the host no.such.host.invalid is not known", done.stderr)

    def test_what_the_server_says(self):
        server = self.new_server().start()
        done = logs(f"--url=http://127.0.0.1:{server.port}", "--where=no.field=1")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, "varve: --where: no message has a field 'no.field' yet; --fields alone lists those that there are\n")
        done = logs(f"--url=http://127.0.0.1:{server.port}", "--where=no.field=1 OR Source=a", "--json")
        self.assertEqual((done.returncode, done.stdout), (0, "[]\n"))
        done = logs(f"--url=http://127.0.0.1:{server.port}", "--fields=no.field")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("answers 410", logs(f"--url=http://127.0.0.1:{server.port}", "--object-type=NoTable").stderr)
        self.assertIn("answers 404", logs(f"--url=http://127.0.0.1:{server.port}/elsewhere").stderr)

    def answer(self, *raw):
        """A server that answers these bytes to one request after the other, the last ones to all that come then; its URL."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            with contextlib.suppress(OSError):
                for answer in itertools.chain(raw, itertools.repeat(raw[-1])):
                    connection, _ = listener.accept()
                    with connection:
                        while b"select_fields" not in connection.recv(65536):
                            pass
                        connection.sendall(answer)
        threading.Thread(target=serve, daemon=True).start()
        return f"--url=http://127.0.0.1:{listener.getsockname()[1]}"

    def test_a_server_that_starts(self):
        """It is asked again, and a line says why it takes so long."""
        starting = b'{"error":"the server is starting or stopping","errors":["the server is starting or stopping"]}\n'
        head = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: %d\r\n\r\n" % len(starting)
        row = b'{"MessageTS":0,"Source":"h","Messagetype":"T"}\n'
        good = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n" + row
        done = logs(self.answer(head + starting, head + starting, good), env={**os.environ, "TZ": "UTC"})
        self.assertEqual((done.returncode, done.stdout), (0, "1970-01-01 00:00:00.000000 -       h:\n"))
        self.assertEqual(done.stderr, "varve: the server is starting or stopping; asking again for 10 seconds\n")
        done = logs(self.answer(head + starting))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("answers 503: the server is starting or stopping\n", done.stderr)

    def test_answers_that_are_bad(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
        row = b'{"MessageTS":0,"Source":"h","Messagetype":"T"}\n'
        for raw, says in [
                (b"", "closed the connection without an answer"), (b"SSH-2.0\r\n\r\n", "does not answer as HTTP has it"),
                (head + b"Content-Length: 500\r\n\r\n" + row, "in the middle of its answer"),
                (head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(row), row), "in the middle of its answer"),
                (head + b"\r\n" + row + row[:9], "the answer ends too early"), (head + b"\r\n" + row + b"{x}\n", "is not JSON"),
                (head + b"\r\n" + row + b'{"error":"the disk is gone"}\n', "varve: the disk is gone"),
                (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>", 'is "text/html": is it a varve'),
                (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 9\r\n\r\nNo luck.\n", "answers 502: No luck.\n"),
                (b"HTTP/1.1 429 Too Many\r\nContent-Length: 0\r\n\r\n", "answers 429: no more is said")]:
            with self.subTest(says):
                done = logs(self.answer(raw), env={**os.environ, "TZ": "UTC"})
                self.assertEqual(done.returncode, 1)
                self.assertIn(says, done.stderr)
                self.assertEqual(done.stdout, "1970-01-01 00:00:00.000000 -       h:\n" if row in raw else "")
        done = logs(self.answer(b"HTTP/1.1 100 Continue\r\n\r\n" + head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
                                % (len(row), row)), env={**os.environ, "TZ": "UTC"})
        self.assertEqual((done.returncode, done.stdout), (0, "1970-01-01 00:00:00.000000 -       h:\n"))


class Follow(OwnServerCase):
    """-f against a server that this test plays, row by row; follow_test has the real one."""

    def test_lines_come_at_once(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            asked, connections = [], []

            def do_POST(self):  # noqa: N802
                Handler.asked.append((json.loads(self.rfile.read(int(self.headers["Content-Length"]))), dict(self.headers)))
                self.send_response(200)
                self.send_header("Content-Type", "application/x-ndjson")
                self.end_headers()
                Handler.connections.append(self.connection)
                threading.Event().wait(60)

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        process = subprocess.Popen([BINARY, "logs", f"--url=http://u:p@127.0.0.1:{server.server_port}/x", "-f", "--tenant=t", "--limit=3"],
                                   stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        wait_until(lambda: Handler.connections, 20)
        body, headers = Handler.asked[0]
        self.assertEqual((body["follow"], body["start_time"], body["end_time"], "limit" in body), (True, "now-10s", "now", False))
        self.assertEqual((headers["X-Tenant"], headers["Authorization"], headers["Accept"]), ("t", "Basic dTpw", "application/x-ndjson"))
        for n in range(3):  # each is printed before the next is there
            Handler.connections[0].sendall(b'{"MessageTS":0,"Source":"h","Messagetype":"T","Xmlmessage":"%d"}\n' % n)
            self.assertTrue(process.stdout.readline().endswith(f" h: {n}\n"))
        self.assertEqual(process.wait(20), 0)  # --limit


    def test_json_is_a_row_a_line(self):
        """Whoever ends it has whole rows: a list could not be closed."""
        server = self.new_server().start()
        url = f"--url=http://127.0.0.1:{server.port}"
        process = subprocess.Popen([BINARY, "logs", url, "-f", "--json"], stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        wait_until(lambda: "varve_followers 1" in server.get("/metrics").body.decode(), 20)
        for n in range(3):
            self.assertEqual(server.post("/api/v1/messages", json.dumps({"source": "h", "text": f"{n}"}).encode()).status, 204)
            self.assertEqual(json.loads(process.stdout.readline())["Xmlmessage"], f"{n}")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stdout.read(), "")


class Https(OwnServerCase):
    """Through a proxy that speaks TLS, as the one of docs/operate/security.md does."""

    def proxy(self, server):
        ca, _ = certificates.make(server.root, "ca")
        own = certificates.make(server.root, "proxy", "ca")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*own)
        listener = socket.create_server(("", 0))  # also at 127.0.0.2, which its certificate does not name
        self.addCleanup(listener.close)

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    raw, _ = listener.accept()
                    threading.Thread(target=pass_on, args=(raw,), daemon=True).start()

        def pass_on(raw):
            with contextlib.suppress(OSError), context.wrap_socket(raw, server_side=True) as client, \
                    socket.create_connection(("127.0.0.1", server.port)) as there:
                forth = threading.Thread(target=copy, args=(client, there), daemon=True)
                forth.start()
                copy(there, client)
                # A descriptor that is closed while the other thread writes to it may be another's by then.
                for one in (client, there):
                    with contextlib.suppress(OSError):
                        one.shutdown(socket.SHUT_RDWR)
                forth.join()

        def copy(source, to):
            with contextlib.suppress(OSError):
                while piece := source.recv(65536):
                    to.sendall(piece)
        threading.Thread(target=serve, daemon=True).start()
        return f"--server=https://127.0.0.1:{listener.getsockname()[1]}", ca

    def test_certificates_are_checked(self):
        server = self.new_server().start()
        text = "x" * 5000
        body = "".join(json.dumps({"source": "h", "text": f"{n} {text}"}) + "\n" for n in range(200))
        self.assertEqual(server.post("/api/v1/messages", body.encode()).status, 204)
        url, ca = self.proxy(server)
        done = logs(url, "--ca", ca)
        self.assertEqual((done.returncode, done.stderr, len(done.stdout.splitlines())), (0, "", 200))
        done = logs(url)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "^varve: 127.0.0.1:.*: its certificate is not good: .*; --ca names a file")
        done = logs(url.replace("127.0.0.1", "127.0.0.2"), "--ca", ca)
        self.assertIn("certificate is not good", done.stderr)
        done = logs(url, "--ca", "/nope")
        self.assertIn("--ca: /nope: this is not a PEM file", done.stderr)
        done = logs(f"--server=https://127.0.0.1:{server.port}", "--ca", ca)
        self.assertEqual(done.returncode, 1)
        self.assertIn("TLS", done.stderr)
        listed = subprocess.run([BINARY, "device", "list", url, "--ca", ca], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
