// SPDX-License-Identifier: Apache-2.0
// What clients of Prometheus ask of the server itself. There are no rules, alerts, targets and exemplars here, and the
// answers say so: the pages that ask for them work.
#include <string>
#include <utility>

#include "api/prometheus/answer.h"
#include "api/prometheus/handlers.h"

namespace varve::api {
namespace {

// Which API is answered: clients tell by it what they may ask.
constexpr std::string_view kPrometheusVersion = "3.16.0";

void answer_prometheus_data(const Responder& answer, std::string_view data) {
  answer(Response::json(200, prometheus_success([data](protocol::json::Writer& json) { json.raw(data); })));
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
