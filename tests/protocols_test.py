# SPDX-License-Identifier: Apache-2.0
"""What every protocol puts comes back exactly, at once, and the same after settling and a restart."""

import gzip
import json
import struct
import unittest

from support import wire
from support.case import T0, ServerCase

DOUBLES = [0.1, -0.1, 1e300, -1e-300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 3.141592653589793,
           0.30000000000000004, 123456789.123456789, 55.0, -0.0, 1e15, 1e16, 1e21]
LONGS = [0, 1, -1, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 10**18]


def bits(value):
    return struct.pack("<d", float(value))


class Protocols(ServerCase):
    expected = []  # what was put so far, for the last test

    def expect(self, metric, values, tags=None, exact_double=False):
        self.expected.append((metric, values, tags, exact_double))
        self.check(metric, values, tags, exact_double)

    def check(self, metric, values, tags, exact_double):
        got = self.server.values(metric, tags)
        self.assertEqual([t for t, _ in got], [t for t, _ in values], metric)
        for (_, a), (t, b) in zip(got, values):
            if exact_double:
                self.assertEqual(bits(a), bits(b), f"{metric} at {t}: {a!r} is not {b!r}")
            else:
                self.assertEqual(a, b, f"{metric} at {t}")
                self.assertEqual(isinstance(a, str), isinstance(b, str), f"{metric} at {t}")

    # --- KairosDB ---

    def test_kairosdb_doubles_bit_for_bit(self):
        values = [(T0 + i, v) for i, v in enumerate(DOUBLES)]
        self.server.put([{"name": "k.double", "type": "double", "tags": {"a": "b"}, "datapoints": values}])
        self.expect("k.double", values, exact_double=True)

    def test_kairosdb_longs_to_64_bits(self):
        values = [(T0 + i, v) for i, v in enumerate(LONGS)]
        self.server.put([{"name": "k.long", "tags": {"a": "b"}, "datapoints": values}])
        self.expect("k.long", values)

    def test_kairosdb_strings_byte_for_byte(self):
        texts = ["x", "two words", "ünïcödé ✓ 𝄞", 'quote " back \\ slash /', "tab\tnewline\n", "\u0001\u001f", "0" * 5000]
        values = [(T0 + i, v) for i, v in enumerate(texts)]
        self.server.put([{"name": "k.string", "type": "string", "tags": {"a": "b"}, "datapoints": values}])
        self.expect("k.string", values)

    def test_kairosdb_timestamps_from_end_to_end(self):
        times = [-(2**53), -1, 0, 1, 1000, T0, 2**53]
        values = [(t, i) for i, t in enumerate(times)]
        self.server.put([{"name": "k.times", "tags": {"a": "b"}, "datapoints": values}])
        self.expect("k.times", values)

    def test_kairosdb_object_timestamp_value(self):
        self.server.put({"name": "k.object", "timestamp": T0, "value": 7, "tags": {"a": "b"}})
        self.expect("k.object", [(T0, 7)])

    def test_kairosdb_mixed_types_in_one_series(self):
        self.server.put([{"name": "k.mixed", "tags": {"a": "b"},
                          "datapoints": [[T0, 1], [T0 + 1, 1.5], [T0 + 2, 2**60]]}])
        self.expect("k.mixed", [(T0, 1), (T0 + 1, 1.5), (T0 + 2, 2**60)])

    def test_kairosdb_gzip_both_ways(self):
        body = gzip.compress(json.dumps([{"name": "k.gzip", "timestamp": T0, "value": 1, "tags": {"a": "b"}}]).encode())
        for headers in ({"Content-Type": "application/gzip"},
                        {"Content-Type": "application/json", "Content-Encoding": "gzip"}):
            with self.subTest(headers):
                self.server.put(body, headers)
        self.expect("k.gzip", [(T0, 1)])

    def test_kairosdb_names_and_tags_keep_every_character(self):
        name, tags = "k.chars:=, é✓", {"host=x": "a b,c=d", "ключ": "значение", "q\"": "back\\slash"}
        self.server.put([{"name": name, "timestamp": T0, "value": 1, "tags": tags}])
        results = self.server.query([{"name": name}])[0]["results"]
        self.assertEqual(results[0]["tags"], {k: [v] for k, v in tags.items()})
        self.assertIn(name, self.server.metric_names())

    def test_last_write_wins(self):
        for value in (1, 2.5, 3):
            self.server.put([{"name": "k.again", "timestamp": T0, "value": value, "tags": {"a": "b"}}])
        self.server.put([{"name": "k.again", "tags": {"a": "b"}, "datapoints": [[T0 + 1, 1], [T0 + 1, 2]]}])
        self.expect("k.again", [(T0, 3), (T0 + 1, 2)])

    def test_out_of_order(self):
        times = [T0 + (i * 7919) % 1000 for i in range(1000)]
        self.server.put([{"name": "k.order", "tags": {"a": "b"}, "datapoints": [[t, t - T0] for t in times]}])
        self.expect("k.order", [(T0 + i, i) for i in range(1000)])

    # --- OpenTSDB ---

    def test_opentsdb_put(self):
        points = [{"metric": "o.put", "timestamp": T0 // 1000, "value": 42, "tags": {"host": "a"}},
                  {"metric": "o.put", "timestamp": T0 + 1, "value": "1.5", "tags": {"host": "a"}},
                  {"metric": "o.put", "timestamp": T0 + 2, "value": -7.25, "tags": {"host": "a"}}]
        answer = self.server.post("/api/put", points)
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.expect("o.put", [(T0, 42), (T0 + 1, 1.5), (T0 + 2, -7.25)])

    def test_opentsdb_single_object_summary_and_details(self):
        point = {"metric": "o.one", "timestamp": T0, "value": 1, "tags": {"host": "a"}}
        summary = self.server.post("/api/put?summary", point)
        self.assertEqual((summary.status, summary.json()), (200, {"success": 1, "failed": 0}))
        details = self.server.post("/api/put?details", point)
        self.assertEqual((details.status, details.json()), (200, {"success": 1, "failed": 0, "errors": []}))
        self.expect("o.one", [(T0, 1)])

    def test_opentsdb_empty_array_of_netdata(self):
        self.assertIn(self.server.post("/api/put", "[\n\n]\n").status, (200, 204))

    def test_opentsdb_gzip_and_chunked(self):
        body = gzip.compress(json.dumps({"metric": "o.gz", "timestamp": T0, "value": 1, "tags": {"h": "a"}}).encode())
        self.assertEqual(self.server.post("/api/put", body, {"Content-Encoding": "gzip"}).status, 204)
        answer = self.server.post("/api/put", iter_chunks(b'{"metric":"o.gz","timestamp":%d,' % (T0 + 1),
                                                          b'"value":2,"tags":{"h":"a"}}'),
                                  {"Transfer-Encoding": "chunked"})
        self.assertEqual(answer.status, 204, answer)
        self.expect("o.gz", [(T0, 1), (T0 + 1, 2)])

    # --- telnet ---

    def test_telnet_put_putm_puts(self):
        with self.server.telnet() as t:
            t.send(f"put t.put {T0 // 1000} 1 host=a\r\nput t.put {T0 + 1} 2.5 host=a\n"
                   f"putm t.put {T0 + 2} -3 host=a\nput  t.put   {T0 + 3}  4   host=a  \r\n"
                   f"puts t.text {T0} hello host=a\n")
            t.finish()
        self.expect("t.put", [(T0, 1), (T0 + 1, 2.5), (T0 + 2, -3), (T0 + 3, 4)])
        self.expect("t.text", [(T0, "hello")])

    def test_telnet_lines_cut_anywhere(self):
        line = f"putm t.cut {T0} 12345.678 host=alpha rack=7\r\n".encode()
        with self.server.telnet() as t:
            for i in range(len(line)):
                t.send(line[i:i + 1])
            t.finish()
        self.expect("t.cut", [(T0, 12345.678)])

    def test_telnet_pipelined(self):
        with self.server.telnet() as t:
            t.send("".join(f"putm t.many {T0 + i} {i} host=a\n" for i in range(20_000)))
            t.finish()
        self.expect("t.many", [(T0 + i, i) for i in range(20_000)])

    def test_telnet_answers_version_and_ends_on_exit(self):
        with self.server.telnet() as t:
            t.send("version\n")
            self.assertRegex(t.read_line(), "(?i)varve")
            t.send("help\n")
            self.assertIn("put", t.read_line())
            t.send("exit\n")
            t.finish()

    def test_telnet_last_line_without_newline_is_not_half_taken(self):
        with self.server.telnet() as t:
            t.send(f"putm t.half {T0} 1 host=a\nputm t.half {T0 + 1} 2 host=")
            t.finish()
        self.expect("t.half", [(T0, 1)])

    # --- Influx ---

    def test_influx_lines(self):
        self.server.influx(f"cpu,host=a,dc=x usage=1.5,idle=2i {T0}\n"
                           f"\n# a comment\ncpu,host=a,dc=x usage=-0.25 {T0 + 1}\r\n bare,host=a value=7 {T0}")
        self.expect("cpu_usage", [(T0, 1.5), (T0 + 1, -0.25)])
        self.expect("cpu_idle", [(T0, 2)])
        self.expect("bare", [(T0, 7)])

    def test_influx_precisions(self):
        for precision, unit in (("ns", 10**6), ("u", 10**3), ("us", 10**3), ("ms", 1)):
            answer = self.server.post(f"/write?precision={precision}", f"prec_{precision} value=1 {T0 * unit}")
            self.assertEqual(answer.status, 204, answer)
            self.expect(f"prec_{precision}", [(T0, 1)])
        self.assertEqual(self.server.post("/write?precision=s", f"prec_s value=1 {T0 // 1000}").status, 204)
        self.expect("prec_s", [(T0, 1)])
        self.assertEqual(self.server.post("/write?db=x&rp=&consistency=all&precision=ns", f"prec_d value=1 {T0}000000").status, 204)
        self.expect("prec_d", [(T0, 1)])

    def test_influx_escapes(self):
        self.server.influx(f"esc\\,aped\\ name,tag\\ key=va\\=lue\\,x fi\\ eld=1 {T0}")
        results = self.server.query([{"name": "esc,aped name_fi eld"}])[0]["results"]
        self.assertEqual(results[0]["tags"], {"tag key": ["va=lue,x"]})
        self.assertEqual(results[0]["values"], [[T0, 1]])

    def test_influx_longs_and_doubles(self):
        values = [(T0 + i, v) for i, v in enumerate(LONGS)]
        self.server.influx("\n".join(f"ilong value={v}i {t}" for t, v in values))
        self.expect("ilong", values)
        doubles = [(T0 + i, v) for i, v in enumerate(DOUBLES)]
        self.server.influx("\n".join(f"idouble value={v!r} {t}" for t, v in doubles))
        self.expect("idouble", doubles, exact_double=True)

    def test_influx_without_timestamp_is_now(self):
        before = self.server.values("inow")
        self.server.influx("inow value=1")
        self.assertEqual(before, [])
        self.assertEqual(len(self.server.values("inow")), 1)

    def test_influx_v2_and_gzip(self):
        answer = self.server.post("/api/v2/write?org=o&bucket=b&precision=ms", gzip.compress(b"iv2 value=3 %d" % T0),
                                  {"Content-Encoding": "gzip", "Authorization": "Token x"})
        self.assertEqual(answer.status, 204, answer)
        self.expect("iv2", [(T0, 3)])

    def test_influx_what_clients_ask_at_start(self):
        ping = self.server.get("/ping")
        self.assertEqual(ping.status, 204)
        self.assertTrue(ping.header("X-Influxdb-Version"))
        self.assertEqual(self.server.get("/health").status, 200)
        created = self.server.post("/query?q=CREATE+DATABASE+%22db2%22")
        self.assertEqual(created.status, 200)
        self.assertIn("results", created.json())
        shown = self.server.get("/query?q=SHOW+DATABASES&db=").json()
        self.assertEqual(shown["results"][0]["series"][0]["name"], "databases")

    # --- remote write ---

    def remote_write(self, series, encode=wire.snappy):
        return self.server.post("/api/v1/write", encode(wire.write_request(series)), {
            "Content-Type": "application/x-protobuf", "Content-Encoding": "snappy",
            "X-Prometheus-Remote-Write-Version": "0.1.0"})

    def test_remote_write(self):
        doubles = [(T0 + i, v) for i, v in enumerate(DOUBLES)]
        answer = self.remote_write([({"__name__": "rw_double", "job": "x", "instance": "a:1"}, doubles),
                                    ({"__name__": "rw_other", "job": "x"}, [(T0, 1.0)])])
        self.assertIn(answer.status, (200, 204), answer)
        self.expect("rw_double", doubles, {"job": "x", "instance": "a:1"}, exact_double=True)
        self.expect("rw_other", [(T0, 1)])

    def test_remote_write_keeps_stale_markers_for_promql_alone(self):
        answer = self.remote_write([({"__name__": "rw_stale"}, [(T0, 1.0), (T0 + 1, wire.STALE_MARKER), (T0 + 2, 3.0)])])
        self.assertIn(answer.status, (200, 204), answer)
        self.expect("rw_stale", [(T0, 1), (T0 + 2, 3)])
        self.assertEqual(self.server.metric("varve_stale_markers_total"), 1)
        gone = self.remote_write([({"__name__": "rw_never"}, [(T0, wire.STALE_MARKER)])])
        self.assertIn(gone.status, (200, 204), gone)
        self.assertEqual(self.server.metric("varve_stale_markers_total"), 1)
        self.assertNotIn("rw_never", self.server.metric_names())

    def test_remote_write_of_another_message_is_refused(self):
        body = wire.snappy(wire.write_request([({"__name__": "rw_typed"}, [(T0, 1.0)])]))
        for content_type, status in (("application/x-protobuf;proto=io.prometheus.write.v2.Request", 400), ("application/json", 415)):
            answer = self.server.post("/api/v1/write", body, {"Content-Type": content_type, "Content-Encoding": "snappy"})
            self.assertEqual(answer.status, status, answer)
        self.assertNotIn("rw_typed", self.server.metric_names())
        for content_type in ("application/x-protobuf;proto=prometheus.WriteRequest", "APPLICATION/X-Protobuf; Proto=\"prometheus.WriteRequest\""):
            answer = self.server.post("/api/v1/write", body, {"Content-Type": content_type, "Content-Encoding": "snappy"})
            self.assertEqual(answer.status, 204, answer)
        self.expect("rw_typed", [(T0, 1)])

    def test_remote_write_2(self):
        v2 = {"Content-Type": "application/x-protobuf;proto=io.prometheus.write.v2.Request", "Content-Encoding": "snappy"}
        up = {"__name__": "rw2_total", "job": "a"}
        body = wire.write_request_2([(up, [(T0, 1.0), (T0 + 1, 2.0)], (1, "What it counts.", "bytes")), ({"__name__": "rw2_gauge", "job": "a"}, [(T0, 3.0)], None)])
        for _ in range(2):
            answer = self.server.post("/api/v1/write", wire.snappy(body), v2)
            self.assertEqual(answer.status, 204, answer)
            self.assertEqual(answer.headers["x-prometheus-remote-write-samples-written"], "3")
            self.assertEqual(answer.headers["x-prometheus-remote-write-histograms-written"], "0")
            self.check("rw2_total", [(T0, 1), (T0 + 1, 2)], None, False)
        self.expect("rw2_gauge", [(T0, 3)])
        self.assertIn(self.remote_write([(up, [(T0 + 2, 4.0)])]).status, (200, 204))
        self.check("rw2_total", [(T0, 1), (T0 + 1, 2), (T0 + 2, 4)], None, False)
        gone = wire.write_request_2([({"__name__": "rw2_never"}, [(T0, wire.STALE_MARKER)], None)])
        answer = self.server.post("/api/v1/write", wire.snappy(gone), v2)
        self.assertEqual(answer.headers["x-prometheus-remote-write-samples-written"], "1", "there was nothing to end")
        self.assertNotIn("x-prometheus-remote-write-samples-written", self.remote_write([(up, [(T0, 1.0)])]).headers)
        answer = self.server.post("/api/v1/write", wire.zstd(body), {**v2, "Content-Encoding": "zstd"})
        self.assertEqual(answer.status, 204, answer)
        bad = wire.write_request_2([({"__name__": "rw2_total", "job": "a"}, [(T0 + 3, 5.0)], None)]) + wire.field(5, wire.field(1, b"\x63\x64"))
        answer = self.server.post("/api/v1/write", wire.snappy(bad), v2)
        self.assertEqual(answer.status, 400, answer)
        self.assertIn("symbol 99", answer.body.decode())
        self.assertEqual(answer.headers["x-prometheus-remote-write-samples-written"], "1")
        self.expect("rw2_total", [(T0, 1), (T0 + 1, 2), (T0 + 2, 4), (T0 + 3, 5)])

    def test_remote_write_empty_request(self):
        self.assertIn(self.remote_write([]).status, (200, 204))

    # --- all of them name the same series ---

    def test_one_series_by_every_protocol(self):
        self.server.put([{"name": "same", "timestamp": T0, "value": 1, "tags": {"h": "a"}}])
        self.server.post("/api/put", {"metric": "same", "timestamp": T0 + 1, "value": 2, "tags": {"h": "a"}})
        self.server.influx(f"same,h=a value=3 {T0 + 2}")
        self.remote_write([({"__name__": "same", "h": "a"}, [(T0 + 3, 4.0)])])
        with self.server.telnet() as t:
            t.send(f"putm same {T0 + 4} 5 h=a\n")
            t.finish()
        results = self.server.query([{"name": "same", "group_by": [{"name": "tag", "tags": ["h"]}]}])[0]["results"]
        self.assertEqual(len(results), 1)
        self.expect("same", [(T0 + i, i + 1) for i in range(5)])


    def test_zz_again_after_settle_and_restart(self):
        if not self.expected:  # asked for alone
            for name in unittest.defaultTestLoader.getTestCaseNames(Protocols):
                if name != "test_zz_again_after_settle_and_restart":
                    getattr(self, name)()
        for step in ("settle", "restart", "settle", "restart"):
            getattr(self.server, step)()
            for metric, values, tags, exact in self.expected:
                with self.subTest(f"{metric} after {step}"):
                    self.check(metric, values, tags, exact)


def iter_chunks(*pieces):
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


if __name__ == "__main__":
    unittest.main()
