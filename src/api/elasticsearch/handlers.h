// SPDX-License-Identifier: Apache-2.0
// What answers the routes of Elasticsearch's bulk requests, and the parts that it is answered from.
#pragma once

#include <string_view>

#include "api/shared/context.h"
#include "api/shared/http.h"
#include "api/shared/message_ingest.h"

namespace varve::api {

// Outlives the router, as everything that it refers to.
struct ElasticsearchParts {
  MessageIngest ingest;
  const Clock& clock;
};

// bulk.cc: each document has its own status.
void put_bulk(const ElasticsearchParts& parts, const Request& request, const Responder& answer);

// {"error":{…},"status":400}
Response elasticsearch_error(int status, std::string_view message, const Request& request);
// Clients of version 8 look for it in every answer.
Response with_product(Response response);

// start.cc: what senders ask before they send: is it there, which version and licence, are templates and policies set
// up. Here they need none, so what they ask for is there already, and what they set up is acknowledged.
void show_about(const ElasticsearchParts& parts, const Request& request, const Responder& answer);
void show_license(const ElasticsearchParts& parts, const Request& request, const Responder& answer);
void show_cluster_health(const ElasticsearchParts& parts, const Request& request, const Responder& answer);
void show_cat_health(const ElasticsearchParts& parts, const Request& request, const Responder& answer);
void say_there(const ElasticsearchParts& parts, const Request& request, const Responder& answer);
void acknowledge(const ElasticsearchParts& parts, const Request& request, const Responder& answer);

}  // namespace varve::api
