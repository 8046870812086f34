// SPDX-License-Identifier: Apache-2.0
// CPU per message of bulk requests: 5,000 documents as Filebeat makes them, about 450 bytes each.
#include <string>

#include <benchmark/benchmark.h>

#include "protocol/elasticsearch/bulk.h"

namespace varve::protocol::elasticsearch {
namespace {

std::string bulk_body() {
  std::string body;
  for (int i = 0; i < 5'000; ++i) {
    body += "{\"create\":{\"_index\":\"filebeat-8.19.0\"}}\n";
    body +=
        R"({"@timestamp":"2026-11-24T13:19:27.123Z","message":"request completed path=\"/api/v2/orders/)" +
        std::to_string(i) +
        R"(\" status=200 duration=0.077 user_agent=\"Mozilla/5.0 (X11; Linux x86_64)\" remote=192.0.2.44","log":{"level":"info",)"
        R"("offset":)" +
        std::to_string(i * 100) +
        R"(,"file":{"path":"/var/log/app.log"}},"host":{"name":"web07"},"service":{"name":"orders"},"process":{"pid":4711},)"
        R"("ecs":{"version":"8.0.0"},"input":{"type":"filestream"},"agent":{"type":"filebeat","version":"8.19.0"}})" +
        "\n";
  }
  return body;
}

void bulk_documents(benchmark::State& state) {
  std::string body = bulk_body();
  const std::size_t bytes = body.size();
  body.append(messages::kBodyPadding, ' ');
  const BulkOptions options;
  message::Batch batch;
  std::size_t messages = 0;
  for (auto _ : state) {
    batch.clear();
    benchmark::DoNotOptimize(parse_bulk(std::string_view(body).substr(0, bytes), options, batch));
    messages += batch.rows();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.counters["per_message"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(bulk_documents)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::protocol::elasticsearch
