# SPDX-License-Identifier: Apache-2.0
"""Tests of a server that polls Net-SNMP's snmpd every second."""

import os

from .case import OwnServerCase
from .client import wait_until
from .snmpd import AUTH, IN, OUT, PRIV, Snmpd

BASE = "/api/v1/snmp/"
FAST = {"frequency": "1s", "correlator": "ifName", "objects": [
    {"name": "ifHCInOctets", "oid": IN, "type": "Counter64", "alias": "in"},
    {"name": "ifHCOutOctets", "oid": OUT, "type": "Counter64", "alias": "out"}]}
CREDENTIALS = f"""
default: {{version: 2c, community: public, tenants: "*"}}
old: {{version: 1, community: public}}
core: {{version: 3, user: varve, level: authPriv, auth: SHA, auth_secret: "{AUTH}", priv: AES, priv_secret: "{PRIV}"}}
"""


class SnmpCase(OwnServerCase):
    def agent(self, counters=None, began=0):
        agent = Snmpd(counters, began)
        self.addCleanup(agent.close)
        return agent.start()

    def serve(self, credentials=CREDENTIALS, **config):
        server = self.new_server({"snmp.timeout": "1500ms", "snmp.retries": "2", "snmp.backoff_max": "2s", **config})
        self.credentials = os.path.join(server.root, "credentials.yaml")
        self.write_credentials(credentials)
        server.config["snmp.credentials"] = self.credentials
        return server.start()

    def write_credentials(self, text):
        with open(self.credentials, "w") as f:
            f.write(text)
        os.chmod(self.credentials, 0o600)

    def values(self, server, metric, tenant="default", **tags):
        return sorted(server.values("snmp." + metric, tags, prefix=f"/t/{tenant}"))

    def wait_values(self, server, count, metric, tenant="default", seconds=30, **tags):
        def enough():
            found = self.values(server, metric, tenant, **tags)
            return found if len(found) >= count else None
        return wait_until(enough, seconds, f"{count} values of {metric} {tags}")
