# SPDX-License-Identifier: Apache-2.0
"""VictoriaLogs as a peer: built from its Go module once, into the user's cache, where a Go compiler is there."""

import os
import shutil
import subprocess
import tempfile

from databases import Database, Missing, VictoriaMetrics, disk_bytes, http_call

MODULE, VERSION = "github.com/VictoriaMetrics/VictoriaLogs", "v1.43.1"
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "varve", "peers")


def program():
    """Where it is; builds it if it is not there."""
    found = shutil.which("victoria-logs") or os.path.join(CACHE, f"victoria-logs-{VERSION}")
    if os.path.exists(found):
        return found
    go = shutil.which("go", path=os.environ["PATH"] + ":/usr/local/go/bin")
    if not go:
        raise Missing("neither victoria-logs nor a Go compiler is installed")
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "go.mod"), "w") as f:
            f.write(f"module peers\ngo 1.25\nrequire {MODULE} {VERSION}\n")
        done = subprocess.run([go, "build", "-mod=mod", "-o", found, f"{MODULE}/app/victoria-logs"], cwd=folder,
                              capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"VictoriaLogs could not be built: {done.stderr[-300:]}")
    return found


class VictoriaLogs(Database):
    name, port, ready_path = "victoria-logs", 18486, "/health"
    syslog_port = 18487
    streams = "_stream_fields=module,source"
    paths = {
        "ndjson": f"/insert/jsonline?{streams}&_time_field=time&_msg_field=text",
        "loki": "/insert/loki/api/v1/push",
        "otlp_logs": "/insert/opentelemetry/v1/logs?_stream_fields=host.name,service.name",
        "bulk": "/insert/elasticsearch/_bulk?_stream_fields=host.name,service.name&_time_field=@timestamp&_msg_field=message",
    }

    def arguments(self):
        return [program(), "-storageDataPath=data", f"-httpListenAddr=127.0.0.1:{self.port}", "-retentionPeriod=100y",
                f"-syslog.listenAddr.tcp=127.0.0.1:{self.syslog_port}", '-syslog.streamFields.tcp=["hostname","app_name"]']

    def settle(self):
        http_call(self.port, "GET", "/internal/force_flush")
        http_call(self.port, "GET", "/internal/force_merge")
        VictoriaMetrics.await_merges(self)

    def disk(self):
        return disk_bytes(os.path.join(self.directory, "data"))
