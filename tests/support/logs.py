# SPDX-License-Identifier: Apache-2.0
"""Log messages of one tenant: put, and asked for."""

import json
import time
import urllib.parse

SECOND = 1_000_000  # us
COLUMNS = ["MessageTS", "Source", "ModuleId", "Messagetype", "Level", "Xmlmessage"]


def now_us():
    return time.time_ns() // 1000


def term(name, value, op=1, **more):
    return {"name": name, "value": value, "op": op, **more}


class Logs:
    """Messages and questions of one tenant."""

    def __init__(self, server, tenant="default"):
        self.server, self.headers = server, {"X-Tenant": tenant}

    def post(self, messages, **params):
        body = "".join(json.dumps(m, ensure_ascii=False) + "\n" for m in messages)
        path = "/api/v1/messages" + ("?" + urllib.parse.urlencode(params) if params else "")
        return self.server.request("POST", path, body.encode(), self.headers)

    def put(self, *messages, **params):
        answer = self.post(messages, **params)
        assert answer.status == 204, (answer.status, answer.body)

    def ask(self, select=None, table="MessageTable", start=0, end=None, **more):
        body = {"table": table, "start_time": start, "end_time": end if end is not None else "now+1h",
                "select_fields": select or COLUMNS, **more}
        return self.server.request("POST", "/analytics/query", json.dumps(body).encode(), self.headers)

    def rows(self, select=None, **more):
        answer = self.ask(select, **more)
        assert answer.status == 200, (answer.status, answer.body)
        return json.loads(answer.body)["value"]

    def texts(self, **more):
        return [row["Xmlmessage"] for row in self.rows(["Xmlmessage"], **more)]
