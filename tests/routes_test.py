# SPDX-License-Identifier: Apache-2.0
"""docs/http/routes.md is the route table: every route there is served with these methods in these roles, and there is no other."""

import re
import unittest

from support.case import OwnServerCase
from support.documents import DOCS

SOURCES = DOCS.parent / "src"
# Paths in the sources that are beginnings of routes.
FAMILIES = {"/api", "/api/v1", "/api/v2", "/api/metadata"}
METHODS = ["GET", "POST", "PUT", "DELETE"]


def documented():
    """path -> (methods, role)"""
    rows = re.findall(r"^\| ((?:`[A-Z]+` ?)+)\| `([^`]+)` \| ([^|]+) \|", (DOCS / "http/routes.md").read_text(encoding="utf-8"), re.M)
    return {path: (re.findall("[A-Z]+", methods), role.strip()) for methods, path, role in rows}


def allowed(server, path):
    """The methods of a path, by what it answers to one that no route has; empty where there is no such path."""
    answer = server.request("PATCH", re.sub(r"\{\w+\}", "x", path))
    if answer.status == 404:
        return set()
    return set(answer.header("Allow").replace(",", " ").split()) - {"HEAD", "OPTIONS"}


def expected(table, path, roles):
    """The same by the document: also of routes of which the last segment takes slashes, and so this path, too."""
    concrete, methods = path.replace("{", "").replace("}", ""), set()
    for other, (there, needs) in table.items():
        whole = re.sub(r"\\\{\w+\\\}", "[^/]+", re.sub(r"\\\{\w+\\\}$", ".+", re.escape(other)))
        if re.fullmatch(whole, concrete):
            read, _, change = needs.partition("; changes: ")
            methods |= {m for m in there if (change if change and m != "GET" else read) in {"-", *roles}}
    return methods


class Routes(OwnServerCase):
    def test_every_route_is_served_in_its_roles(self):
        table = documented()
        self.assertGreater(len(table), 50)
        for roles in (["ingest", "query", "rollup"], ["query"], ["ingest"]):
            server = self.new_server({"roles": ",".join(roles)}).start()
            for path in table:
                with self.subTest(f"{roles}: {path}"):
                    self.assertEqual(allowed(server, path), expected(table, path, roles))

    def test_every_route_is_documented(self):
        """Paths that stand in the sources, whole or as the beginning of a route with a name behind it."""
        known = documented()
        beginnings = {path.split("{")[0].rstrip("/") for path in known} | FAMILIES | set(known)
        for path in sorted(SOURCES.rglob("*.cc")) + sorted(SOURCES.rglob("*.h")):
            if re.search(r"_(test|bench|fuzz|live|fixture)\.|/testing/", str(path)):
                continue
            for found in re.findall(r'"(/(?:api|-|write|query|ping|health|metrics)(?:/[^" ?]*)?)"', path.read_text(encoding="utf-8")):
                self.assertIn(found.rstrip("/"), beginnings, f"{path.name}: not in docs/http/routes.md")


if __name__ == "__main__":
    unittest.main()
