# SPDX-License-Identifier: Apache-2.0
"""The configuration of docs/operate/security.md pins the tenant: the proxy's header names it, and nothing else can."""

import unittest

from support.case import OwnServerCase
from support.documents import snippets


class Security(OwnServerCase):
    def test_the_proxy_names_the_tenant(self):
        server = self.new_server()
        (text,) = snippets("operate/security.md", "yaml", server)
        path = f"{server.root}/varve.yaml"
        with open(path, "w") as f:
            f.write(text)
        server.config["config"] = path
        server.start()
        line, host = "m,tenant=b v=1", {"Host": "metrics.example.org"}
        own = {**host, "X-Tenant": "a"}
        self.assertEqual(server.post("/write", line, own).status, 204)
        for path, headers in (("/write", host), ("/t/b/write", own), ("/t/b/write", host), ("/write", {**own, "X-Scope-OrgID": "b"})):
            self.assertEqual(server.post(path, line, headers).status, 400, (path, headers))
        self.assertEqual(server.request("GET", "/api/v1/tagvalues?tag=tenant", None, own).json()["results"], ["b"])
        self.assertEqual(server.request("GET", "/api/v1/metricnames", None, {**own, "Host": "other.example.org"}).status, 421)


if __name__ == "__main__":
    unittest.main()
