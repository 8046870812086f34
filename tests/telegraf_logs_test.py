# SPDX-License-Identifier: Apache-2.0
"""Telegraf itself, built with the outputs that send log messages: `loki` and `syslog`, as they are."""

import json
import os
import subprocess
import unittest

from support import golang
from support.case import ServerCase
from support.client import wait_until
from support.logs import SECOND, Logs, now_us, term
from support.server import free_port

VERSION = "v1.34.4"
PARTS = "custom,inputs.file,outputs.loki,outputs.syslog,parsers.influx"
T = now_us() // SECOND * SECOND - 600 * SECOND


class Telegraf(ServerCase):
    config = {"syslog.tcp": f"127.0.0.1:{free_port()}", "syslog.udp": f"127.0.0.1:{free_port()}", "syslog.tenant": "net"}

    def send(self, output):
        """What a file of line protocol says, once."""
        program = golang.built("telegraf", "github.com/influxdata/telegraf", VERSION, "./cmd/telegraf", PARTS)
        lines = os.path.join(self.server.root, "lines")
        config = os.path.join(self.server.root, "telegraf.conf")
        with open(lines, "w") as f:
            f.write(f'cpu,host=web-1,path=/a\\ b usage=12.5,n=3i,up=true,text="two \\"words\\"" {T * 1000}\n'
                    f'syslog,hostname=web-1,appname=shop msg="a line: ä",severity_code=3i,facility_code=3i,procid="25",msgid="m7",timestamp={T * 1000}i {T * 1000}\n')
        with open(config, "w") as f:
            f.write(f'[agent]\n  omit_hostname = true\n[[inputs.file]]\n  files = ["{lines}"]\n  data_format = "influx"\n{output}\n')
        done = subprocess.run([program, "--config", config, "--once"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_loki(self, tenant):
        logs = Logs(self.server, tenant)
        got = logs.rows(["MessageTS", "Source", "__name", "path", "Xmlmessage"], where=[[term("__name", "cpu")]])
        words = got[0].pop("Xmlmessage").split("  ")[0].strip()
        self.assertEqual(got, [{"MessageTS": T, "Source": "web-1", "__name": "cpu", "path": "/a b"}])
        for part in ('usage="12.5"', 'n="3"', 'up="true"', 'text="two "words""'):  # in any order
            self.assertIn(part, words)
        got = logs.rows(["Source", "appname", "Xmlmessage"], where=[[term("__name", "syslog")]])
        self.assertEqual([(row["Source"], row["appname"], 'msg="a line: ä"' in row["Xmlmessage"]) for row in got], [("web-1", "shop", True)])

    def test_loki(self):
        for number, zipped in enumerate(("false", "true")):
            self.send(f"""[[outputs.loki]]
  domain = "http://127.0.0.1:{self.server.port}"
  endpoint = "/loki/api/v1/push"
  gzip_request = {zipped}
  http_headers = {{"X-Scope-OrgID" = "telegraf{number}"}}""")
            self.check_loki(f"telegraf{number}")

    def test_lokis_request(self):
        """What its output sends, as it was recorded, for machines that cannot build it."""
        ns = str(T * 1000)
        body = json.dumps({"streams": [
            {"stream": {"__name": "cpu", "host": "web-1", "path": "/a b"}, "values": [[ns, 'usage="12.5" n="3" up="true" text="two "words"" ']]},
            {"stream": {"__name": "syslog", "appname": "shop", "hostname": "web-1"}, "values": [[ns, 'msg="a line: ä" severity_code="3" ']]}]})
        answer = self.server.post("/loki/api/v1/push", body, {
            "User-Agent": "Telegraf/1.34.4 Go/1.24.2", "Content-Type": "application/json", "X-Scope-Orgid": "recorded", "Accept-Encoding": "gzip"})
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.check_loki("recorded")

    def test_syslog(self):
        tcp, udp = self.config["syslog.tcp"], self.config["syslog.udp"]
        ways = {"counted": (f"tcp://{tcp}", "octet-counting"), "lines": (f"tcp://{tcp}", "non-transparent"), "udp": (f"udp://{udp}", "octet-counting")}
        fields = ["Source", "ModuleId", "Pid", "Level", "Category", "msgid", "default@32473.up", "Xmlmessage"]
        logs = Logs(self.server, "net")
        for n, (way, (address, framing)) in enumerate(ways.items(), 1):
            with self.subTest(way):
                self.send(f"""[[outputs.syslog]]
  address = "{address}"
  framing = "{framing}"
  default_sdid = "default@32473"
""")
                wait_until(lambda n=n: len(logs.rows(["Source"])) == 2 * n, 20, way)
                shop = logs.rows(fields, where=[[term("ModuleId", "shop")]])
                self.assertEqual(shop, n * [dict(zip(fields, ["web-1", "shop", 25, 3, "daemon", "m7", None, "a line: ä"], strict=True))])
                cpu = logs.rows(fields, where=[[term("msgid", "cpu")]])
                self.assertEqual([(row["ModuleId"], row["Level"], row["default@32473.up"]) for row in cpu], n * [("Telegraf", 5, "1")])


if __name__ == "__main__":
    unittest.main()
