// SPDX-License-Identifier: Apache-2.0
// From a query to the answer that holds it: what the handlers of all APIs do alike.
//
//   VARVE_ASSIGN_OR_RETURN(auto query, begin_query(engine, request, "catalog"));   // listed, and charged, from here on
//   …
//   return held_by(std::move(query), Response::json(200, std::move(text)));
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/shared/http.h"
#include "base/check.h"
#include "base/result.h"
#include "query/engine.h"
#include "query/under_way.h"

namespace varve::api {

// The request asks one, which the list of running queries shows as `api` with the request's body or else its target.
// `timeout`: that of query::Request. Error: unavailable.
Result<std::shared_ptr<query::UnderWay>> begin_query(const query::Engine& engine, const Request& request,
                                                     std::string api, std::string_view metric = {},
                                                     std::chrono::milliseconds timeout = {});

// The status of a query's error, as http::status_of; but one over its limits (422) or its time (504) is not helped by
// asking again, so it gets no 429 or 503, which clients repeat.
int query_status_of(Code code);

// Adds `Varve-Read: …`: what the query read.
Response with_read(Response response, const query::Read& read);

// Names that a query holds, and the text that is made of them. Error: limit, unavailable.
Status charge_names(query::Budget& budget, const std::vector<std::string>& names);

// The answer holds the query: listed and charged until its last byte is sent. Who kills it meanwhile ends the answer.
Response held_by_answer(std::shared_ptr<query::UnderWay> query, Response response);

// The whole answer. Errors: limit (the query was killed), unavailable.
Result<Response> held_by(std::shared_ptr<query::UnderWay> query, Response response);

// An answer of pieces is behind what has been written of it by so many: one is sent, the next waits, one is made.
inline constexpr std::size_t kPiecesHeld = 3;

// The answer goes on with what `source->next(piece)` gives, which `query` has been charged for: is there more? Errors
// as above, and that of the first piece; one of a later piece ends the answer where it is.
template <class Source>
Result<Response> streamed(std::shared_ptr<query::UnderWay> query, Response response,
                          const std::shared_ptr<Source>& source) {
  check(query != nullptr && source != nullptr, "an answer in pieces is of a query");
  VARVE_ASSIGN_OR_RETURN(const bool goes_on, Result<bool>(source->next(response.body)));
  if (!goes_on) return held_by(std::move(query), std::move(response));
  VARVE_RETURN_IF_ERROR(query->answered(query->budget().used() + kPiecesHeld * response.body.capacity()));
  response.more = [source, left = true](std::string& piece) mutable -> Status {
    piece.clear();
    if (!left) return {};
    VARVE_ASSIGN_OR_RETURN(left, Result<bool>(source->next(piece)));
    return {};
  };
  return held_by_answer(std::move(query), std::move(response));
}

}  // namespace varve::api
