// SPDX-License-Identifier: Apache-2.0
// What clients of Prometheus ask of the server itself. There are no rules, alerts, targets and exemplars here, and the
// answers say so: the pages that ask for them work.
#include <array>
#include <ctime>
#include <string>
#include <thread>
#include <utility>

#include "api/prometheus/answer.h"
#include "api/prometheus/handlers.h"
#include "language/promql/duration.h"

namespace varve::api {
namespace {

// Which API is answered: clients tell by it what they may ask.
constexpr std::string_view kPrometheusVersion = "3.16.0";

void answer_prometheus_data(const Responder& answer, std::string_view data) {
  answer(Response::json(200, prometheus_success([data](protocol::json::Writer& json) { json.raw(data); })));
}

// 2026-11-24T13:19:27Z
std::string prometheus_utc(std::int64_t ms) {
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return {};
  return {text.data(), std::strftime(text.data(), text.size(), "%FT%TZ", &parts)};
}

}  // namespace

void show_prometheus_build(const PrometheusParts& parts, const Request&, const Responder& answer) {
  answer(Response::json(200, prometheus_success([&](protocol::json::Writer& json) {
                          json.begin_object().member("version", kPrometheusVersion);
                          json.member("revision", "varve " + parts.version).member("branch", "");
                          json.member("buildUser", "").member("buildDate", "").member("goVersion", "");
                          json.end_object();
                        })));
}

// What is known of a process that is not written in Go.
void show_prometheus_runtime(const PrometheusParts& parts, const Request&, const Responder& answer) {
  const ServerFacts& facts = parts.facts;
  answer(Response::json(
      200, prometheus_success([&](protocol::json::Writer& json) {
        json.begin_object().member("startTime", prometheus_utc(facts.started_ms));
        json.member("serverTime", prometheus_utc(parts.engine.clock().now_ms()));
        json.member("lastConfigTime", prometheus_utc(facts.started_ms)).member("reloadConfigSuccess", true);
        json.member("GOMAXPROCS", std::thread::hardware_concurrency());
        json.member("storageRetention", facts.raw_retention_ms == 0
                                            ? std::string()
                                            : language::promql::duration_text(facts.raw_retention_ms));
        json.end_object();
      })));
}

void show_prometheus_flags(const PrometheusParts& parts, const Request&, const Responder& answer) {
  answer(Response::json(200,
                        prometheus_success([&](protocol::json::Writer& json) { json.object(parts.facts.settings); })));
}

// A key with dots in a line: strings of JSON are strings of YAML.
void show_prometheus_config(const PrometheusParts& parts, const Request&, const Responder& answer) {
  std::string yaml;
  for (const auto& [key, value] : parts.facts.settings) {
    yaml += key + ": ";
    protocol::json::append_string(yaml, value);
    yaml += '\n';
  }
  answer(Response::json(200, prometheus_success([&](protocol::json::Writer& json) {
                          json.begin_object().member("yaml", yaml).end_object();
                        })));
}

void show_no_rules(const PrometheusParts&, const Request&, const Responder& answer) {
  answer_prometheus_data(answer, R"({"groups":[]})");
}

void show_no_alerts(const PrometheusParts&, const Request&, const Responder& answer) {
  answer_prometheus_data(answer, R"({"alerts":[]})");
}

void show_no_targets(const PrometheusParts&, const Request&, const Responder& answer) {
  answer_prometheus_data(answer, R"({"activeTargets":[],"droppedTargets":[],"droppedTargetCounts":{}})");
}

void show_no_exemplars(const PrometheusParts&, const Request&, const Responder& answer) {
  answer_prometheus_data(answer, "[]");
}

}  // namespace varve::api
