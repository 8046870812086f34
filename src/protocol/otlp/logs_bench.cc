// SPDX-License-Identifier: Apache-2.0
// CPU per message of OTLP logs: 5,000 records of 250 bytes of text and four attributes, in 20 resources of four.
#include <string>

#include <benchmark/benchmark.h>
#include <protozero/pbf_writer.hpp>

#include "protocol/otlp/logs.h"

namespace varve::protocol::otlp {
namespace {

constexpr int kResources = 20;
constexpr int kRecords = 250;

std::string otlp_text(int number) {
  std::string text = "request completed path=\"/api/v2/orders/" + std::to_string(number) + "\" ";
  for (char c = 'a'; text.size() < 250; c = static_cast<char>(c == 'z' ? 'a' : c + 1)) text += c;
  return text;
}

void add_text(protozero::pbf_writer& to, unsigned number, const std::string& key, const std::string& value) {
  protozero::pbf_writer pair(to, number);
  pair.add_string(1, key);
  protozero::pbf_writer any(pair, 2);
  any.add_string(1, value);
}

void add_record(protozero::pbf_writer& logs, int number) {
  protozero::pbf_writer record(logs, 2);
  record.add_fixed64(1, 1'700'000'000'000'000'123 + static_cast<std::uint64_t>(number));
  record.add_int32(2, 9);
  record.add_string(3, "INFO");
  {
    protozero::pbf_writer body(record, 5);
    body.add_string(1, otlp_text(number));
  }
  add_text(record, 6, "http.request.method", "GET");
  add_text(record, 6, "url.path", "/api/v2/orders");
  add_text(record, 6, "user_agent.original", "curl/8.5.0");
  {
    protozero::pbf_writer pair(record, 6);
    pair.add_string(1, "http.response.status_code");
    protozero::pbf_writer any(pair, 2);
    any.add_int64(3, 200);
  }
  record.add_bytes(9, "0123456789abcdef");
  record.add_bytes(10, "01234567");
}

std::string otlp_body() {
  std::string body;
  protozero::pbf_writer request(body);
  for (int i = 0; i < kResources; ++i) {
    protozero::pbf_writer of(request, 1);
    {
      protozero::pbf_writer resource(of, 1);
      add_text(resource, 1, "host.name", "web" + std::to_string(i));
      add_text(resource, 1, "service.name", "orders");
      add_text(resource, 1, "service.version", "2.7.1");
      add_text(resource, 1, "deployment.environment", "production");
    }
    protozero::pbf_writer scope(of, 2);
    for (int j = 0; j < kRecords; ++j) add_record(scope, j);
  }
  return body;
}

std::string otlp_json_body() {
  const auto text = [](const std::string& key, const std::string& value) {
    return R"({"key":")" + key + R"(","value":{"stringValue":")" + value + "\"}}";
  };
  std::string body = R"({"resourceLogs":[)";
  for (int i = 0; i < kResources; ++i) {
    body += (i == 0 ? "" : ",") + std::string(R"({"resource":{"attributes":[)") +
            text("host.name", "web" + std::to_string(i)) + "," + text("service.name", "orders") + "," +
            text("service.version", "2.7.1") + "," + text("deployment.environment", "production") +
            R"(]},"scopeLogs":[{"logRecords":[)";
    for (int j = 0; j < kRecords; ++j) {
      std::string line = otlp_text(j);
      std::erase(line, '"');
      body +=
          (j == 0 ? "" : ",") +
          std::string(
              R"({"timeUnixNano":"1700000000000000123","severityNumber":9,"severityText":"INFO","body":{"stringValue":")") +
          line + R"("},"attributes":[)" + text("http.request.method", "GET") + "," +
          text("url.path", "/api/v2/orders") + "," + text("user_agent.original", "curl/8.5.0") +
          R"(,{"key":"http.response.status_code","value":{"intValue":"200"}}],"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"})";
    }
    body += "]}]}";
  }
  return body + "]}";
}

template <class Parse>
void run_logs(benchmark::State& state, const std::string& body, const Parse& parse) {
  const LogOptions options;
  message::Batch batch;
  std::size_t messages = 0;
  for (auto _ : state) {
    batch.clear();
    benchmark::DoNotOptimize(parse(body, options, batch));
    messages += batch.rows();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(body.size()) * state.iterations());
  state.counters["per_message"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void otlp_logs_protobuf(benchmark::State& state) { run_logs(state, otlp_body(), parse_logs_protobuf); }
void otlp_logs_json(benchmark::State& state) { run_logs(state, otlp_json_body(), parse_logs_json); }

BENCHMARK(otlp_logs_protobuf)->Unit(benchmark::kMillisecond);
BENCHMARK(otlp_logs_json)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace varve::protocol::otlp
