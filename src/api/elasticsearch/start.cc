// SPDX-License-Identifier: Apache-2.0
// What senders ask Elasticsearch before they send.
#include <string>

#include "api/elasticsearch/handlers.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

// Whose requests are understood. Clients do not talk to an older server than themselves.
constexpr std::string_view kVersion = "8.19.0";

Response about() {
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object().member("name", "varve").member("cluster_name", "varve").member("cluster_uuid", "varve");
  json.key("version").begin_object().member("number", kVersion).member("build_flavor", "default");
  json.member("minimum_wire_compatibility_version", "7.17.0").member("minimum_index_compatibility_version", "7.0.0");
  json.end_object().member("tagline", "You Know, for Search").end_object();
  return Response::json(200, std::move(body));
}

Response license() {
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object().key("license").begin_object().member("status", "active").member("type", "basic");
  json.member("uid", "00000000-0000-0000-0000-000000000000").end_object().end_object();
  return Response::json(200, std::move(body));
}

Response cluster_health() {
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object().member("cluster_name", "varve").member("status", "green").member("timed_out", false);
  json.member("number_of_nodes", 1).member("number_of_data_nodes", 1).end_object();
  return Response::json(200, std::move(body));
}

// epoch timestamp cluster status node.total node.data shards pri relo init unassign pending_tasks max_task_wait active
Response cat_health(std::int64_t now_ms) {
  constexpr std::int64_t kMsPerSecond = 1000;
  constexpr std::int64_t kSecondsPerDay = 86'400;
  const std::int64_t seconds = now_ms / kMsPerSecond;
  const std::int64_t of_day = seconds % kSecondsPerDay;
  const auto two = [](std::int64_t number) { return std::string(number < 10 ? "0" : "") + std::to_string(number); };
  return Response::text(200, std::to_string(seconds) + " " + two(of_day / 3600) + ":" + two(of_day / 60 % 60) + ":" +
                                 two(of_day % 60) + " varve green 1 1 0 0 0 0 0 0 - 100.0%\n");
}

}  // namespace

void show_about(const ElasticsearchParts&, const Request&, const Responder& answer) { answer(with_product(about())); }
void show_license(const ElasticsearchParts&, const Request&, const Responder& answer) {
  answer(with_product(license()));
}
void show_cluster_health(const ElasticsearchParts&, const Request&, const Responder& answer) {
  answer(with_product(cluster_health()));
}
void show_cat_health(const ElasticsearchParts& parts, const Request&, const Responder& answer) {
  answer(with_product(cat_health(parts.clock.now_ms())));
}
void say_there(const ElasticsearchParts&, const Request&, const Responder& answer) {
  answer(with_product(Response::json(200, "{}")));
}
void acknowledge(const ElasticsearchParts&, const Request&, const Responder& answer) {
  answer(with_product(Response::json(200, R"({"acknowledged":true})")));
}

}  // namespace varve::api
