# SPDX-License-Identifier: Apache-2.0
"""The table of malformed metrics of OTLP: requests that cannot be read, and points that cost no other."""

import json

from malformed_cases import LOKI_PROTOBUF, Case
from support import wire
from support.case import T0


def otlp_metrics(name, body, status=400, headers=None, **more):
    return Case("otlp metrics: " + name, "/v1/metrics", body, status, shape="otlp",
                headers={"Content-Type": "application/json"} if headers is None else headers, **more)


def otlp_point(*points, data="gauge", name="oneotlp", **more):
    """`points`, and behind them a good one, which is kept."""
    all_points = [*points, {"timeUnixNano": str(T0 * 10**6), "asInt": "1"}]
    return json.dumps({"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": name, data: {"dataPoints": all_points, **more}}]}]}]})


GOOD_POINT = {"timeUnixNano": str(T0 * 10**6), "asInt": "1"}
OTLP_METRICS = [
    otlp_metrics("empty body", ""),
    otlp_metrics("not JSON", "hello"),
    otlp_metrics("a list", "[]"),
    otlp_metrics("cut JSON", otlp_point()[:-4]),
    otlp_metrics("deep nesting", '{"resourceMetrics":' + "[" * 100_000),
    otlp_metrics("deep nesting of what is left out", '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"gauge":{"x":' + "[" * 100_000),
    otlp_metrics("metrics an object", '{"resourceMetrics":[{"scopeMetrics":[{"metrics":{}}]}]}'),
    otlp_metrics("points an object", '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"gauge":{"dataPoints":{}}}]}]}]}'),
    otlp_metrics("a gauge that is a list", '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"gauge":[]}]}]}]}'),
    otlp_metrics("invalid UTF-8", b'{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"\xff"}]}]}]}'),
    otlp_metrics("no time", otlp_point({"asInt": "1"}), status=200),
    otlp_metrics("no value", otlp_point({"timeUnixNano": str(T0 * 10**6)}), status=200),
    otlp_metrics("a time in words", otlp_point({"timeUnixNano": "now", "asInt": "1"}), status=200),
    otlp_metrics("a value in words", otlp_point({**GOOD_POINT, "asInt": "many"}), status=200),
    otlp_metrics("a fraction as an integer", otlp_point({**GOOD_POINT, "asInt": 1.5}), status=200),
    otlp_metrics("two values", otlp_point({**GOOD_POINT, "asDouble": 1.5}), status=200),
    otlp_metrics("attributes an object", otlp_point({**GOOD_POINT, "attributes": {}}), status=200),
    otlp_metrics("an attribute without a name", otlp_point({**GOOD_POINT, "attributes": [{"value": {"stringValue": "x"}}]}), status=200),
    otlp_metrics("an attribute of dots", otlp_point({**GOOD_POINT, "attributes": [{"key": "..", "value": {"stringValue": "x"}}]}), status=200),
    otlp_metrics("a long attribute", otlp_point({**GOOD_POINT, "attributes": [{"key": "a", "value": {"stringValue": "x" * 5000}}]}), status=200),
    otlp_metrics("no temporality", otlp_point(data="sum"), status=200),
    otlp_metrics("a temporality in words", otlp_point(data="sum", aggregationTemporality="often"), status=200),
    otlp_metrics("no name", otlp_point(name=""), status=200),
    otlp_metrics("nothing left of a name", otlp_point(name="@"), status=200),
    otlp_metrics("a long name", otlp_point(name="m" * 2000), status=200),
    otlp_metrics("an exponential histogram", otlp_point(data="exponentialHistogram", aggregationTemporality=2), status=200),
    otlp_metrics("no content type", otlp_point(), status=415, headers={}),
    otlp_metrics("text", otlp_point(), status=415, headers={"Content-Type": "text/plain"}),
    otlp_metrics("broken gzip", "junk", headers={"Content-Type": "application/json", "Content-Encoding": "gzip"}),
    otlp_metrics("not protobuf", b"\x0a\x05x", headers=LOKI_PROTOBUF),
    otlp_metrics("protobuf of a cut metric", wire.field(1, wire.field(2, b"\x12\x05x")), headers=LOKI_PROTOBUF),
]
