# SPDX-License-Identifier: Apache-2.0
"""Malformed queries of Contrail's analytics API, and purges, as malformed_cases.py has those of other protocols."""

import json

from malformed_cases import Case


def analytics(name, body, status=400, path="query", **more):
    return Case("analytics: " + name, "/analytics/" + path, body, status, shape="error", **more)


def asked(name, status=400, **change):
    """A question that is good but for what is changed; `...` takes a member away."""
    body = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now", "select_fields": ["Source"], **change}
    return analytics(name, json.dumps({k: v for k, v in body.items() if v is not Ellipsis}), status)


def of_term(title, status=404, /, **change):
    term = {"name": "Source", "value": "a", "op": 1, **change}
    return asked(title, status, where=[[{k: v for k, v in term.items() if v is not Ellipsis}]])


def purge(name, body):
    return analytics("purge, " + name, body, path="operation/database-purge")


ANALYTICS = [
    analytics("empty body", ""),
    analytics("not JSON", "hello"),
    analytics("cut", '{"table":"MessageTable",'),
    analytics("an array", "[]"),
    analytics("deep nesting", '{"where":' + "[" * 100_000),
    analytics("invalid UTF-8", b'{"table":"\xff","start_time":0,"end_time":1,"select_fields":["Source"]}'),
    analytics("a member twice", '{"table":"MessageTable","table":"MessageTable","start_time":0,"end_time":1,"select_fields":["Source"]}'),
    asked("no table", table=...),
    asked("table a number", table=5),
    asked("unknown table", 410, table="NoTable"),
    asked("no select", select_fields=...),
    asked("select a text", select_fields="Source"),
    asked("select of nothing", select_fields=[]),
    asked("select of a number", select_fields=[5]),
    asked("select of an unknown name", 404, select_fields=["Nothing"]),
    asked("no start", start_time=...),
    asked("no end", end_time=...),
    asked("start a list", start_time=[]),
    asked("start of words", start_time="yesterday"),
    asked("start with a fraction", start_time=1.5),
    asked("start beyond 64 bits", start_time=2**70),
    asked("start after the end", 404, start_time="now", end_time="now-1h"),
    asked("unknown member", wher=[]),
    asked("session_type", session_type="client"),
    asked("where a text", where="Source=a"),
    asked("where of texts", where=["Source"]),
    asked("where of nothing", 404, where=[]),
    asked("an AND of nothing", 404, where=[[]]),
    asked("a filter with an AND of nothing", 404, filter=[[]]),
    asked("sort by what is not selected", 404, sort_fields=["Level"]),
    asked("sort 3", sort_fields=["Source"], sort=3),
    asked("limit 0", limit=0),
    asked("limit below 0", limit=-1),
    asked("limit a text", limit="many"),
    asked("unknown aggregate", 404, aggregate=["sum"]),
    of_term("term without name", 400, name=...),
    of_term("term without value", 400, value=...),
    of_term("term without op", 400, op=...),
    of_term("op 0", op=0),
    of_term("op 10", op=10),
    of_term("op a text", 400, op="="),
    of_term("unknown name", name="Nothing"),
    of_term("a range without its end", 400, name="Level", op=3),
    of_term("a range of texts", op=3, value2="b"),
    of_term("a prefix of a number", name="Level", op=7, value=1),
    of_term("a level that is none", name="Level", value="loud"),
    of_term("a bad regular expression", op=8, value="("),
    of_term("a suffix", 400, suffix={"name": "Source", "value": "a", "op": 1}),
    purge("empty body", ""),
    purge("no input", "{}"),
    purge("0 percent", '{"purge_input":0}'),
    purge("of words", '{"purge_input":"all"}'),
    purge("unknown member", '{"purge_input":5,"table":"MessageTable"}'),
]
