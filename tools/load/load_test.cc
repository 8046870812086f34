// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>

#include <stdexcept>

#include "tools/load/log_encode.h"
#include "tools/load/options.h"

namespace varve::load {
namespace {

TEST(DataSet, AHostIsTheSameEachTime) {
  for (const auto kind : {Kind::integer, Kind::decimal, Kind::real, Kind::mix}) {
    DataSet data;
    data.kind = kind;
    Host a(data, 7);
    Host b(data, 7);
    Host other(data, 8);
    Line x;
    Line y;
    Line z;
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
      a.next(x);
      b.next(y);
      other.next(z);
      EXPECT_EQ(x.time_ms, y.time_ms);
      for (std::size_t f = 0; f < kFields; ++f) {
        EXPECT_EQ(as_double(x.values[f]), as_double(y.values[f]));
        differs |= as_double(x.values[f]) != as_double(z.values[f]);
      }
    }
    EXPECT_TRUE(differs);
  }
}

TEST(DataSet, PoissonHasItsMean) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    sum += static_cast<double>(random.poisson(40));
  }
  EXPECT_NEAR(sum / 20'000, 40, 0.3);
}

TEST(DataSet, NumbersKeepTheirPoint) {
  std::string text;
  append_number(text, {Form::decimal, 4207, 0});
  text += ' ';
  append_number(text, {Form::decimal, 100, 0});
  text += ' ';
  append_number(text, {Form::real, 0, 3});
  text += ' ';
  append_number(text, {Form::integer, 3, 0});
  EXPECT_EQ(text, "42.07 1.00 3.0 3");
}

std::string one_line(Protocol protocol) {
  DataSet data;
  data.start_ms = 1000;
  Host host(data, 3);
  Line line;
  host.next(line);
  const auto encoder = make_encoder(protocol, data);
  encoder->add(line);
  return encoder->take();
}

TEST(Encode, InfluxLineIsLikeTsbs) {
  const auto text = one_line(Protocol::influx);
  EXPECT_TRUE(text.starts_with("cpu,arch=")) << text;
  EXPECT_NE(text.find(",hostname=host_3,"), std::string::npos) << text;
  EXPECT_NE(text.find("i 1000000000\n"), std::string::npos) << text;
  EXPECT_GT(text.size(), 280U);
  EXPECT_LT(text.size(), 400U);
}

TEST(Encode, RemoteWriteIsSnappy) {
  const auto packed = one_line(Protocol::remote_write);
  std::string raw;
  ASSERT_TRUE(snappy::Uncompress(packed.data(), packed.size(), &raw));
  EXPECT_NE(raw.find("cpu_usage_user"), std::string::npos);
  EXPECT_EQ(raw[0], '\x0a');
}

TEST(Encode, OtlpHasAMetricForEachField) {
  const auto body = one_line(Protocol::otlp_metrics);
  EXPECT_EQ(body[0], '\x0a');
  for (const char* name : {"cpu_usage_user", "cpu_usage_guest_nice", "hostname"}) {
    EXPECT_NE(body.find(name), std::string::npos) << name;
  }
}

TEST(Encode, KairosJoinsPointsOfASeries) {
  DataSet data;
  Host host(data, 3);
  const auto encoder = make_encoder(Protocol::kairosdb, data);
  Line line;
  host.next(line);
  encoder->add(line);
  host.next(line);
  encoder->add(line);
  const auto body = encoder->take();
  EXPECT_NE(body.find("\"datapoints\":[[0,"), std::string::npos) << body;
  EXPECT_NE(body.find("],[10000,"), std::string::npos) << body;
  EXPECT_EQ(encoder->take(), "[]");
}

std::string_view text(std::span<const char> bytes) { return {bytes.data(), bytes.size()}; }

TEST(Prepare, EveryConnectionHasItsHosts) {
  Plan plan;
  plan.data.hosts = 5;
  plan.data.steps = 4;
  plan.lines_per_request = 3;
  plan.connections = 2;
  auto work = prepare(plan);
  ASSERT_EQ(work.size(), 2U);
  EXPECT_EQ(work[0].count(), 4U);  // 3 hosts x 4 lines, 3 a request
  EXPECT_EQ(work[1].count(), 3U);  // 2 hosts x 4 lines
  std::uint64_t samples = 0;
  for (const auto& share : work) {
    for (const auto n : share.samples) {
      samples += n;
    }
  }
  EXPECT_EQ(samples, plan.data.samples());
  EXPECT_TRUE(text(work[1].at(0)).starts_with("POST /write?db=bench HTTP/1.1\r\n"));
}

TEST(Prepare, ALapLaterIsWhatComesNext) {
  Plan plan;
  plan.data.hosts = 3;
  plan.data.steps = 2;
  plan.data.start_ms = 1'767'225'600'000;
  plan.connections = 1;
  plan.lines_per_request = 3;
  auto work = prepare(plan);
  ASSERT_EQ(work[0].count(), 2U);
  std::vector<std::string> expected{std::string(text(work[0].at(0))), std::string(text(work[0].at(1)))};
  const auto move = [&](std::string& request, std::string_view from, std::string_view to) {
    for (int host = 0; host < 3; ++host) {
      const auto at = request.find(from);
      ASSERT_NE(at, std::string::npos);
      request.replace(at, from.size(), to);
    }
    EXPECT_EQ(request.find(from), std::string::npos);
  };
  const auto advance = [&] {
    for (std::size_t i = 0; i < 2; ++i) {
      work[0].advance_times(i, 20'000);
      EXPECT_EQ(text(work[0].at(i)), expected[i]);
    }
  };
  move(expected[0], " 1767225600000000000\n", " 1767225620000000000\n");
  move(expected[1], " 1767225610000000000\n", " 1767225630000000000\n");
  advance();
  move(expected[0], " 1767225620000000000\n", " 1767225640000000000\n");
  move(expected[1], " 1767225630000000000\n", " 1767225650000000000\n");
  advance();
}

TEST(Logs, TheSameEachTimeAndInOrder) {
  const LogSet set{kNeedleEvery, 1'000'000, 86'400'000'000};
  Logs once(set), again(set);
  LogMessage message, same;
  std::int64_t before = 0;
  std::uint64_t needles = 0, objects = 0;
  while (once.next(message)) {
    ASSERT_TRUE(again.next(same));
    ASSERT_EQ(message.text, same.text);
    ASSERT_GE(message.time_us, before);
    ASSERT_LT(message.time_us, set.start_us + set.span_us);
    // Templates are filled in.
    ASSERT_EQ(message.text.find("{n:"), std::string::npos) << message.text;
    before = message.time_us;
    needles += message.text.find("needle") != std::string::npos ? 1 : 0;
    objects += message.objects.size();
  }
  EXPECT_FALSE(again.next(same));
  EXPECT_EQ(needles, 1U);
  EXPECT_GT(objects, 0U);
}

LogMessage small_message() {
  LogMessage m;
  m.time_us = 1'767'225'600'123'456;
  m.source = "web01";
  m.module = "sshd";
  m.type = "Syslog";
  m.ip = "10.1.0.1";
  m.text = "say \"a\"\nb";
  m.objects = {"VN:a"};
  m.kind = 10;
  m.level = 3;
  m.pid = 7;
  return m;
}

TEST(Logs, AsEachProtocolHasThem) {
  const auto body = [](Protocol protocol) {
    const auto encoder = make_log_encoder(protocol);
    encoder->add(small_message());
    return encoder->take();
  };
  EXPECT_EQ(body(Protocol::ndjson),
            R"({"time":1767225600123456,"source":"web01","module":"sshd","type":"Syslog","kind":10,"level":3,"pid":7,)"
            R"("ip":"10.1.0.1","objects":["VN:a"],"text":"say \"a\"\nb"})"
            "\n");
  EXPECT_EQ(
      body(Protocol::loki),
      R"({"streams":[{"stream":{"source":"web01","module":"sshd"},"values":[["1767225600123456000","say \"a\"\nb"]]}]})");
  EXPECT_EQ(
      body(Protocol::bulk),
      "{\"create\":{}}\n"
      R"({"@timestamp":"2026-01-01T00:00:00.123456Z","host.name":"web01","service.name":"sshd","event.kind":"Syslog",)"
      R"("message":"say \"a\"\nb","log.level":"3","process.pid":7})"
      "\n");
  EXPECT_EQ(body(Protocol::syslog), "66 <131>1 2026-01-01T00:00:00.123456Z web01 sshd 7 Syslog - say \"a\"\nb");
}

TEST(Prepare, MessagesAreDealtOutByRequests) {
  Plan plan;
  plan.wire.protocol = Protocol::ndjson;
  plan.logs.messages = 10;
  plan.lines_per_request = 4;
  auto work = prepare(plan);
  ASSERT_EQ(work.size(), 2U);
  EXPECT_THAT(work[0].samples, testing::ElementsAre(4, 2));
  EXPECT_THAT(work[1].samples, testing::ElementsAre(4));
  EXPECT_TRUE(text(work[0].at(0)).starts_with("POST /api/v1/messages HTTP/1.1\r\n"));
}

TEST(Options, PresetsAndFaults) {
  const auto options = parse_options({"--hosts=7", "--data=new-series", "--url=http://127.0.0.1:81/x"});
  EXPECT_EQ(options.plan.data.hosts, 7U);
  EXPECT_EQ(options.plan.data.steps, 6U);
  EXPECT_EQ(options.address.port, 81);
  EXPECT_EQ(options.plan.wire.path, "/x");
  for (const auto* bad : {"--data=x", "--hosts=-1", "--hosts=0", "--what=1", "word", "--url=nohost"}) {
    EXPECT_THROW(parse_options({"--url=127.0.0.1:1", bad}), std::invalid_argument) << bad;
  }
  EXPECT_THROW(parse_options({}), std::invalid_argument);
}

TEST(DataSet, ATenthOfTheLinesComesLate) {
  DataSet data;
  data.steps = 1000;
  data.start_ms = 1'700'000'000'000;
  data.late_spans = 3;
  Host host(data, 7);
  Line line;
  const std::int64_t span_ms = 1000 * data.step_ms;
  int late = 0;
  for (std::int64_t step = 0; step < 1000; ++step) {
    host.next(line);
    const std::int64_t behind = data.start_ms + step * data.step_ms - line.time_ms;
    if (behind == 0) continue;
    ++late;
    EXPECT_EQ((behind + 1) % span_ms, 0);
    EXPECT_GE(behind, span_ms - 1);
    EXPECT_LE(behind, 3 * span_ms - 1);
  }
  EXPECT_GT(late, 60);
  EXPECT_LT(late, 140);
}

TEST(Prepare, HostsBeginWhereTheyAreToldTo) {
  Plan plan;
  plan.data.hosts = 2;
  plan.data.first_host = 41;
  plan.data.steps = 1;
  plan.connections = 1;
  auto work = prepare(plan);
  EXPECT_THAT(text(work[0].at(0)), testing::AllOf(testing::HasSubstr("host_41,"), testing::HasSubstr("host_42,"),
                                                  testing::Not(testing::HasSubstr("host_0,"))));
}

TEST(Options, LateLinesAreNotVerified) {
  EXPECT_EQ(parse_options({"--url=127.0.0.1:1", "--late=4"}).plan.data.late_spans, 4U);
  EXPECT_EQ(parse_options({"--url=127.0.0.1:1", "--first-host=9"}).plan.data.first_host, 9U);
  for (const auto* bad : {"--late=4", "--first-host=9"}) {
    EXPECT_THROW(parse_options({"--url=127.0.0.1:1", "--verify", bad}), std::invalid_argument) << bad;
  }
}

TEST(Options, LapsAndRateOnlyWhereTheyWork) {
  const auto options = parse_options({"--url=127.0.0.1:1", "--laps=3", "--rate=1000"});
  EXPECT_EQ(options.laps, 3U);
  EXPECT_EQ(options.samples_per_s, 1000);
  for (const auto* bad : {"--laps=0", "--protocol=kairosdb", "--start=1000", "--verify"}) {
    EXPECT_THROW(parse_options({"--url=127.0.0.1:1", "--laps=2", bad}), std::invalid_argument) << bad;
  }
  for (const auto* bad : {"--connections=9", "--protocol=telnet", "--protocol=syslog"}) {
    EXPECT_THROW(parse_options({"--url=127.0.0.1:1", "--rate=5", bad}), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace varve::load
