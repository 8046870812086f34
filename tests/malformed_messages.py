# SPDX-License-Identifier: Apache-2.0
"""The table of malformed log messages: as JSON, with XML, over syslog, and of queries for them. Those of Loki, OTLP, bulk and
LogQL are in malformed_cases."""

import gzip
import json

from support import wire

# --- (name, line, what the error says): the line is sent between two good ones, which are stored.

LINES = [
    ("a word", "hello", "JSON"),
    ("a number", "5", ""),
    ("a list in a line", '["text"]', ""),
    ("null", "null", ""),
    ("cut object", '{"text":"x"', ""),
    ("cut in a text", '{"text":"x', ""),
    ("cut in an escape", '{"text":"x\\', ""),
    ("something behind", '{"text":"x"} y', ""),
    ("two objects", '{"text":"x"}{"text":"y"}', ""),
    ("a comma too much", '{"text":"x",}', ""),
    ("no value", '{"text":}', ""),
    ("no colon", '{"text" "x"}', ""),
    ("a key without quotes", '{text:"x"}', ""),
    ("single quotes", "{'text':'x'}", ""),
    ("unknown escape", '{"text":"\\q"}', ""),
    ("bad hex of an escape", '{"text":"\\u12g4"}', ""),
    ("control character in a text", '{"text":"a\tb"}', ""),
    ("a comment", '{"text":"x"} // y', ""),
    ("NaN", '{"x":NaN}', ""),
    ("a number with a plus", '{"x":+1}', ""),
    ("a number with leading zeros", '{"x":007}', ""),
    ("hexadecimal", '{"x":0x10}', ""),
    ("true in capitals", '{"x":TRUE}', ""),
    ("only a quote", '"', ""),
    ("binary", b"\x00\x01\xff\xfe", ""),
    ("deep object", '{"a":' * 100_000 + "1" + "}" * 100_000, ""),
    ("deep list", '{"a":' + "[" * 100_000 + "]" * 100_000 + "}", ""),
    ("deep list, not closed", '{"a":' + "[" * 100_000, ""),
    ("time in words", '{"time":"soon","text":"x"}', "soon"),
    ("time without a zone", '{"time":"2026-11-24T13:19:27","text":"x"}', "time"),
    ("time on no day", '{"time":"2026-02-30T13:19:27Z","text":"x"}', "time"),
    ("time is true", '{"time":true}', "time"),
    ("time is a list", '{"time":[1]}', "time"),
    ("time beyond 64 bits", '{"time":99999999999999999999999}', "time"),
    ("time with an exponent beyond all", '{"time":1e999}', "time"),
    ("time before 1970", '{"time":-5}', "messages.retention"),
    ("time of 1970", '{"time":0}', "messages.retention"),
    ("time far ahead", '{"time":4102444800000000}', "messages.future"),
    ("level unknown", '{"level":"severe"}', "level"),
    ("level with a fraction", '{"level":3.5}', "level"),
    ("level beyond 32 bits", '{"level":2147483648}', "level"),
    ("level an object", '{"level":{"a":1}}', "level"),
    ("kind unknown", '{"kind":"dinosaur"}', "kind"),
    ("kind beyond the last", '{"kind":13}', "kind"),
    ("kind negative", '{"Type":-1}', "kind"),
    ("pid a word", '{"pid":"seven"}', "pid"),
    ("pid beyond 64 bits", '{"pid":9223372036854775808}', "pid"),
    ("sequence with a fraction", '{"SequenceNum":1.5}', "sequence"),
    ("source a list", '{"source":["a"]}', "source"),
    ("module an object", '{"module":{"a":"b"}}', "module"),
    ("text a list", '{"text":["a"]}', "text"),
    ("source too long", json.dumps({"source": "s" * 65_537}), "source"),
    ("text too long", json.dumps({"text": "t" * (2**20 + 1)}), "text"),
    ("a field too long", json.dumps({"f": "t" * (2**20 + 1)}), "f"),
    ("objects a number", '{"objects":5}', "objects"),
    ("an object's name without a colon", '{"objects":["vn"]}', "object's name"),
    ("an object's name is a number", '{"objects":[5]}', "objects"),
    ("objects in objects", '{"objects":[["a:b"]]}', "objects"),
    ("too many objects", json.dumps({"objects": [f"T:{n}" for n in range(1025)]}), "objects"),
    ("id is none", '{"id":"7"}', "id"),
    ("id too short", '{"id":"0a1b2c3d-0000-4000-8000-00000000002"}', "id"),
    ("id a number", '{"id":7}', "id"),
    ("a name of a field too long", json.dumps({"n" * 257: 1}), ""),
    ("a flattened name too long", json.dumps({"a" * 200: {"b" * 200: 1}}), ""),
    ("too many fields", json.dumps({f"f{n}": 1 for n in range(1001)}), "field"),
]

# --- (name, body, headers, parameters, status, texts that are stored)

GOOD = '{"text":"good"}'
BODIES = [
    ("array: not closed", f"[{GOOD}", {}, "", 400, ["good"]),
    ("array: cut in an item", f'[{GOOD},{{"text":"x', {}, "", 400, ["good"]),
    ("array: no comma", f"[{GOOD} {GOOD}]", {}, "", 400, ["good"]),
    ("array: a comma at the end", f"[{GOOD},]", {}, "", 400, ["good"]),
    ("array: something behind", f"[{GOOD}] x", {}, "", 400, ["good"]),
    ("array: a bad item", f'[{GOOD},{{"level":"severe"}},{GOOD}]', {}, "", 400, ["good", "good"]),
    ("array: of numbers", "[1,2]", {}, "", 400, []),
    ("array: of arrays", f"[[{GOOD}]]", {}, "", 400, []),
    ("array: deep", "[" * 100_000, {}, "", 400, []),
    ("broken gzip", "junk", {"Content-Encoding": "gzip"}, "", 400, []),
    ("gzip cut short", gzip.compress(GOOD.encode() * 100)[:-9], {"Content-Encoding": "gzip"}, "", 400, []),
    ("broken zstd", b"\x28\xb5\x2f\xfdjunk", {"Content-Encoding": "zstd"}, "", 400, []),
    ("broken deflate", b"\xff\xffjunk", {"Content-Encoding": "deflate"}, "", 400, []),
    ("broken snappy", b"\xff\xff\xff\xff\xff\xffjunk", {"Content-Encoding": "snappy"}, "", 400, []),
    ("snappy that says too much", wire.varint(500) + wire.snappy(GOOD.encode())[1:], {"Content-Encoding": "snappy"}, "", 400, []),
    ("unknown encoding", GOOD, {"Content-Encoding": "rot13"}, "", 415, []),
    ("unknown precision", GOOD, {}, "?precision=weeks", 400, []),
    ("unknown objects", GOOD, {}, "?objects=yaml", 400, []),
    ("bad tenant", GOOD, {"X-Tenant": "a/b"}, "", 400, None),
]

# --- with objects=xml: texts that are no XML are just text, and name nothing.

NAME = '<vn key="ObjectVNTable">a:b</vn>'
XML = [
    ("no XML", "plain text"),
    ("a smaller-than sign", "a < b"),
    ("not closed", f"<log>{NAME}"),
    ("closed twice", f"<log>{NAME}</log></log>"),
    ("closed by another", f"<log>{NAME}</gol>"),
    ("crossed", '<log><a key="T">x<b></a></b></log>'),
    ("something in front", f"x<log>{NAME}</log>"),
    ("something behind", f"<log>{NAME}</log>x"),
    ("two roots", f"<a>{NAME}</a><b>{NAME}</b>"),
    ("a document type", f"<!DOCTYPE log><log>{NAME}</log>"),
    ("entities that grow", '<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><l><v key="T">&b;</v></l>'),
    ("an attribute without quotes", "<log><vn key=T>x</vn></log>"),
    ("an attribute that is not closed", '<log><vn key="T>x</vn></log>'),
    ("a comment that is not closed", f"<log><!-- {NAME}</log>"),
    ("CDATA that is not closed", f"<log><![CDATA[ {NAME}</log>"),
    ("a tag without a name", f"<log><>{NAME}</></log>"),
    ("a tag that is cut", f"<log>{NAME}</log"),
    ("deep, not closed", "<a>" * 100_000),
]

# What is wrong inside an element is its text.
XML_NAMES = [
    ("an unknown entity", '<log><vn key="T">&nothing;</vn></log>', "T:&nothing;"),
    ("an entity that is not closed", '<log><vn key="T">&amp</vn></log>', "T:&amp"),
    ("a character that is none", '<log><vn key="T">&#x110000;</vn></log>', "T:&#x110000;"),
    ("an attribute twice", '<log><vn key="T" key="U">x</vn></log>', "U:x"),
]

# --- (name, frame, reason): sent as a line and counted, between good ones, to syslog over TCP.

SYSLOG = [
    ("no priority", "hello", "no_priority"),
    ("priority without an end", "<13 hello", "no_priority"),
    ("priority not closed", "<13", "no_priority"),
    ("priority beyond 191", "<192>1 - h bad - - - x", "no_priority"),
    ("priority of four digits", "<0013>1 - h bad - - - x", "no_priority"),
    ("priority negative", "<-1>1 - h bad - - - x", "no_priority"),
    ("priority a word", "<err>1 - h bad - - - x", "no_priority"),
    ("priority empty", "<>1 - h bad - - - x", "no_priority"),
    ("a blank in front", " <13>1 - h bad - - - x", "no_priority"),
    ("JSON", '{"text":"x"}', "no_priority"),
    ("HTTP", "GET / HTTP/1.1", "no_priority"),
    ("binary", b"\x01\x02\xff\xfe", "no_priority"),
    ("nothing behind the priority", "<13>", "empty"),
    ("too long", "<13>1 - h bad - - - " + "x" * 70_000, "too_long"),
]

# --- (name, body, status) of POST /analytics/query

ASKED = {"table": "MessageTable", "start_time": "now-1h", "end_time": "now", "select_fields": ["Source"]}


def asked(name, status=400, **change):
    members = {**ASKED, **change}
    return name, json.dumps({k: v for k, v in members.items() if v is not Ellipsis}), status


def where(name, status, *terms, **more):
    return asked(name, status, where=[list(terms)], **more)


def one(name, value, op, **more):
    return {"name": name, "value": value, "op": op, **more}


ANALYTICS = [
    ("empty body", "", 400),
    ("not JSON", "hello", 400),
    ("cut", json.dumps(ASKED)[:-4], 400),
    ("a list", "[]", 400),
    ("deep", '{"where":' + "[" * 100_000, 400),
    ("something behind", json.dumps(ASKED) + "x", 400),
    ("a member twice", json.dumps(ASKED)[:-1] + ',"table":"MessageTable"}', 400),
    asked("an unknown member", limits=5),
    asked("no table", table=...),
    asked("table a number", table=5),
    asked("unknown table", 410, table="NoTable"),
    asked("no select_fields", select_fields=...),
    asked("select_fields a text", select_fields="Source"),
    asked("select_fields empty", select_fields=[]),
    asked("unknown field selected", 404, select_fields=["NoField"]),
    asked("a word selected", 404, select_fields=["Keyword"]),
    asked("no start", start_time=...),
    asked("start in words", start_time="yesterday"),
    asked("start with a fraction", start_time=1.5),
    asked("start of two units", start_time="now-1h5m"),
    asked("start of an unknown unit", start_time="now-1w"),
    asked("start behind the end", 404, start_time="now", end_time="now-1h"),
    asked("no end", end_time=...),
    asked("limit of nothing", limit=0),
    asked("limit negative", limit=-1),
    asked("limit a word", limit="many"),
    asked("limit with a fraction", limit=1.5),
    asked("where an object", where={"name": "Source"}),
    asked("where flat", where=[one("Source", "a", 1)]),
    asked("an empty list in where", 404, where=[[]]),
    where("an unknown name", 404, one("NoField", "a", 1)),
    where("no operator", 400, {"name": "Source", "value": "a"}),
    where("operator 0", (400, 404), one("Source", "a", 0)),
    where("operator 10", (400, 404), one("Source", "a", 10)),
    where("operator a text", 400, one("Source", "a", "=")),
    where("prefix of a number", 404, one("Level", "3", 7)),
    where("range of a text", 404, one("Source", "a", 3, value2="b")),
    where("range without an end", (400, 404), one("Level", 3, 3)),
    where("bad expression", 404, one("Source", "(", 8)),
    where("expression of a gigabyte", 404, one("Source", "((a{1000}){1000}){1000}", 8)),
    where("a word with a blank", 404, one("Keyword", "two words", 1)),
    where("a word is contained", 404, one("Keyword", "a", 9)),
    where("a number that is a word", 404, one("Pid", "seven", 1)),
    where("a level without a name", 404, one("Level", "severe", 1)),
    where("value a list", 400, one("Source", ["a"], 1)),
    where("no value", 400, {"name": "Source", "op": 1}),
    where("an unknown member of a term", 400, one("Source", "a", 1, case=True)),
    asked("more terms than may be", where=[[one("Source", str(n), 1)] for n in range(10_001)]),
    asked("filter a number", filter=5),
    asked("sort field not selected", 404, sort_fields=["Level"]),
    asked("sort sideways", sort_fields=["Source"], sort=3),
    asked("unknown aggregate", 404, aggregate=["median"]),
    asked("window of nothing", (400, 404), select_fields=["T=0"], aggregate=["count"]),
    asked("window of words", (400, 404), select_fields=["T=hour"], aggregate=["count"]),
    asked("follow a word", follow="yes"),
    asked("ObjectId of a table of messages", 404, select_fields=["ObjectId"]),
    asked("two of an object's ids at once", 410, table="ObjectNoSuchTable", select_fields=["ObjectId"]),
    asked("values without a name", (200, 400, 404), table="StatTable.FieldNames.fields", select_fields=["Source"]),
]
