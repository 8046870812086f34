// SPDX-License-Identifier: Apache-2.0
#include "tools/load/verify.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace varve::load {
namespace {

constexpr std::int64_t kMonthMs = 31LL * 24 * 3600 * 1000;

class Reader {
 public:
  Reader(const Address& address, const Plan& plan) : connection_(address), plan_(plan) {}

  // `filter` and `rest` are parts of the metric's object in the query.
  simdjson::dom::element ask(std::string_view metric, const std::string& rest) {
    const auto end_ms = plan_.data.start_ms + static_cast<std::int64_t>(plan_.data.steps) * plan_.data.step_ms;
    const auto body = fmt::format(R"({{"start_absolute":{},"end_absolute":{},"metrics":[{{"name":"{}"{}}}]}})",
                                  plan_.data.start_ms, end_ms, metric, rest);
    connection_.send(
        fmt::format("POST /api/v1/datapoints/query HTTP/1.1\r\nHost: {}\r\nContent-Type: "
                    "application/json\r\n{}Content-Length: {}\r\n\r\n{}",
                    plan_.wire.host, plan_.wire.headers, body.size(), body));
    const auto& answer = connection_.receive();
    if (answer.status != 200) {
      throw NetworkError(fmt::format("query of {}: {} {}", metric, answer.status, answer.body.substr(0, 300)));
    }
    return parser_.parse(answer.body).value();
  }

 private:
  Connection connection_;
  const Plan& plan_;
  simdjson::dom::parser parser_;
};

std::string metric_name(Kind kind, std::size_t field) {
  return fmt::format("{}_{}", measurement(kind), field_name(kind, field));
}

std::uint64_t count_all(Reader& reader, const Plan& plan) {
  std::uint64_t count = 0;
  const auto aggregate =
      fmt::format(R"(,"aggregators":[{{"name":"count","sampling":{{"value":{},"unit":"milliseconds"}}}}])", kMonthMs);
  for (std::size_t field = 0; field < kFields; ++field) {
    const auto answer = reader.ask(metric_name(plan.data.kind, field), aggregate);
    for (const auto result : answer.at_pointer("/queries/0/results").get_array()) {
      for (const auto value : result["values"].get_array()) {
        count += value.at(1).get_uint64().value();
      }
    }
  }
  return count;
}

bool same(const Number& sent, simdjson::dom::element got) {
  if (sent.form == Form::integer && got.is_int64()) {
    return got.get_int64().value() == sent.whole;
  }
  return got.get_double().value() == as_double(sent);
}

// "" if every sample of the host is there and no other.
std::string compare_host(Reader& reader, const Plan& plan, std::uint64_t host, std::uint64_t& compared) {
  for (std::size_t field = 0; field < kFields; ++field) {
    const auto name = metric_name(plan.data.kind, field);
    const auto answer = reader.ask(name, fmt::format(R"(,"tags":{{"hostname":["host_{}"]}})", host));
    const auto values = answer.at_pointer("/queries/0/results/0/values").get_array().value();
    if (values.size() != plan.data.steps) {
      return fmt::format("{} of host_{}: {} samples, {} were sent", name, host, values.size(), plan.data.steps);
    }
    Host again(plan.data, host);
    Line line;
    for (const auto value : values) {
      again.next(line);
      const auto time_ms = value.at(0).get_int64().value();
      if (time_ms != line.time_ms || !same(line.values[field], value.at(1).value())) {
        return fmt::format("{} of host_{} at {}: got {} at {}", name, host, line.time_ms,
                           simdjson::minify(value.at(1).value()), time_ms);
      }
      ++compared;
    }
  }
  return {};
}

}  // namespace

Verdict verify(const Address& address, const Plan& plan, std::size_t hosts) {
  Verdict verdict;
  try {
    Reader reader(address, plan);
    verdict.counted = count_all(reader, plan);
    if (verdict.counted != plan.data.samples()) {
      verdict.fault = fmt::format("the server counts {} samples, {} were sent", verdict.counted, plan.data.samples());
      return verdict;
    }
    Random random(plan.data.seed);
    for (std::size_t i = 0; i < hosts && verdict.fault.empty(); ++i) {
      verdict.fault = compare_host(reader, plan, random.below(plan.data.hosts), verdict.compared);
    }
  } catch (const std::exception& error) {  // of the network, or an answer that is not what it should be
    verdict.fault = error.what();
  }
  return verdict;
}

}  // namespace varve::load
