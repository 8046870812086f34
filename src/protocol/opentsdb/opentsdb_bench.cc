// SPDX-License-Identifier: Apache-2.0
// 10,000 points as OpenTSDB's clients send them, by /api/put and by telnet; bytes/s on one core.
#include <benchmark/benchmark.h>

#include "protocol/opentsdb/fake_targets.h"
#include "protocol/opentsdb/put.h"
#include "protocol/opentsdb/telnet.h"

namespace varve::protocol::opentsdb {
namespace {

std::string value(int i) { return std::to_string(i * 7919 % 10000) + "." + std::to_string(10 + i % 90); }

std::string json(bool quoted) {
  std::string body = "[";
  for (int i = 0; i < 10000; ++i) {
    body += (i > 0 ? "," : "") + std::string(R"({"metric":"cpu_usage_user","timestamp":)");
    body += std::to_string(1700000000 + i / 100 * 10) + R"(,"value":)" + (quoted ? '"' + value(i) + '"' : value(i));
    body += R"(,"tags":{"host":"host_)" + std::to_string(i % 100) + R"(","region":"eu-central-1","rack":"67"}})";
  }
  return body + "]";
}

std::string lines() {
  std::string text;
  for (int i = 0; i < 10000; ++i) {
    text += "put cpu.usage.user " + std::to_string(1700000000 + i / 100 * 10) + ' ' + value(i) + " host=host_" +
            std::to_string(i % 100) + "  region=eu-central-1  rack=67\r\n";
  }
  return text;
}

void run_put(benchmark::State& state, const std::string& body, bool keep_names) {
  const std::string bytes = body + std::string(64, ' ');
  FakeTargets targets;
  targets.keep_names = keep_names;
  for (auto _ : state) {
    targets.drop();
    if (parse_put({bytes.data(), body.size()}, targets, TenantTag::names).success != 10000)
      state.SkipWithError("refused");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
  state.SetItemsProcessed(state.iterations() * 10000);
}

void run_telnet(benchmark::State& state, std::size_t piece, bool keep_names) {
  const std::string text = lines();
  FakeTargets targets;
  targets.keep_names = keep_names;
  TelnetParser parser(targets, {});
  std::string replies;
  for (auto _ : state) {
    targets.drop();
    for (std::size_t at = 0; at < text.size(); at += piece) {
      parser.feed(std::string_view(text).substr(at, piece), replies);
    }
    if (!replies.empty()) state.SkipWithError("refused");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.SetItemsProcessed(state.iterations() * 10000);
}

void BM_PutJson(benchmark::State& state) { run_put(state, json(false), true); }
void BM_PutJsonHashed(benchmark::State& state) { run_put(state, json(false), false); }
void BM_PutJsonQuoted(benchmark::State& state) { run_put(state, json(true), true); }
void BM_Telnet64KiB(benchmark::State& state) { run_telnet(state, 64 * 1024, true); }
void BM_Telnet64KiBHashed(benchmark::State& state) { run_telnet(state, 64 * 1024, false); }
void BM_Telnet1428(benchmark::State& state) { run_telnet(state, 1428, true); }
BENCHMARK(BM_PutJson);
BENCHMARK(BM_PutJsonHashed);
BENCHMARK(BM_PutJsonQuoted);
BENCHMARK(BM_Telnet64KiB);
BENCHMARK(BM_Telnet64KiBHashed);
BENCHMARK(BM_Telnet1428);

}  // namespace
}  // namespace varve::protocol::opentsdb
