# SPDX-License-Identifier: Apache-2.0
"""Requests of OTLP's metrics, as SDKs export them: from one description in JSON, and the same in protobuf, by hand."""

import struct

from . import wire

JSON = {"Content-Type": "application/json"}
PROTOBUF = {"Content-Type": "application/x-protobuf"}
DELTA, CUMULATIVE = 1, 2


def attributes(of):
    """{"key": value} as a list of OTLP's pairs in JSON."""
    def value(v):
        if isinstance(v, bool):
            return {"boolValue": v}
        if isinstance(v, int):
            return {"intValue": str(v)}
        if isinstance(v, list):
            return {"arrayValue": {"values": [value(one) for one in v]}}
        return {"doubleValue": v} if isinstance(v, float) else {"stringValue": v}
    return [{"key": k, "value": value(v)} for k, v in of.items()]


def point(time_ms, number, labels=None, **more):
    value = {"asInt": str(number)} if isinstance(number, int) else {"asDouble": number}
    return {"timeUnixNano": str(time_ms * 10**6), **value, "attributes": attributes(labels or {}), **more}


def gauge(name, points, unit=""):
    return {"name": name, "unit": unit, "gauge": {"dataPoints": points}}


def total(name, points, unit="", temporality=CUMULATIVE, monotonic=True):
    return {"name": name, "unit": unit, "sum": {"dataPoints": points, "aggregationTemporality": temporality, "isMonotonic": monotonic}}


def histogram(name, points, unit="", temporality=CUMULATIVE):
    return {"name": name, "unit": unit, "histogram": {"dataPoints": points, "aggregationTemporality": temporality}}


def request(metrics, resource=None):
    return {"resourceMetrics": [{"resource": {"attributes": attributes(resource or {})}, "scopeMetrics": [{"scope": {"name": "test"}, "metrics": metrics}]}]}


# Of each message its members: number, and how it is written, or the message that it has.
FIELDS = {
    "request": {"resourceMetrics": (1, "resourceMetrics")},
    "resourceMetrics": {"resource": (1, "resource"), "scopeMetrics": (2, "scopeMetrics")},
    "resource": {"attributes": (1, "pair")},
    "scopeMetrics": {"scope": (1, "scope"), "metrics": (2, "metric")},
    "scope": {"name": (1, "text")},
    "metric": {"name": (1, "text"), "description": (2, "text"), "unit": (3, "text"), "gauge": (5, "numbers"), "sum": (7, "numbers"), "histogram": (9, "histograms"),
               "exponentialHistogram": (10, "exponentials"), "summary": (11, "summaries")},
    "numbers": {"dataPoints": (1, "number"), "aggregationTemporality": (2, "varint"), "isMonotonic": (3, "varint")},
    "histograms": {"dataPoints": (1, "histogram"), "aggregationTemporality": (2, "varint")},
    "exponentials": {"dataPoints": (1, "exponential"), "aggregationTemporality": (2, "varint")},
    "summaries": {"dataPoints": (1, "summary")},
    "number": {"timeUnixNano": (3, "fixed"), "asDouble": (4, "double"), "exemplars": (5, "exemplar"), "asInt": (6, "fixed"), "attributes": (7, "pair"), "flags": (8, "varint")},
    "histogram": {"timeUnixNano": (3, "fixed"), "count": (4, "fixed"), "sum": (5, "double"), "bucketCounts": (6, "fixed"), "explicitBounds": (7, "double"),
                  "attributes": (9, "pair"), "flags": (10, "varint")},
    "exponential": {"attributes": (1, "pair"), "timeUnixNano": (3, "fixed"), "count": (4, "fixed"), "scale": (6, "zigzag")},
    "summary": {"timeUnixNano": (3, "fixed"), "count": (4, "fixed"), "sum": (5, "double"), "quantileValues": (6, "quantile"), "attributes": (7, "pair"), "flags": (8, "varint")},
    "quantile": {"quantile": (1, "double"), "value": (2, "double")},
    "exemplar": {"asDouble": (3, "double")},
    "pair": {"key": (1, "text"), "value": (2, "any")},
    "any": {"stringValue": (1, "text"), "boolValue": (2, "varint"), "intValue": (3, "varint"), "doubleValue": (4, "double"), "arrayValue": (5, "array")},
    "array": {"values": (1, "any")},
}


def protobuf(of, message="request"):
    out = b""
    for member, value in of.items():
        number, kind = FIELDS[message][member]
        for one in value if isinstance(value, list) else [value]:
            if kind == "text":
                out += wire.field(number, one.encode())
            elif kind == "varint":
                out += wire.varint(number << 3) + wire.varint(int(one))
            elif kind == "zigzag":
                out += wire.varint(number << 3) + wire.varint(one * 2 if one >= 0 else -one * 2 - 1)
            elif kind == "fixed":
                out += wire.varint(number << 3 | 1) + struct.pack("<Q", int(one) % 2**64)
            elif kind == "double":
                out += wire.varint(number << 3 | 1) + struct.pack("<d", one)
            else:
                out += wire.field(number, protobuf(one, kind))
    return out
