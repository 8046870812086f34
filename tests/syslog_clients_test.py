# SPDX-License-Identifier: Apache-2.0
"""Real senders of syslog, over UDP, TCP and TLS, in the formats and frames that they know: rsyslog and syslog-ng of Debian,
logger(1) in all its forms, Python's handler, and what Telegraf's output writes."""

import json
import logging
import logging.handlers
import os
import re
import signal
import socket
import ssl
import subprocess
import unittest

from support import certificates, debian
from support.case import ServerCase
from support.client import wait_until
from support.cluster import die_with_parent
from support.documents import snippets
from support.logs import Logs, term
from support.server import Server, free_port

COLUMNS = ["Source", "ModuleId", "Pid", "Level", "Category", "Messagetype", "Type", "Xmlmessage"]
HOST = socket.gethostname()


class Syslog(ServerCase):
    """A server with every address, and a client certificate demanded over TLS."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)
        root = cls.server.root
        certificates.make(root, "ca")
        certificate, key = certificates.make(root, "server", "ca")
        certificates.make(root, "client", "ca")
        certificates.make(root, "stranger")
        cls.ports = {way: free_port() for way in ("udp", "tcp", "tls")}
        cls.server.config = {**{f"syslog.{way}": f"127.0.0.1:{port}" for way, port in cls.ports.items()},
                             "syslog.certificate": certificate, "syslog.key": key, "syslog.client_ca": os.path.join(root, "ca.crt"),
                             "syslog.tenant": "net", "syslog.zone": "UTC", "messages.retention": "20000d"}
        cls.server.start()

    def rows(self, module, select=None):
        body = {"table": "MessageTable", "start_time": 0, "end_time": "now+1h", "select_fields": select or COLUMNS,
                "where": [[{"name": "ModuleId", "value": module, "op": 1}]]}
        answer = self.server.post("/analytics/query", json.dumps(body).encode(), {"X-Tenant": "net"})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["value"]

    def wait_rows(self, module, count, select=None, child=None):
        """Nobody says when a sender has sent."""
        try:
            wait_until(lambda: len(self.rows(module)) >= count, 30, f"{count} messages of {module}")
        except TimeoutError as error:
            self.fail(f"{error}; {self.rows(module)}\n{self.server.log()[-1000:]}\n{child.output() if child else ''}")
        return self.rows(module, select)

    def refused(self):
        return {reason: self.server.metric("varve_messages_rejected_total", protocol="syslog", reason=reason)
                for reason in ("too_long", "empty", "no_priority", "incomplete", "store")}

    def file(self, name):
        return os.path.join(self.server.root, name)


class Child:
    """A daemon with a configuration, a socket to send to, and directories of its own."""

    def __init__(self, case, name, config, command, env=None):
        self.folder = case.file(name)
        os.mkdir(self.folder)
        self.socket = os.path.join(self.folder, "socket")
        path = os.path.join(self.folder, "conf")
        with open(path, "w") as f:
            f.write(config.format(folder=self.folder, socket=self.socket))
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen([part.format(folder=self.folder, conf=path) for part in command], stdout=log,
                                            stderr=log, preexec_fn=die_with_parent, env={**os.environ, **(env or {})})
        case.addCleanup(self.stop)
        try:
            wait_until(lambda: os.path.exists(self.socket) or self.process.poll() is not None, 20, f"{name}'s socket")
        finally:
            if not os.path.exists(self.socket):
                case.fail(f"{name} did not start: {self.output()}")

    def send(self, *datagrams):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.connect(self.socket)
            for datagram in datagrams:
                s.send(datagram)

    def output(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as f:
            return f.read()[-3000:]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Daemons(Syslog):
    """Each gets messages of a local program, as glibc's syslog() sends them, and passes them on."""

    MESSAGES = [b"<30>Oct  3 10:11:12 %s[42]: first [x] \"y\" %%s", "<29>Oct  3 10:11:13 %s[42]: zweite ä €".encode(),
                b"<11>Oct  3 10:11:14 %s: no pid", b"<30>Oct  3 10:11:15 %s[42]: " + b"long " * 1500 + b"end"]

    def pass_on(self, child, module):
        child.send(*[message.replace(b"%s", module.encode(), 1).replace(b"%%", b"%") for message in self.MESSAGES])
        rows = self.wait_rows(module, 4, child=child)
        expected = {'first [x] "y" %s': (6, "daemon", 42), "zweite ä €": (5, "daemon", 42), "no pid": (3, "user", None),
                    "long " * 1500 + "end": (6, "daemon", 42)}
        self.assertEqual({row["Xmlmessage"]: (row["Level"], row["Category"], row["Pid"]) for row in rows},
                         expected)
        self.assertEqual({(row["Source"], row["Messagetype"], row["Type"]) for row in rows}, {(HOST, "Syslog", 10)})

    # --- rsyslog ---

    def rsyslog(self, name, action, settings="", more=None):
        debs = debian.unpacked("rsyslog-outputs", "rsyslog", "rsyslog-gnutls", "rsyslog-elasticsearch")
        config = f"""
global(workDirectory="{{folder}}" maxMessageSize="64k" {settings})
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="{{socket}}" RateLimit.Interval="0")
{more or f'action(type="omfwd" target="127.0.0.1" {action})'}
"""
        return Child(self, name, config, [str(debs / "usr/sbin/rsyslogd"), "-n", "-f", "{conf}", "-i", "{folder}/pid", "-M",
                                          str(debs / "usr/lib/x86_64-linux-gnu/rsyslog")],
                     {"LD_LIBRARY_PATH": debian.library_path(debs)})

    def test_rsyslog(self):
        tls = 'StreamDriver="gtls" StreamDriverMode="1" StreamDriverAuthMode="x509/certvalid"'
        files = " ".join(f'DefaultNetstreamDriver{what}File="{self.file(file)}"'
                         for what, file in (("CA", "ca.crt"), ("Cert", "client.crt"), ("Key", "client.key")))
        udp, tcp, over_tls = (f'port="{self.ports[way]}" protocol="{"udp" if way == "udp" else "tcp"}"' for way in self.ports)
        ways = {
            "udp": (udp, ""),
            "udp-5424": (f'{udp} template="RSYSLOG_SyslogProtocol23Format"', ""),
            "tcp-lines": (f'{tcp} TCP_Framing="traditional"', ""),
            "tcp-forward": (f'{tcp} TCP_Framing="traditional" template="RSYSLOG_ForwardFormat"', ""),
            "tcp-counted": (f'{tcp} TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format"', ""),
            "tcp-counted-3164": (f'{tcp} TCP_Framing="octet-counted" template="RSYSLOG_TraditionalForwardFormat"', ""),
            "tls": (f'{over_tls} TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format" {tls}', files),
            "tls-lines": (f'{over_tls} template="RSYSLOG_ForwardFormat" {tls}', files),
        }
        for way, (action, settings) in ways.items():
            with self.subTest(way):
                child = self.rsyslog(f"rs-{way}", action, settings)
                # The blank that was behind the tag is in its RFC 5424, and is none of the text.
                self.pass_on(child, f"rs-{way}")
                child.stop()
        self.assertEqual(set(self.refused().values()), {0}, self.refused())

    def test_rsyslogs_elasticsearch(self):
        """Its output omelasticsearch, which asks for the cluster's health first."""
        template = """
module(load="omelasticsearch")
template(name="document" type="list" option.jsonf="on") {{
    property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
    property(outname="host.name" name="hostname" format="jsonf")
    property(outname="log.level" name="syslogseverity-text" format="jsonf")
    property(outname="process.name" name="programname" format="jsonf")
    property(outname="facility" name="syslogfacility-text" format="jsonf")
    property(outname="message" name="msg" format="jsonf")
}}
action(type="omelasticsearch" server="127.0.0.1" serverport="%d" template="document" %s)
"""
        child = self.rsyslog("rs-bulk", "", more=template % (self.server.port, 'searchIndex="logs" searchType="" bulkmode="on"'))
        child.send(*[message.replace(b"%s", b"rs-bulk", 1).replace(b"%%", b"%") for message in Daemons.MESSAGES])
        logs, where = Logs(self.server), [[term("ModuleId", "rs-bulk")]]
        wait_until(lambda: len(logs.rows(where=where)) >= 4, 30, "four documents")
        child.stop()
        expected = {' first [x] "y" %s': (6, "daemon"), " zweite ä €": (5, "daemon"), " no pid": (3, "user"), " " + "long " * 1500 + "end": (6, "daemon")}
        rows = logs.rows(["Source", "Level", "facility", "_index", "Xmlmessage"], where=where)
        self.assertEqual(len(rows), 4)
        self.assertEqual({row["Xmlmessage"]: (row["Level"], row["facility"]) for row in rows}, expected)
        self.assertEqual({(row["Source"], row["_index"]) for row in rows}, {(HOST, "logs")})

    def test_rsyslog_keeps_lines_together(self):
        child = self.rsyslog("rs-trace", f'port="{self.ports["tcp"]}" protocol="tcp" TCP_Framing="octet-counted"',
                             'parser.escapeControlCharactersOnReceive="off"')
        child.send(b"<11>Oct  3 10:11:12 trace[7]: Traceback:\n  File x\n\tline 7", b"<11>Oct  3 10:11:12 trace[7]: next")
        self.assertEqual(sorted(row["Xmlmessage"] for row in self.wait_rows("trace", 2, child=child)),
                         ["Traceback:\n  File x\n\tline 7", "next"])

    def test_rsyslog_loses_nothing_while_the_server_is_away(self):
        """Its queue, and connections that the server ends in order."""
        server = Server({"syslog.tcp": f"127.0.0.1:{free_port()}", "syslog.tenant": "net", "messages.retention": "20000d"}).start()
        self.addCleanup(server.close)
        port = server.config["syslog.tcp"].split(":")[1]
        child = self.rsyslog("rs-away", f'port="{port}" protocol="tcp" TCP_Framing="octet-counted" action.resumeRetryCount="-1" '
                             'action.resumeInterval="1" queue.type="linkedList" queue.size="10000"')
        body = json.dumps({"table": "MessageTable", "start_time": 0, "end_time": "now+1h", "select_fields": ["Xmlmessage"]}).encode()

        def texts():
            return {row["Xmlmessage"] for row in server.post("/analytics/query", body, {"X-Tenant": "net"}).json()["value"]}
        child.send(*[b"<13>Oct  3 10:11:12 away: before %d" % n for n in range(100)])
        wait_until(lambda: len(texts()) == 100, 30, "messages before")
        server.stop()
        child.send(*[b"<13>Oct  3 10:11:12 away: meanwhile %d" % n for n in range(100)])
        server.start()
        # The sender learns that a connection is gone with its second write, so RFC 6587 may lose the first.
        wait_until(lambda: len(texts()) >= 199, 60, "messages from meanwhile")

    def test_the_documents(self):
        """docs/start/logs.md: rsyslog over TCP and TLS, and syslog-ng."""
        for language, file in (("rsyslog", ""), ("rsyslog-tls", self.server.root)):
            (action,) = snippets("start/logs.md", language, self.server)
            action = action.replace("5514", str(self.ports["tcp"])).replace("6514", str(self.ports["tls"])).replace("/etc/ssl/varve", file)
            self.pass_on(self.rsyslog(f"doc-{language}", "", more=action), f"doc-{language}")
        (text,) = snippets("start/logs.md", "syslog-ng", self.server)
        destination = re.search(r"\{ (syslog\(.*\);) \}", text)[1].replace("5514", str(self.ports["tcp"]))
        self.pass_on(self.syslog_ng("doc-ng", destination), "doc-ng")

    # --- syslog-ng ---

    def syslog_ng(self, name, destination):
        debs = debian.unpacked("syslog-ng", "syslog-ng-core")
        config = """
@version: 3.38
options {{ keep-hostname(yes); stats-freq(0); flush-lines(1); log-msg-size(65536); time-zone("UTC"); }};
source s {{ unix-dgram("{socket}"); }};
destination d {{ %s }};
log {{ source(s); destination(d); }};
""" % destination.replace("{", "{{").replace("}", "}}")
        return Child(self, name, config,
                     [str(debs / "usr/sbin/syslog-ng"), "--no-caps", "-F", "-f", "{conf}", "-R", "{folder}/persist", "-p",
                      "{folder}/pid", "-c", "{folder}/control", "--module-path", str(debs / "usr/lib/syslog-ng/3.38")],
                     {"LD_LIBRARY_PATH": debian.library_path(debs, "usr/lib/syslog-ng")})

    def test_syslog_ng(self):
        tls = f'tls(ca-file("{self.file("ca.crt")}") cert-file("{self.file("client.crt")}") key-file("{self.file("client.key")}"))'
        udp, tcp, over_tls = (f'"127.0.0.1" port({self.ports[way]}) transport("{way}")' for way in self.ports)
        ways = {"udp": f"network({udp});", "udp-5424": f"syslog({udp});", "tcp-lines": f"network({tcp});",
                "tcp-lines-5424": f"network({tcp} flags(syslog-protocol));", "tcp-counted": f"syslog({tcp});",
                "tls": f"syslog({over_tls} {tls});", "tls-lines": f"network({over_tls} {tls});"}
        for way, destination in ways.items():
            with self.subTest(way):
                child = self.syslog_ng(f"ng-{way}", destination)
                self.pass_on(child, f"ng-{way}")
                child.stop()
        self.assertEqual(set(self.refused().values()), {0}, self.refused())


class Programs(Syslog):
    # --- logger(1) ---

    def logger(self, *arguments, **more):
        subprocess.run(["logger", "--server", "127.0.0.1", *arguments], check=True, timeout=20, **more)

    def test_logger(self):
        udp, tcp = str(self.ports["udp"]), str(self.ports["tcp"])
        ways = {"udp": ["--udp", "--port", udp], "tcp": ["--tcp", "--port", tcp], "octet": ["--tcp", "--port", tcp, "--octet-count"]}
        formats = {"default": [], "3164": ["--rfc3164"], "5424": ["--rfc5424"], "no-time": ["--rfc5424=notime"],
                   "no-tq": ["--rfc5424=notq"], "no-host": ["--rfc5424=nohost"], "id": ["--id=42"],
                   "bare": ["--rfc5424=notime,notq,nohost"]}
        for way, to in ways.items():
            for name, form in formats.items():
                with self.subTest(f"{way} {name}"):
                    module = f"lg-{way}-{name}"
                    self.logger(*to, *form, "--priority", "local3.err", "--tag", module, "two", "words: {}%")
                    (row,) = self.wait_rows(module, 1)
                    host = "127.0.0.1" if name in ("no-host", "bare") else HOST
                    self.assertEqual((row["Source"], row["Level"], row["Category"]), (host, 3, "local3"), row)
                    self.assertEqual((row["Xmlmessage"], row["Pid"]), ("two words: {}%", 42 if name == "id" else None), row)

    def test_loggers_structured_data(self):
        """Also all lines of a file, empty ones left out, and priorities of their own from its input."""
        tcp = ["--tcp", "--port", str(self.ports["tcp"])]
        self.logger(*tcp, "--rfc5424", "--tag", "lg-sd", "--msgid", "M7", "--sd-id", "zoo@123", "--sd-param", 'tiger="hun\\"gry"',
                    "--sd-param", 'zebra="\\]"', "--sd-id", "manager@123", "--sd-param", 'onMeeting="yes"', "text")
        fields = ["msgid", "zoo@123.tiger", "zoo@123.zebra", "manager@123.onMeeting", "Xmlmessage"]
        self.assertEqual(self.wait_rows("lg-sd", 1, fields),
                         [dict(zip(fields, ["M7", 'hun"gry', "]", "yes", "text"], strict=True))])
        path = self.file("lines")
        with open(path, "w") as f:
            f.write("one\n\ntwo\nthree")
        self.logger(*tcp, "--octet-count", "--skip-empty", "--tag", "lg-file", "--file", path)
        self.assertEqual([row["Xmlmessage"] for row in self.wait_rows("lg-file", 3)], ["one", "two", "three"])
        self.logger(*tcp, "--prio-prefix", "--tag", "lg-prefix", input=b"plain\n<11>bad\n<30>good\n")
        self.assertEqual([(row["Level"], row["Category"], row["Xmlmessage"]) for row in self.wait_rows("lg-prefix", 3)],
                         [(5, "user", "plain"), (3, "user", "bad"), (6, "daemon", "good")])
        self.logger(*tcp, "--octet-count", "--size", "60000", "--tag", "lg-size", "x" * 50_000)
        self.assertEqual(self.wait_rows("lg-size", 1)[0]["Xmlmessage"], "x" * 50_000)

    # --- Python ---

    def test_python(self):
        for kind, way in ((socket.SOCK_DGRAM, "udp"), (socket.SOCK_STREAM, "tcp")):
            handler = logging.handlers.SysLogHandler(("127.0.0.1", self.ports[way]), "local0", kind)
            handler.ident = f"py-{way}: "
            for text, level in (("first", logging.WARNING), ("grüße", logging.CRITICAL)):
                handler.emit(logging.LogRecord("x", level, "file", 1, text, None, None))  # ends each with a NUL
            handler.close()
            rows = self.wait_rows(f"py-{way}", 2)
            self.assertEqual([(row["Xmlmessage"], row["Level"], row["Category"]) for row in rows],
                             [("first", 4, "local0"), ("grüße", 2, "local0")])

    # --- Telegraf ---

    def test_telegraf(self):
        """Its output `syslog` (Debian has no Telegraf): RFC 5424 with the metric's name as MSGID, tags and fields as parameters."""
        T = "2023-11-14T22:14:00Z"
        messages = [f"<13>1 {T} web1 Telegraf - cpu -",
                    f'<27>1 {T} web1 tg 25 555 [default@32473 cpu="cpu0" load="1.5" up="true" path="C:\\\\x \\"y\\" \\]"] Test message',
                    f'<25>2 {T} web1 tg 25 556 [bar@123 tag3="b"][default@32473 value1="2"][foo@456 value4="foo"] Other']
        for framing in (lambda m: f"{len(m.encode())} {m}", lambda m: m + "\n"):
            with socket.create_connection(("127.0.0.1", self.ports["tcp"]), timeout=20) as s:
                for message in messages:
                    s.sendall(framing(message).encode())
                s.shutdown(socket.SHUT_WR)
                self.assertEqual(s.recv(1), b"")
        fields = ["Source", "Pid", "msgid", "default@32473.load", "default@32473.path", "Level", "Xmlmessage"]
        rows = self.rows("tg", fields)
        self.assertEqual(rows[0], dict(zip(fields, ["web1", 25, "555", "1.5", 'C:\\x "y" ]', 3, "Test message"], strict=True)))
        self.assertEqual([row["msgid"] for row in self.rows("Telegraf", ["msgid"])], ["cpu", "cpu"])

    # --- TLS by hand ---

    def tls(self, client=None):
        context = ssl.create_default_context(cafile=self.file("ca.crt"))
        if client:
            context.load_cert_chain(self.file(f"{client}.crt"), self.file(f"{client}.key"))
        return context.wrap_socket(socket.create_connection(("127.0.0.1", self.ports["tls"]), timeout=20), server_hostname="127.0.0.1")

    def failed(self, reason):
        return self.server.metric("varve_syslog_handshakes_failed_total", reason=reason)

    def test_closed_in_order_is_durable(self):
        with self.tls("client") as s:
            for n in range(1000):
                s.sendall(b"<13>1 - h tls - - - %d\n" % n)
            s.unwrap()  # until the server says the same
        self.server.kill()
        self.server.start()
        self.assertEqual([row["Xmlmessage"] for row in self.rows("tls")], [str(n) for n in range(1000)])

    def test_who_may_not_come_in(self):
        before = self.failed("certificate")
        for client in (None, "stranger"):
            with self.assertRaises((ssl.SSLError, OSError)), self.tls(client) as s:
                s.sendall(b"<13>1 - h intruder - - - x\n")
                while s.recv(1):  # TLS 1.3 says so later
                    pass
                raise ssl.SSLError("the end")
        wait_until(lambda: self.failed("certificate") == before + 2, 20, "two refused")
        with socket.create_connection(("127.0.0.1", self.ports["tls"]), timeout=20) as s:
            s.sendall(b"<13>1 - h intruder - - - x\n" * 1000)
        wait_until(lambda: self.failed("not_tls") >= 1, 20, "plain text refused")
        self.assertEqual(self.rows("intruder"), [])

    def test_a_file_that_is_wrong_stops_the_start(self):
        server = Server({"syslog.tls": "127.0.0.1:0", "syslog.certificate": self.file("server.crt"), "syslog.key": self.file("client.key")})
        self.addCleanup(server.close)
        server.spawn()
        self.assertEqual(server.wait(), 2)
        self.assertRegex(server.log(), re.escape(f"syslog.key={self.file('client.key')}: does not belong to certificate="))


if __name__ == "__main__":
    unittest.main()
