// SPDX-License-Identifier: Apache-2.0
#include "api/elasticsearch/routes.h"

#include <memory>

#include "api/elasticsearch/handlers.h"
#include "api/shared/routes.h"

namespace varve::api {
namespace {

using Elasticsearch = ElasticsearchParts;

// Where bulk requests are taken, and of no tenant.
constexpr Route<Elasticsearch> sender_asks(Method method, std::string_view pattern,
                                           decltype(Itself<Elasticsearch>::answer) answer) {
  return {.method = method,
          .pattern = pattern,
          .answer = Itself<Elasticsearch>{answer},
          .effect = Effect::writes,
          .needs_tenant = false};
}

// The first that fits counts: "elasticsearch" is no index.
constexpr Route<Elasticsearch> kElasticsearchRoutes[] = {
    {Method::post, "/elasticsearch/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::put, "/elasticsearch/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::post, "/elasticsearch/{index}/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::put, "/elasticsearch/{index}/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::post, "/elasticsearch/{index}/{type}/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::put, "/elasticsearch/{index}/{type}/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::post, "/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::put, "/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::post, "/{index}/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::put, "/{index}/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::post, "/{index}/{type}/_bulk", Itself{put_bulk}, Effect::writes},
    {Method::put, "/{index}/{type}/_bulk", Itself{put_bulk}, Effect::writes},

    sender_asks(Method::get, "/elasticsearch", show_about),
    sender_asks(Method::get, "/elasticsearch/", show_about),
    sender_asks(Method::get, "/elasticsearch/_license", show_license),
    sender_asks(Method::get, "/elasticsearch/_cluster/health", show_cluster_health),
    sender_asks(Method::get, "/_cat/health", show_cat_health),
    sender_asks(Method::get, "/elasticsearch/_cat/health", show_cat_health),
    sender_asks(Method::get, "/elasticsearch/_template/{name}", say_there),
    sender_asks(Method::put, "/elasticsearch/_template/{name}", acknowledge),
    sender_asks(Method::get, "/elasticsearch/_index_template/{name}", say_there),
    sender_asks(Method::put, "/elasticsearch/_index_template/{name}", acknowledge),
    sender_asks(Method::get, "/elasticsearch/_component_template/{name}", say_there),
    sender_asks(Method::put, "/elasticsearch/_component_template/{name}", acknowledge),
    sender_asks(Method::get, "/elasticsearch/_ilm/policy/{name}", say_there),
    sender_asks(Method::put, "/elasticsearch/_ilm/policy/{name}", acknowledge),
    sender_asks(Method::get, "/elasticsearch/_data_stream/{name}", say_there),
    sender_asks(Method::put, "/elasticsearch/_data_stream/{name}", acknowledge),
    sender_asks(Method::get, "/elasticsearch/_ingest/pipeline/{name}", say_there),
    sender_asks(Method::put, "/elasticsearch/_ingest/pipeline/{name}", acknowledge),
    sender_asks(Method::get, "/elasticsearch/_alias/{name}", say_there),
    sender_asks(Method::put, "/elasticsearch/_alias/{name}", acknowledge),
    sender_asks(Method::get, "/elasticsearch/_nodes/{name}", say_there),
    sender_asks(Method::put, "/elasticsearch/_nodes/{name}", acknowledge),
};

}  // namespace

void add_elasticsearch_routes(Router& router, const Context& context) {
  if (context.messages == nullptr) return;
  const auto parts =
      std::make_shared<const Elasticsearch>(Elasticsearch{MessageIngest(context, "bulk"), context.clock});
  add_routes(router, parts, kElasticsearchRoutes, elasticsearch_error);
}

}  // namespace varve::api
