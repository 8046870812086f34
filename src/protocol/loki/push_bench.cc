// SPDX-License-Identifier: Apache-2.0
// CPU per message of Loki pushes: 5,000 lines of 250 bytes in 20 streams, a tenth of the lines with escapes or all.
#include <string>

#include <benchmark/benchmark.h>
#include <protozero/pbf_writer.hpp>

#include "protocol/loki/push.h"

namespace varve::protocol::loki {
namespace {

constexpr int kStreams = 20;
constexpr int kEntries = 250;
constexpr std::size_t kLineBytes = 250;
constexpr std::int64_t kFirstNs = 1'700'000'000'000'000'000;

std::string push_line(int number, bool escapes) {
  std::string line =
      "level=info ts=2023-11-14T22:13:20.123Z caller=handler.go:77 request=" + std::to_string(number) +
      (escapes ? " msg=\"request completed\" path=\"/api/v2/orders\"" : " msg=completed path=/api/v2/orders");
  for (char c = 'a'; line.size() < kLineBytes; c = static_cast<char>(c == 'z' ? 'a' : c + 1)) line += c;
  return line;
}

std::string push_body(bool all_escaped) {
  std::string body = R"({"streams":[)";
  for (int stream = 0; stream < kStreams; ++stream) {
    body += (stream == 0 ? "" : ",") + std::string(R"({"stream":{"job":"orders","host":"web)") +
            std::to_string(stream) + R"(","env":"prod","level":"info"},"values":[)";
    for (int i = 0; i < kEntries; ++i) {
      std::string line;
      for (const char c : push_line(i, all_escaped || i % 10 == 0))
        line += c == '"' ? std::string("\\\"") : std::string(1, c);
      body += (i == 0 ? "[\"" : ",[\"") + std::to_string(kFirstNs + i * 1'000'123) + "\",\"" + line + "\"]";
    }
    body += "]}";
  }
  return body + "]}";
}

std::string protobuf_body() {
  std::string body;
  protozero::pbf_writer request(body);
  for (int stream = 0; stream < kStreams; ++stream) {
    protozero::pbf_writer to(request, 1);
    to.add_string(1, R"({job="orders", host="web)" + std::to_string(stream) + R"(", env="prod", level="info"})");
    for (int i = 0; i < kEntries; ++i) {
      protozero::pbf_writer entry(to, 2);
      {
        protozero::pbf_writer time(entry, 1);
        time.add_int64(1, 1'700'000'000 + i);
        time.add_int32(2, 123'456);
      }
      entry.add_string(2, push_line(i, true));
    }
  }
  return body;
}

template <class Parse>
void run_pushes(benchmark::State& state, std::string body, const Parse& parse) {
  const std::size_t bytes = body.size();
  body.append(messages::kBodyPadding, ' ');
  const messages::Limits limits;
  message::Batch batch;
  std::size_t messages = 0;
  for (auto _ : state) {
    batch.clear();
    benchmark::DoNotOptimize(parse(std::string_view(body).substr(0, bytes), limits, batch));
    messages += batch.rows();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  state.counters["per_message"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void push_json(benchmark::State& state, bool all_escaped, Way way) {
  run_pushes(state, push_body(all_escaped), [way](std::string_view body, const auto& limits, auto& batch) {
    return parse_push_json(body, limits, batch, way);
  });
}
void push_protobuf(benchmark::State& state) { run_pushes(state, protobuf_body(), parse_push_protobuf); }

BENCHMARK_CAPTURE(push_json, few_escapes, false, Way::fast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(push_json, escapes, true, Way::fast)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(push_json, escapes_general, true, Way::general)->Unit(benchmark::kMillisecond);
BENCHMARK(push_protobuf)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::protocol::loki
