// SPDX-License-Identifier: Apache-2.0
// 10,000 points a body, as KairosDB's clients send them; bytes/s of JSON on one core.
#include <benchmark/benchmark.h>

#include "protocol/kairosdb/datapoints.h"
#include "protocol/testing/fake_groups.h"
#include "protocol/testing/null_groups.h"

namespace varve::protocol::kairosdb {
namespace {

std::string tags(int host) {
  return R"("tags":{"host":"host_)" + std::to_string(host) +
         R"(","region":"eu-central-1","datacenter":"eu-central-1a","rack":"67"})";
}

std::string number(int i, int form) {
  if (form == 0) return std::to_string(i * 7919 % 100000);
  if (form == 1) return std::to_string(i * 7919 % 10000) + "." + std::to_string(10 + i % 90);
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", 0.5 + i / 3.7);
  return text;
}

// One metric object a point, of so many hosts.
std::string objects(int form, int hosts = 100) {
  std::string body = "[";
  for (int i = 0; i < 10000; ++i) {
    body += i > 0 ? "," : "";
    body += R"({"name":"cpu_usage_user","timestamp":)" + std::to_string(1700000000000 + i / hosts * 10000) +
            R"(,"value":)" + number(i, form) + "," + tags(i % hosts) + "}";
  }
  return body + "]";
}

// 100 metric objects of 100 points.
std::string arrays(int form) {
  std::string body = "[";
  for (int host = 0; host < 100; ++host) {
    body += host > 0 ? "," : "";
    body += R"({"name":"cpu_usage_user","datapoints":[)";
    for (int i = 0; i < 100; ++i) {
      body += (i > 0 ? ",[" : "[") + std::to_string(1700000000000 + i * 10000) + "," + number(i, form) + "]";
    }
    body += "]," + tags(host) + "}";
  }
  return body + "]";
}

void run(benchmark::State& state, const std::string& body, bool keep_names, Way way) {
  const std::string bytes = body + std::string(64, ' ');
  testing::FakeGroups groups;
  groups.keep_names = keep_names;
  model::RowBatch batch;
  for (auto _ : state) {
    batch.clear();
    if (!parse_datapoints({bytes.data(), body.size()}, groups, batch, way).none()) state.SkipWithError("rejected");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
  state.SetItemsProcessed(state.iterations() * 10000);
}

// Bodies of groups that were never seen, as from agents that have just started.
void run_new(benchmark::State& state, const std::string& body) {
  const std::string bytes = body + std::string(64, ' ');
  model::RowBatch batch;
  for (auto _ : state) {
    testing::NullGroups groups;
    batch.clear();
    if (!parse_datapoints({bytes.data(), body.size()}, groups, batch).none()) state.SkipWithError("rejected");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(body.size()));
  state.SetItemsProcessed(state.iterations() * 10000);
}

void BM_ObjectsNew(benchmark::State& state) { run_new(state, objects(1, 10000)); }
void BM_ArraysNew(benchmark::State& state) { run_new(state, arrays(1)); }
void BM_ObjectsLong(benchmark::State& state) { run(state, objects(0), true, Way::fast); }
void BM_ObjectsDecimal(benchmark::State& state) { run(state, objects(1), true, Way::fast); }
void BM_ObjectsDecimalHashed(benchmark::State& state) { run(state, objects(1), false, Way::fast); }
void BM_ObjectsDouble17(benchmark::State& state) { run(state, objects(2), true, Way::fast); }
void BM_ObjectsGeneral(benchmark::State& state) { run(state, objects(1), true, Way::general); }
void BM_ArraysLong(benchmark::State& state) { run(state, arrays(0), true, Way::fast); }
void BM_ArraysDecimal(benchmark::State& state) { run(state, arrays(1), true, Way::fast); }
void BM_ArraysDouble17(benchmark::State& state) { run(state, arrays(2), true, Way::fast); }
void BM_ArraysGeneral(benchmark::State& state) { run(state, arrays(1), true, Way::general); }
BENCHMARK(BM_ObjectsNew);
BENCHMARK(BM_ArraysNew);
BENCHMARK(BM_ObjectsLong);
BENCHMARK(BM_ObjectsDecimal);
BENCHMARK(BM_ObjectsDecimalHashed);
BENCHMARK(BM_ObjectsDouble17);
BENCHMARK(BM_ObjectsGeneral);
BENCHMARK(BM_ArraysLong);
BENCHMARK(BM_ArraysDecimal);
BENCHMARK(BM_ArraysDouble17);
BENCHMARK(BM_ArraysGeneral);

}  // namespace
}  // namespace varve::protocol::kairosdb
