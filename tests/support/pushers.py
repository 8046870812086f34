# SPDX-License-Identifier: Apache-2.0
"""The same numbered messages by each way in: `push(server, tenant, base_us, numbers)` sends them as one request, or as one
connection. Message n has the time base + n and the text n. True: acknowledged."""

import datetime
import http.client
import json
import socket

from . import wire
from .client import http_request

JSON = {"Content-Type": "application/json"}


def accepted(server, path, body, headers, good):
    """A connection that breaks leaves open whether the messages are there."""
    try:
        answer = http_request(server.port, "POST", path, body, headers)
    except (OSError, http.client.HTTPException):
        return False
    if not good(answer):
        raise AssertionError(f"{path}: {answer}")
    return True


def by_status(status):
    return lambda answer: answer.status == status


def stamp(us):
    return datetime.datetime.fromtimestamp(us // 1_000_000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{us % 1_000_000:06d}Z"


def push_ndjson(server, tenant, base, numbers):
    body = "".join(json.dumps({"time": base + n, "text": str(n)}) + "\n" for n in numbers)
    return accepted(server, f"/t/{tenant}/api/v1/messages", body, {}, by_status(204))


def push_loki(server, tenant, base, numbers):
    body = {"streams": [{"stream": {"job": "x"}, "values": [[str((base + n) * 1000), str(n)] for n in numbers]}]}
    return accepted(server, f"/t/{tenant}/loki/api/v1/push", json.dumps(body), JSON, by_status(204))


def push_loki_protobuf(server, tenant, base, numbers):
    def entry(n):
        seconds, us = divmod(base + n, 1_000_000)
        return wire.field(1, b"\x08" + wire.varint(seconds) + b"\x10" + wire.varint(us * 1000)) + wire.field(2, str(n).encode())
    stream = wire.field(1, b'{job="x"}') + b"".join(wire.field(2, entry(n)) for n in numbers)
    return accepted(server, f"/t/{tenant}/loki/api/v1/push", wire.snappy(wire.field(1, stream)),
                    {"Content-Type": "application/x-protobuf"}, by_status(204))


def push_otlp(server, tenant, base, numbers):
    records = [{"timeUnixNano": str((base + n) * 1000), "body": {"stringValue": str(n)}} for n in numbers]
    body = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    return accepted(server, f"/t/{tenant}/v1/logs", json.dumps(body), JSON, lambda answer: (answer.status, answer.body) == (200, b"{}"))


def push_bulk(server, tenant, base, numbers):
    body = "".join('{"create":{}}\n' + json.dumps({"@timestamp": stamp(base + n), "message": str(n)}) + "\n" for n in numbers)
    return accepted(server, f"/t/{tenant}/_bulk", body, {"Content-Type": "application/x-ndjson"},
                    lambda answer: answer.status == 200 and answer.json()["errors"] is False)


def push_syslog(server, tenant, base, numbers):
    """Over TCP, octet-counted, to `syslog.tcp` of the server, whose `syslog.tenant` this is. A connection that the server closes
    in order says that all is durable; one of a process that was killed is reset."""
    assert server.config["syslog.tenant"] == tenant
    out = b""
    for n in numbers:
        message = f"<13>1 {stamp(base + n)} h app - - - {n}".encode()
        out += b"%d %s" % (len(message), message)
    with socket.create_connection(("127.0.0.1", int(server.config["syslog.tcp"].rpartition(":")[2])), timeout=30) as s:
        s.sendall(out)
        s.shutdown(socket.SHUT_WR)
        return s.recv(1) == b""


PUSHERS = {"ndjson": push_ndjson, "loki": push_loki, "loki-protobuf": push_loki_protobuf, "otlp": push_otlp, "bulk": push_bulk,
           "syslog": push_syslog}
