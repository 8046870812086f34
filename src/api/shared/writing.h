// SPDX-License-Identifier: Apache-2.0
// What the ways in have in common: the answer once what came is durable, and what they say of rows that are refused.
//
//   auto ingest = parts.writer.open(request.tenant, write::Family::kairosdb);
//   if (!ingest) return answer(request.error(ingest.error()));
//   …
//   parts.writer.commit(std::move(*ingest), when_stored(request, answer, kairosdb_response(204)));
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "api/shared/http.h"
#include "protocol/outcome.h"
#include "write/writer.h"

namespace varve::api {

// For a store that calls it with the end of an append: answers with `response`, which is one or makes one, or with the
// store's error in the shape of the route.
template <class Made>
auto when_stored(const Request& request, const Responder& answer, Made response) {
  // The request lives until it is answered.
  return [&request, answer, response = std::move(response)](const Status& status) mutable {
    if (!status) return answer(request.error(status.error()));
    if constexpr (std::is_same_v<Made, Response>) {
      answer(std::move(response));
    } else {
      answer(response());
    }
  };
}

// The status of an answer to a request of which some rows are refused, where a client repeats a 503 and a 429: a store
// that is out of order wants all of it again; a full tenant nothing of it; else the sender is told what was bad.
int status_of_refused(const protocol::Outcome& outcome);

// "line 3: bad time; line 7: no value; and 2 more", with `row` for line.
std::string refused_rows(const protocol::Outcome& outcome, std::string_view row);

// Samples, by the reasons for which they are refused.
void count_refused(write::Writer& writer, const protocol::Outcome& outcome);

}  // namespace varve::api
