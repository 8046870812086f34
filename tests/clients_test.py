# SPDX-License-Identifier: Apache-2.0
"""Real clients from Debian send to a real server, as docs/start tells them to: collectd, Prometheus, vmagent, netdata. Each is
skipped, with the reason shown, only where its package is not installed."""

import os
import shutil
import signal
import subprocess
import unittest

from support.case import OwnServerCase
from support.client import wait_until
from support.cluster import die_with_parent
from support.documents import snippets
from support.server import free_port

PATHS = os.environ["PATH"] + ":/usr/sbin:/sbin"


def program(name):
    return shutil.which(name, path=PATHS)


class Clients(OwnServerCase):
    def run_client(self, server, arguments, **more):
        out = open(os.path.join(server.root, os.path.basename(arguments[0]) + ".log"), "wb")
        self.addCleanup(out.close)
        process = subprocess.Popen(arguments, stdout=out, stderr=out, preexec_fn=die_with_parent, **more)

        def end():
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        self.addCleanup(end)
        self.client = process

    def output(self, server, name):
        with open(os.path.join(server.root, name + ".log"), errors="replace") as f:
            return f.read()[-3000:]

    def file(self, server, name, text):
        path = os.path.join(server.root, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def wait_for(self, server, client, condition, what):
        def true_or_ended():
            return condition() or (self.client.poll() is not None and "ended")
        try:
            value = wait_until(true_or_ended, 40, what)
            if value == "ended":
                raise TimeoutError
            return value
        except TimeoutError:
            self.fail(f"{what}: {server.metric_names()[:20]}\n{self.output(server, client)}\n{server.log()[-1500:]}")

    # --- collectd ---

    def collectd(self, server, plugins):
        config = self.file(server, "collectd.conf", f"""
Hostname "testhost"
FQDNLookup false
Interval 1
BaseDir "{server.root}"
PIDFile "{server.root}/collectd.pid"
LoadPlugin logfile
<Plugin logfile>
  LogLevel info
  File STDOUT
</Plugin>
LoadPlugin load
LoadPlugin memory
LoadPlugin interface
{plugins}
""")
        self.run_client(server, [program("collectd"), "-f", "-C", config])

    @unittest.skipUnless(program("collectd"), "collectd-core is not installed")
    def test_collectd_write_http(self):
        server = self.new_server().start()
        write_http, _ = snippets("start/collectd.md", "apache", server)
        self.collectd(server, write_http.replace('    BufferSize 4096', '    TTL 3600\n    BufferSize 1024'))
        names = self.wait_for(server, "collectd", lambda: len(server.metric_names()) >= 3 and server.metric_names(),
                              "metrics of collectd")
        self.assertIn("collectd.load", names)
        self.wait_for(server, "collectd", lambda: len(server.values("collectd.load")) >= 6, "two rounds of load")
        results = server.query([{"name": "collectd.load", "group_by": [{"name": "tag", "tags": ["ds"]}]}])[0]["results"]
        self.assertEqual({r["group_by"][0]["group"]["ds"] for r in results}, {"shortterm", "midterm", "longterm"})
        self.assertEqual(results[0]["tags"]["host"], ["testhost"])
        self.assertEqual(results[0]["tags"]["dc"], ["riga"])
        self.assertEqual(server.metric("varve_samples_rejected_total"), 0)

    @unittest.skipUnless(program("collectd"), "collectd-core is not installed")
    def test_collectd_write_tsdb(self):
        server = self.new_server().start()
        _, write_tsdb = snippets("start/collectd.md", "apache", server)
        self.collectd(server, write_tsdb)
        self.wait_for(server, "collectd", lambda: any(n.startswith("load.load") for n in server.metric_names()), "load")
        name = next(n for n in server.metric_names() if n.startswith("load.load"))
        self.wait_for(server, "collectd", lambda: len(server.values(name)) >= 2, "two values of load")
        tags = server.query([{"name": name}])[0]["results"][0]["tags"]
        self.assertEqual((tags["dc"], tags["rack"]), (["riga"], ["7"]))
        self.assertEqual(tags["fqdn"], ["testhost"])
        self.assertEqual(server.metric("varve_samples_rejected_total"), 0)

    # --- Prometheus ---

    def scrapes(self, server, port):
        return f"""
scrape_configs:
  - job_name: self
    static_configs: [{{targets: ['127.0.0.1:{port}']}}]
  - job_name: varve
    static_configs: [{{targets: ['127.0.0.1:{server.port}']}}]"""

    @unittest.skipUnless(program("prometheus"), "prometheus is not installed")
    def test_prometheus_remote_write(self):
        server = self.new_server().start()
        port = free_port()
        remote_write, scrape = snippets("start/prometheus.md", "yaml", server)
        self.assertIn(f"targets: [127.0.0.1:{server.port}]", scrape)
        config = self.file(server, "prometheus.yml", f"""
global:
  scrape_interval: 1s
  external_labels: {{cluster: test}}
{self.scrapes(server, port)}
{remote_write}    queue_config: {{batch_send_deadline: 500ms}}
""")
        self.run_client(server, [program("prometheus"), f"--config.file={config}",
                                 f"--storage.tsdb.path={server.root}/prom", f"--web.listen-address=127.0.0.1:{port}"])

        def up():
            return len(server.values("up", prefix="/t/prom")) >= 4
        self.wait_for(server, "prometheus", up, "samples of up")
        results = server.query([{"name": "up", "group_by": [{"name": "tag", "tags": ["job"]}]}], prefix="/t/prom")[0]["results"]
        by_job = {r["group_by"][0]["group"]["job"]: r for r in results}
        self.assertEqual(set(by_job), {"self", "varve"})
        self.assertEqual(by_job["varve"]["tags"]["cluster"], ["test"])
        self.assertTrue(all(v == 1 for r in results for _, v in r["values"][1:]), results)
        names = server.metric_names(prefix="/t/prom")
        self.assertIn("prometheus_tsdb_head_series", names)
        self.assertIn("varve_series", names)
        self.assertEqual(server.metric_names(), [])

    @unittest.skipUnless(program("vmagent"), "victoria-metrics is not installed")
    def test_vmagent(self):
        server = self.new_server().start()
        port = free_port()
        (command,) = snippets("start/prometheus.md", "sh", server)
        name, *arguments = command.split()
        config = self.file(server, "prometheus.yml", f"global:\n  scrape_interval: 1s\n{self.scrapes(server, port)}\n")
        self.run_client(server, [program(name), *(a.replace("prometheus.yml", config) for a in arguments),
                                 f"-httpListenAddr=127.0.0.1:{port}", f"-remoteWrite.tmpDataPath={server.root}/vmagent"])
        self.wait_for(server, "vmagent", lambda: len(server.values("up", prefix="/t/prom")) >= 4, "samples of up")
        self.assertIn("varve_series", server.metric_names(prefix="/t/prom"))

    # --- netdata ---

    @unittest.skipUnless(program("netdata"), "netdata-core is not installed")
    def test_netdata_opentsdb_http(self):
        server = self.new_server().start()
        port = free_port()
        for name in ("conf", "cache", "lib", "logs"):
            os.mkdir(os.path.join(server.root, name))
        self.file(server, "conf/netdata.conf", f"""
[global]
  run as user = {os.environ.get('USER', 'root') if os.geteuid() else 'root'}
  hostname = testhost
  update every = 1
[db]
  mode = ram
  retention = 300
[directories]
  config = {server.root}/conf
  cache = {server.root}/cache
  lib = {server.root}/lib
  log = {server.root}/logs
[logs]
  error = {server.root}/netdata.error
[web]
  bind to = 127.0.0.1
  default port = {port}
[plugins]
  enable running new plugins = no
  apps = no
  cgroups = no
  tc = no
  idlejitter = no
  statsd = no
  timex = no
  proc = yes
  diskspace = no
[health]
  enabled = no
[ml]
  enabled = no
[statsd]
  enabled = no
""")
        self.file(server, "conf/exporting.conf", f"""
[exporting:global]
  enabled = yes
  update every = 1
[opentsdb:http:varve]
  enabled = yes
  destination = 127.0.0.1:{server.port}
  data source = as collected
  prefix = netdata
  update every = 1
  send charts matching = system.load system.ram system.cpu
""")
        self.run_client(server, [program("netdata"), "-D", "-W", "set", "registry", "enabled", "no",
                                 "-c", f"{server.root}/conf/netdata.conf", "-P", f"{server.root}/netdata.pid"],
                        env={**os.environ, "DO_NOT_TRACK": "1", "DISABLE_TELEMETRY": "1"})

        def names():
            return [n for n in server.metric_names() if n.startswith("netdata.system.load")]
        found = self.wait_for(server, "netdata", names, "metrics of netdata")
        self.wait_for(server, "netdata", lambda: len(server.values(found[0])) >= 2, "two values")
        tags = server.query([{"name": found[0]}])[0]["results"][0]["tags"]
        self.assertEqual(tags["host"], ["testhost"])
        self.assertEqual(server.metric("varve_samples_rejected_total"), 0)


if __name__ == "__main__":
    unittest.main()
