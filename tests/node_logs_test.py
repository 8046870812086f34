# SPDX-License-Identifier: Apache-2.0
"""Clients of Node that send log messages, as they are: OpenTelemetry's exporters of logs, and Winston with its transport for
Loki."""

import unittest

from support import npm
from support.case import ServerCase
from support.client import wait_until
from support.logs import Logs, term

OTLP = "0.205.0"
WINSTON_LOKI = "6.1.7"


class Node(ServerCase):
    def run_node(self, folder, program, *arguments):
        self.assertEqual(npm.run(folder, program, *arguments), (0, ""))

    def test_opentelemetry(self):
        folder = npm.fetch(f"otlp-logs-{OTLP}", f"@opentelemetry/exporter-logs-otlp-proto@{OTLP}", f"@opentelemetry/exporter-logs-otlp-http@{OTLP}",
                           f"@opentelemetry/sdk-logs@{OTLP}", "@opentelemetry/resources@2.1.0")
        program = """
            const [url, exporter, tenant, compression] = process.argv.slice(1);
            const { LoggerProvider, BatchLogRecordProcessor } = require('@opentelemetry/sdk-logs');
            const { resourceFromAttributes } = require('@opentelemetry/resources');
            const { OTLPLogExporter } = require('@opentelemetry/exporter-logs-otlp-' + exporter);
            const provider = new LoggerProvider({
              resource: resourceFromAttributes({ 'service.name': 'cart', 'host.name': 'web01' }),
              processors: [new BatchLogRecordProcessor(new OTLPLogExporter({ url, headers: { 'x-tenant': tenant }, compression }))]});
            const logger = provider.getLogger('shop');
            for (let n = 0; n < 600; ++n)
              logger.emit({ severityNumber: 13, severityText: 'WARN', body: 'order ' + n + ' is late', attributes: { order: n, tags: ['a', 'b'] } });
            logger.emit({ severityNumber: 17, body: { what: 'paid', grüße: true } });
            provider.shutdown();
        """
        for exporter in ("proto", "http"):  # http: JSON
            for compression in ("none", "gzip"):
                with self.subTest(exporter=exporter, compression=compression):
                    tenant = f"{exporter}-{compression}"
                    self.run_node(folder, program, f"http://127.0.0.1:{self.server.port}/v1/logs", exporter, tenant, compression)
                    logs = Logs(self.server, tenant)
                    rows = logs.rows(["Source", "ModuleId", "Xmlmessage", "order", "scope.name"], where=[[term("Level", 4)]], sort_fields=["order"])
                    self.assertEqual(rows, [{"Source": "web01", "ModuleId": "cart", "Xmlmessage": f"order {n} is late", "order": n, "scope.name": "shop"}
                                            for n in range(600)])
                    (text,) = logs.texts(where=[[term("Level", 3)]])
                    self.assertIn('"what":"paid"', text.replace(" ", ""))

    def test_winston_loki(self):
        folder = npm.fetch(f"winston-loki-{WINSTON_LOKI}", f"winston-loki@{WINSTON_LOKI}", "winston@3.17.0")
        program = """
            const [host, tenant, json] = process.argv.slice(1);
            const { createLogger, format } = require('winston');
            const LokiTransport = require('winston-loki');
            const transport = new LokiTransport({ host, json: json === 'json', labels: { app: 'shop', host: 'web01' }, batching: true, interval: 1,
              headers: { 'X-Scope-OrgID': tenant }, format: format.printf(({ message }) => message), onConnectionError: error => console.log(error) });
            const logger = createLogger({ transports: [transport] });
            for (let n = 0; n < 50; ++n) logger.warn('order ' + n + ' is "late"', { labels: { kind_of: 'order' } });
            logger.error('grüße');
            setTimeout(() => transport.flush().then(() => process.exit(0)), 1500);
        """
        for form in ("json", "protobuf"):
            with self.subTest(form):
                self.run_node(folder, program, f"http://127.0.0.1:{self.server.port}", f"winston-{form}", form)
                logs = Logs(self.server, f"winston-{form}")
                wait_until(lambda logs=logs: len(logs.rows(["Source"])) >= 51, 20, "51 messages")
                rows = logs.rows(["Source", "ModuleId", "Level", "kind_of", "Xmlmessage"], where=[[term("Level", 4)]])
                self.assertEqual(sorted((row.pop("Xmlmessage") for row in rows)), sorted(f'order {n} is "late"' for n in range(50)))
                self.assertEqual(rows, 50 * [{"Source": "web01", "ModuleId": "shop", "Level": 4, "kind_of": "order"}])
                self.assertEqual(logs.texts(where=[[term("Level", 3)]]), ["grüße"])


if __name__ == "__main__":
    unittest.main()
