# SPDX-License-Identifier: Apache-2.0
"""The table of malformed input: (name, request, status, kept). `kept` lists the metrics of which exactly one sample has
to be there afterwards: the good neighbours of the bad entry, where the protocol keeps them. Every name that a case puts
and does not list has to be absent."""

import gzip
import json
import urllib.parse

from support import wire
from support.case import T0

T = T0
S = T0 // 1000


class Case:
    def __init__(self, name, path, body, status=400, kept=(), headers=None, method="POST", shape=None, absent=()):
        self.name, self.path, self.body, self.status = name, path, body, status
        self.kept, self.headers, self.method, self.absent = kept, headers or {}, method, absent
        self.shape = shape


def kairos(name, body, status=400, **more):
    return Case("kairosdb: " + name, "/api/v1/datapoints", body, status, shape="kairosdb", **more)


def good(name):
    return {"name": name, "timestamp": T, "value": 1, "tags": {"h": "a"}}


def kairos_bad(title, metric, /, **change):
    """The second of three metrics is bad: all or nothing, so none of them is kept."""
    bad = {**good(metric), **change}
    bad = {k: v for k, v in bad.items() if v is not Ellipsis}
    return kairos(title, json.dumps([good(metric + ".before"), bad, good(metric + ".after")]),
                  absent=(metric + ".before", metric + ".after"))


KAIROSDB = [
    kairos("empty body", ""),
    kairos("only blanks", "  \n "),
    kairos("not JSON", "hello"),
    kairos("cut object", '[{"name":"kb.cut","timestamp":1,'),
    kairos("cut in a string", '[{"name":"kb.cu'),
    kairos("a number", "5"),
    kairos("an array of numbers", "[1,2]"),
    kairos("nested arrays", "[[[]]]"),
    kairos("deep nesting", "[" * 100_000),
    kairos("deep tags", '[{"name":"kb.deep","tags":' + '{"a":' * 50_000),
    kairos("invalid UTF-8", b'[{"name":"kb.utf\xff","timestamp":1,"value":1,"tags":{"a":"b"}}]'),
    kairos_bad("no name", "kb.noname", name=...),
    kairos_bad("empty name", "kb.emptyname", name=""),
    kairos_bad("name is an object", "kb.objname", name={"x": 1}),
    kairos_bad("no tags", "kb.notags", tags=...),
    kairos_bad("empty tags", "kb.emptytags", tags={}),
    kairos_bad("tags an array", "kb.arrtags", tags=["a"]),
    kairos_bad("empty tag value", "kb.emptyvalue", tags={"a": ""}),
    kairos_bad("empty tag name", "kb.emptytag", tags={"": "a"}),
    kairos_bad("tag value null", "kb.nulltag", tags={"a": None}),
    kairos_bad("no timestamp", "kb.nots", timestamp=...),
    kairos_bad("timestamp null", "kb.nullts", timestamp=None),
    kairos_bad("timestamp text", "kb.textts", timestamp="soon"),
    kairos_bad("timestamp beyond 2^53", "kb.bigts", timestamp=2**53 + 1),
    kairos_bad("timestamp beyond 64 bits", "kb.hugets", timestamp=10**30),
    kairos_bad("no value", "kb.novalue", value=...),
    kairos_bad("value null", "kb.nullvalue", value=None),
    kairos_bad("value an object", "kb.objvalue", value={"x": 1}),
    kairos_bad("unknown type", "kb.type", type="dinosaur"),
    kairos_bad("complex number without its type", "kb.untyped", value={"real": 1, "imaginary": 2}),
    kairos_bad("half a complex number", "kb.complex", type="complex", value={"real": 1}),
    kairos_bad("complex number of text", "kb.complextext", type="complex", value="1+2i"),
    kairos_bad("histogram without bins", "kb.nobins", type="histogram", value={"min": 0, "max": 0, "mean": 0, "sum": 0}),
    kairos_bad("bin that is not a number", "kb.badbin", type="histogram",
               value={"bins": {"a": 1}, "min": 0, "max": 0, "mean": 0, "sum": 0}),
    kairos_bad("histogram that is a number", "kb.hnumber", type="histogram", value=1),
    kairos_bad("points not arrays", "kb.pointshape", timestamp=..., value=..., datapoints=[1, 2]),
    kairos_bad("point of one", "kb.point1", timestamp=..., value=..., datapoints=[[T]]),
    kairos_bad("point with null value", "kb.pointnull", timestamp=..., value=..., datapoints=[[T, None]]),
    kairos_bad("ttl text", "kb.ttl", ttl="long"),
    kairos_bad("metric name too long", "kb.long", name="n" * 70_000),
    kairos_bad("tag value too long", "kb.longtag", tags={"a": "v" * 70_000}),
    kairos_bad("too many tags", "kb.manytags", tags={f"t{i}": "v" for i in range(20_000)}),
    kairos("gzip that is none", b"\x1f\x8b nothing", headers={"Content-Encoding": "gzip"}),
    kairos("gzip cut short", gzip.compress(json.dumps([good("kb.gzcut")]).encode())[:-12],
           headers={"Content-Encoding": "gzip"}, absent=("kb.gzcut",)),
    kairos("gzip content type, plain body", json.dumps([good("kb.gzplain")]),
           headers={"Content-Type": "application/gzip"}, absent=("kb.gzplain",)),
    kairos("unknown content encoding", b"x", status=(400, 415), headers={"Content-Encoding": "rot13"}),
]


def query(name, body, status=400, **more):
    return Case("query: " + name, "/api/v1/datapoints/query", body, status, shape="kairosdb", **more)


def metrics(*items, **top):
    return json.dumps({"start_absolute": 0, "metrics": list(items), **top})


QUERY = [
    query("empty body", ""),
    query("not JSON", "{"),
    query("no metrics", json.dumps({"start_absolute": 0})),
    query("no start", json.dumps({"metrics": [{"name": "x"}]})),
    query("no name", metrics({"tags": {}})),
    query("empty name", metrics({"name": ""})),
    query("end before start", json.dumps({"start_absolute": 10, "end_absolute": 5, "metrics": [{"name": "x"}]})),
    query("bad unit", json.dumps({"start_relative": {"value": 1, "unit": "blinks"}, "metrics": [{"name": "x"}]})),
    query("negative relative start", json.dumps({"start_relative": {"value": -1, "unit": "days"}, "metrics": [{"name": "x"}]})),
    query("unknown aggregator", metrics({"name": "x", "aggregators": [{"name": "bogus"}]})),
    query("aggregator without a name", metrics({"name": "x", "aggregators": [{"sampling": {"value": 1, "unit": "days"}}]})),
    query("bad sampling unit", metrics({"name": "x", "aggregators": [{"name": "avg", "sampling": {"value": 1, "unit": "no"}}]})),
    query("negative sampling", metrics({"name": "x", "aggregators": [{"name": "avg", "sampling": {"value": -1, "unit": "days"}}]})),
    query("sampling without unit", metrics({"name": "x", "aggregators": [{"name": "avg", "sampling": {"value": 1}}]})),
    query("start is a word", json.dumps({"start_absolute": "yesterday", "metrics": [{"name": "x"}]})),
    query("unknown group_by", metrics({"name": "x", "group_by": [{"name": "bogus"}]})),
    query("bad order", metrics({"name": "x", "order": "sideways"})),
    query("tags not an object", metrics({"name": "x", "tags": [1]})),
    query("bad time zone", metrics({"name": "x"}, time_zone="Mars/Olympus")),
    query("bad regex", metrics({"name": "x", "tags": {"h": "regex:("}}), status=(400,)),
]


def tsdb(name, body, status=400, **more):
    return Case("opentsdb: " + name, more.pop("path", "/api/put?details"), body, status, shape="opentsdb", **more)


def point(series, /, **change):
    value = {"metric": series, "timestamp": T, "value": 1, "tags": {"h": "a"}, **change}
    return {k: v for k, v in value.items() if v is not Ellipsis}


def tsdb_bad(title, series, /, **change):
    """The middle of three points is bad: its neighbours are kept, and the answer says which one and why."""
    body = json.dumps([point(series + ".before"), point(series, **change), point(series + ".after")])
    return tsdb(title, body, kept=(series + ".before", series + ".after"), absent=(series,))


OPENTSDB = [
    tsdb("empty body", ""),
    tsdb("not JSON", "put x 1 2"),
    tsdb("cut", '[{"metric":"ob.cut","timestamp":1'),
    tsdb("a number", "7"),
    tsdb("array of numbers", "[7]"),
    tsdb("deep nesting", "[" * 100_000),
    tsdb("invalid UTF-8", b'{"metric":"ob.\xc3\x28","timestamp":1,"value":1,"tags":{"a":"b"}}'),
    tsdb("broken gzip", b"\x1f\x8b\x08\x00junk", headers={"Content-Encoding": "gzip"}),
    tsdb_bad("no metric", "ob.nometric", metric=...),
    tsdb_bad("empty metric", "ob.emptymetric", metric=""),
    tsdb_bad("no timestamp", "ob.nots", timestamp=...),
    tsdb_bad("timestamp text", "ob.textts", timestamp="yesterday"),
    tsdb_bad("no value", "ob.novalue", value=...),
    tsdb_bad("value null", "ob.nullvalue", value=None),
    tsdb_bad("value text", "ob.textvalue", value="plenty"),
    tsdb_bad("value an object", "ob.objvalue", value={}),
    tsdb_bad("value NaN as text", "ob.nanvalue", value="NaN"),
    tsdb_bad("no tags", "ob.notags", tags=...),
    tsdb_bad("empty tags", "ob.emptytags", tags={}),
    tsdb_bad("tag value empty", "ob.emptytag", tags={"a": ""}),
    tsdb_bad("tags an array", "ob.arrtags", tags=[1]),
    tsdb_bad("bad tenant tag", "ob.tenant", tags={"h": "a", "tenant": "no/slash"}),
    tsdb("one bad point without details", json.dumps([point("ob.plain.a"), point("ob.plain.bad", value="x")]),
         path="/api/put", kept=("ob.plain.a",), absent=("ob.plain.bad",)),
    tsdb("one bad point with summary", json.dumps([point("ob.sum.a"), point("ob.sum.bad", value="x")]),
         path="/api/put?summary", kept=("ob.sum.a",), absent=("ob.sum.bad",)),
]


def influx(name, body, status=400, **more):
    return Case("influx: " + name, more.pop("path", "/write?precision=ms"), body, status, shape="influx", **more)


def influx_bad(name, metric, line):
    """A bad line between two good ones: partial write."""
    body = f"{metric}_before value=1 {T}\n".encode() + (line if isinstance(line, bytes) else line.encode())
    return influx(name, body + f"\n{metric}_after value=1 {T}\n".encode(),
                  kept=(metric + "_before", metric + "_after"), absent=(metric,))


INFLUX = [
    influx_bad("no fields", "ib1", f"ib1 {T}"),
    influx_bad("only a measurement", "ib2", "ib2"),
    influx_bad("no measurement", "ib3", f",h=a value=1 {T}"),
    influx_bad("tag without value", "ib4", f"ib4,h= value=1 {T}"),
    influx_bad("tag without equals", "ib5", f"ib5,h value=1 {T}"),
    influx_bad("tag without name", "ib6", f"ib6,=a value=1 {T}"),
    influx_bad("field without value", "ib7", f"ib7 value= {T}"),
    influx_bad("field without name", "ib8", f"ib8 =1 {T}"),
    influx_bad("not a number", "ib9", f"ib9 value=abc {T}"),
    influx_bad("number with a tail", "ib10", f"ib10 value=1x {T}"),
    influx_bad("integer beyond 64 bits", "ib11", f"ib11 value=9223372036854775808i {T}"),
    influx_bad("double as integer", "ib12", f"ib12 value=1.5i {T}"),
    influx_bad("NaN", "ib13", f"ib13 value=NaN {T}"),
    influx_bad("bad timestamp", "ib14", "ib14 value=1 tomorrow"),
    influx_bad("timestamp with a point", "ib15", f"ib15 value=1 {T}.5"),
    influx_bad("timestamp beyond 64 bits", "ib16", "ib16 value=1 99999999999999999999"),
    influx_bad("too many parts", "ib17", f"ib17 value=1 {T} {T}"),
    influx_bad("unclosed string", "ib18", f'ib18 value="open {T}'),
    influx_bad("trailing comma in fields", "ib19", f"ib19 value=1, {T}"),
    influx_bad("repeated tag", "ib20", f"ib20,a=1,a=2 value=1 {T}"),
    influx_bad("binary junk", "ib21", b"\x00\x01\x02\xff\xfe"),
    influx_bad("tag value too long", "ib22", f"ib22,h={'v' * 70_000} value=1 {T}"),
    influx("bad precision", f"ib30 value=1 {T}", path="/write?precision=weeks", absent=("ib30",)),
    influx("broken gzip", b"\x1f\x8b\x08junkjunkjunk", headers={"Content-Encoding": "gzip"}),
    influx("v2: bad line", f"ib31 value= {T}", path="/api/v2/write?precision=ms", absent=("ib31",)),
]

RW_HEADERS = {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy"}


def remote(name, body, status=400, **more):
    return Case("remote write: " + name, "/api/v1/write", body, status, shape="text", headers=RW_HEADERS, **more)


def packed(series):
    return wire.snappy(wire.write_request(series))


_good = ({"__name__": "rb_good", "h": "a"}, [(T, 1.0)])
_raw = wire.write_request([_good])

REMOTE_WRITE = [
    remote("empty body", b""),
    remote("not snappy", b"\xff\xff\xff\xff\xff\xffhello"),
    remote("snappy cut short", wire.snappy(_raw)[:-5], absent=("rb_good",)),
    remote("snappy says too much", wire.varint(len(_raw) + 10) + wire.snappy(_raw)[1:], absent=("rb_good",)),
    remote("snappy says 4 GiB", b"\xff\xff\xff\xff\x0f\x00a", status=(400, 413)),
    remote("snappy copies from before the start", b"\x08" + b"\xfe\xff\xff" * 3),
    remote("not protobuf", wire.snappy(b"\x07\x07\x07\x07")),
    remote("protobuf cut short", wire.snappy(_raw[:-3]), absent=("rb_good",)),
    remote("length beyond the end", wire.snappy(b"\x0a\xff\xff\xff\xff\x0f")),
    remote("endless varint", wire.snappy(b"\x0a" + b"\xff" * 20)),
    remote("no __name__", packed([({"job": "x"}, [(T, 1.0)])])),
    remote("empty __name__", packed([({"__name__": "", "job": "x"}, [(T, 1.0)])])),
    remote("a repeated label", wire.snappy(wire.field(1, wire.field(1, wire.label("__name__", "rb_twice")) +
                                                      wire.field(1, wire.label("a", "1")) +
                                                      wire.field(1, wire.label("a", "2")) +
                                                      wire.field(2, wire.sample(T, 1.0)))), absent=("rb_twice",)),
    remote("label too long", packed([({"__name__": "rb_long", "a": "v" * 70_000}, [(T, 1.0)])]), absent=("rb_long",)),
    remote("timestamp beyond 2^53", packed([({"__name__": "rb_time"}, [(2**60, 1.0)])]), absent=("rb_time",)),
]

HTTP = [
    Case("http: unknown path", "/no/such/path", None, 404, method="GET", shape="json"),
    Case("http: unknown path with a body", "/api/v9/write", "x", 404, shape="json"),
    Case("http: wrong method on put", "/api/v1/datapoints", None, 405, method="PUT", shape="allow"),
    Case("http: wrong method on query", "/api/v1/datapoints/query", None, 405, method="DELETE", shape="allow"),
    Case("http: wrong method on metrics", "/metrics", "x", 405, shape="allow"),
    Case("http: wrong method on settle", "/-/settle", None, 405, method="GET", shape="allow"),
    Case("http: bad tenant in the path", "/t/no%20spaces/api/v1/metricnames", None, 400, method="GET"),
    Case("http: bad tenant in the header", "/api/v1/metricnames", None, 400, method="GET", headers={"X-Tenant": "a/b"}),
    Case("http: tenant too long", "/api/v1/metricnames", None, 400, method="GET", headers={"X-Scope-OrgID": "t" * 65}),
]

NS = str(T * 1_000_000)


def loki(name, body, status=400, headers=None, **more):
    return Case("loki: " + name, "/loki/api/v1/push", body, status, shape="text",
                headers={"Content-Type": "application/json"} if headers is None else headers, **more)


def loki_stream(labels, values):
    return json.dumps({"streams": [{"stream": labels, "values": values}]})


_push = wire.field(1, wire.field(1, b'{a="b"}') + wire.field(2, wire.field(2, b"line")))
LOKI_PROTOBUF = {"Content-Type": "application/x-protobuf"}

LOKI = [
    loki("empty body", ""),
    loki("not JSON", "hello"),
    loki("cut JSON", loki_stream({"a": "b"}, [[NS, "x"]])[:-3]),
    loki("deep nesting", '{"streams":' + "[" * 100_000),
    loki("streams an object", '{"streams":{}}'),
    loki("no labels", loki_stream({}, [[NS, "x"]])),
    loki("a label is a number", loki_stream({"a": 1}, [[NS, "x"]])),
    loki("a repeated label", '{"streams":[{"stream":{"a":"1","a":"2"},"values":[]}]}'),
    loki("an entry is a text", loki_stream({"a": "b"}, [NS, "x"])),
    loki("no line", loki_stream({"a": "b"}, [[NS]])),
    loki("a line is an object", loki_stream({"a": "b"}, [[NS, {}]])),
    loki("a timestamp in words", loki_stream({"a": "b"}, [["now", "x"]])),
    loki("metadata is a list", loki_stream({"a": "b"}, [[NS, "x", []]])),
    loki("1970", loki_stream({"a": "b"}, [["1", "x"]])),
    loki("broken gzip", "junk", headers={"Content-Type": "application/json", "Content-Encoding": "gzip"}),
    loki("no content type", loki_stream({"a": "b"}, [[NS, "x"]]), headers={}),
    loki("protobuf not snappy", b"\xff\xff\xff\xff\xff\xffhello", headers=LOKI_PROTOBUF),
    loki("protobuf cut short", wire.snappy(_push[:-3]), headers=LOKI_PROTOBUF),
    loki("protobuf of 1970", wire.snappy(_push), headers=LOKI_PROTOBUF),
    loki("bad labels", wire.snappy(wire.field(1, wire.field(1, b'{a="b'))), headers=LOKI_PROTOBUF),
]

def otlp(name, body, status=400, headers=None, **more):
    return Case("otlp: " + name, "/v1/logs", body, status, shape="otlp",
                headers={"Content-Type": "application/json"} if headers is None else headers, **more)


def otlp_record(**members):
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [members]}]}]})


OTLP = [
    otlp("empty body", ""),
    otlp("not JSON", "hello"),
    otlp("a list", "[]"),
    otlp("cut JSON", otlp_record(body={"stringValue": "x"})[:-4]),
    otlp("deep nesting", '{"resourceLogs":' + "[" * 100_000),
    otlp("records an object", '{"resourceLogs":[{"scopeLogs":[{"logRecords":{}}]}]}'),
    otlp("invalid UTF-8", b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"\xff"}}]}]}]}'),
    otlp("a record of 1970", otlp_record(timeUnixNano="1000"), status=200),
    otlp("a time in words", otlp_record(timeUnixNano="now"), status=200),
    otlp("a trace that is not hex", otlp_record(traceId="xyz"), status=200),
    otlp("a text that is a number", otlp_record(body={"stringValue": 5}), status=200),
    otlp("no content type", otlp_record(), status=415, headers={}),
    otlp("broken gzip", "junk", headers={"Content-Type": "application/json", "Content-Encoding": "gzip"}),
    otlp("not protobuf", b"\x0a\x05x", headers=LOKI_PROTOBUF),
]

def bulk(name, body, status=400, path="/_bulk", **more):
    return Case("bulk: " + name, path, body, status, shape="bulk", **more)


BULK = [
    bulk("empty body", ""),
    bulk("not JSON", "hello\n"),
    bulk("a list", "[]\n{}\n"),
    bulk("no action", "{}\n{}\n"),
    bulk("an unknown action", '{"put":{}}\n{}\n'),
    bulk("two actions in a line", '{"create":{},"index":{}}\n{}\n'),
    bulk("no document", '{"create":{}}\n', path="/elasticsearch/_bulk"),
    bulk("deep action", '{"create":' + "[" * 100_000),
    bulk("a long index", '{"create":{"_index":"' + "i" * 300 + '"}}\n{}\n'),
    bulk("a long index in the path", '{"create":{}}\n{}\n', path=f"/{'i' * 300}/_bulk"),
    bulk("broken gzip", "junk", headers={"Content-Encoding": "gzip"}, path="/elasticsearch/logs/_bulk"),
    bulk("a document that is a list", '{"create":{}}\n[]\n', status=200),
    bulk("a document that is cut", '{"create":{}}\n{"a":', status=200),
    bulk("a deep document", '{"create":{}}\n' + '{"a":' * 100_000, status=200),
    bulk("1970", '{"create":{}}\n{"@timestamp":0}\n', status=200),
    bulk("a time in words", '{"index":{}}\n{"@timestamp":"now"}\n', status=200),
    bulk("a delete", '{"delete":{"_id":"1"}}\n', status=200),
    bulk("an update", '{"update":{"_id":"1"}}\n{"doc":{}}\n', status=200),
]


def logql(name, query, status=400, path="query_range", **parameters):
    asked = {} if query is None else {"query": query}
    return Case("loki query: " + name, f"/loki/api/v1/{path}?" + urllib.parse.urlencode({**asked, **parameters}), None, status, method="GET", shape="plain")


ONE = '{a="b"}'
LOGQL = [
    logql("no query", None),
    logql("empty query", ""),
    logql("a word", "hello"),
    logql("cut selector", '{a="b'),
    logql("selector without matchers", "{}"),
    logql("selector that asks for nothing", '{a=~".*"}'),
    logql("matcher without quotes", "{a=b}"),
    logql("bad expression", '{a=~"("}'),
    logql("bad expression of a line", ONE + ' |~ "[a"'),
    logql("expression of a gigabyte", ONE + ' |~ "((a{1000}){1000}){1000}"'),
    logql("unknown escape", '{a="\\q"}'),
    logql("stage without a name", ONE + " |"),
    logql("stage that is not there", ONE + " | line_format `x`"),
    logql("function that is not there", f"quantile_over_time(0.9, {ONE} | unwrap x [1m])"),
    logql("comparison of series", f"rate({ONE}[1m]) > 5"),
    logql("metric without a range", f"rate({ONE})"),
    logql("negative range", f"rate({ONE}[-1m])"),
    logql("topk of nothing", f"topk(0, rate({ONE}[1m]))"),
    logql("deep parentheses", "(" * 2000 + "1" + ")" * 2000),
    logql("deep filters", ONE + " | " + "(" * 2000 + "a=1" + ")" * 2000),
    logql("a thousand operators", "1" + "+1" * 1000),
    logql("start is a word", ONE, start="yesterday"),
    logql("start before 1970", ONE, start="-5"),
    logql("start beyond all times", ONE, start="9" * 19),
    logql("end before start", ONE, start=10, end=5),
    logql("no lines", ONE, limit=0),
    logql("limit is a word", ONE, limit="many"),
    logql("too many lines", ONE, limit=10**12),
    logql("bad direction", ONE, direction="sideways"),
    logql("step of nothing", "vector(1)", step=0),
    logql("bad step", "vector(1)", step="soon"),
    logql("too many steps", "vector(1)", step="1ms"),
    logql("interval", ONE, interval="5s"),
    logql("lines at one time", ONE, path="query"),
    logql("bad time", "vector(1)", path="query", time="soon"),
    logql("bad name of a label", None, path="label/a.b/values"),
    logql("bad selector of labels", "a", path="labels"),
    logql("stages of a selector", ONE + " | json", path="index/stats"),
    logql("bad selector of streams", None, path="series", **{"match[]": "{a="}),
    logql("bad aggregation of volumes", ONE, path="index/volume", aggregateBy="colour"),
    logql("fields of a metric", "vector(1)", path="detected_fields"),
    logql("unknown path", ONE, status=404, path="nothing"),
    Case("loki query: body is not a form", "/loki/api/v1/query_range", '{"query":"{}"}', 400, shape="plain", headers={"Content-Type": "application/json"}),
    Case("loki query: bad form", "/loki/api/v1/query_range", "query=%zz", 400, shape="plain", headers={"Content-Type": "application/x-www-form-urlencoded"}),
]

ALL = KAIROSDB + QUERY + OPENTSDB + INFLUX + REMOTE_WRITE + HTTP + LOKI + OTLP + BULK + LOGQL

# Telnet: (name, bad line); sent between two good lines of one connection.
TELNET = [
    ("unknown command", "bogus x 1 2"),
    ("put alone", "put"),
    ("no value", f"put tb.bad {S}"),
    ("bad timestamp", "put tb.bad soon 1 h=a"),
    ("bad value", f"put tb.bad {S} plenty h=a"),
    ("tag without equals", f"put tb.bad {S} 1 host"),
    ("tag without value", f"put tb.bad {S} 1 h="),
    ("tag without name", f"put tb.bad {S} 1 =a"),
    ("negative timestamp text", "put tb.bad -x 1 h=a"),
    ("timestamp beyond 2^53", f"putm tb.bad {2**60} 1 h=a"),
    ("long beyond 64 bits", f"put tb.bad {S} 99999999999999999999 h=a"),
    ("NaN", f"put tb.bad {S} NaN h=a"),
    ("infinity", f"put tb.bad {S} inf h=a"),
    ("binary junk", b"\x00\x01\xff\xfe"),
    ("overlong line", f"put tb.bad {S} 1 h=" + "v" * 70_000),
    ("bad tenant", f"put tb.bad {S} 1 h=a tenant=a/b"),
    ("upper-case command", f"PUT tb.bad {S} 1 h=a"),
]
