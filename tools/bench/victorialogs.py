# SPDX-License-Identifier: Apache-2.0
"""VictoriaLogs as a peer: built from its Go module once, into the user's cache, where a Go compiler is there."""

import os
import shutil

from databases import Database, VictoriaMetrics, disk_bytes, http_call
from peers import built

MODULE, VERSION = "github.com/VictoriaMetrics/VictoriaLogs", "v1.52.2"


def program():
    return shutil.which("victoria-logs") or built("victoria-logs", MODULE, VERSION, "app/victoria-logs", go="1.26")


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
