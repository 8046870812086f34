// SPDX-License-Identifier: Apache-2.0
// Tables of routes. A family of APIs has one: rows of data, with pointers to functions that take the family's parts,
// which are built once.
//
//   struct ListParts {
//     const storage::SeriesStore& series;
//     Endpoint lists;
//   };
//   constexpr Route<ListParts> kListRoutes[] = {
//       {Method::get, "/lists/{name}", OnPool{show_list, &ListParts::lists}},
//       {Method::put, "/lists/{name}", Itself{put_list}, Effect::writes},
//       {.method = Method::get, .pattern = "/lists", .answer = Itself{about}, .needs_tenant = false},
//   };
//   add_routes(router, std::make_shared<const ListParts>(…), kListRoutes, list_error);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "api/shared/endpoint.h"
#include "api/shared/http.h"

namespace varve::api {

// What answers a route. The request lives until it is answered.
// Work on the endpoint's pool.
template <class Parts>
struct OnPool {
  Result<Response> (*answer)(const Parts& parts, const Request& request);
  Endpoint Parts::* endpoint;
};
// Small questions at once, and others on the pool (Endpoint::here_or_on_pool()).
template <class Parts>
struct Planned {
  Result<Endpoint::Planned> (*plan)(const Parts& parts, const Request& request);
  Endpoint Parts::* endpoint;
};
// Answers on the thread that the request came on, or has somebody answer later. It does not block.
template <class Parts>
struct Itself {
  void (*answer)(const Parts& parts, const Request& request, const Responder& respond);
};

// One row; http::Route says what its fields mean.
template <class Parts>
struct Route {
  Method method = Method::get;
  std::string_view pattern = {};
  std::variant<Itself<Parts>, OnPool<Parts>, Planned<Parts>> answer = {};
  Effect effect = Effect::reads;
  ErrorShape shape = nullptr;  // nullptr: that of the table
  bool needs_tenant = true;
  bool changes_by_get = false;
  bool answers_later = false;
  bool protobuf_is_snappy = false;
  bool (*takes)(const Request& request) = nullptr;
  bool (*is_there)(const Parts& parts) = nullptr;  // asked once: a route may need a part that is not always there
};

template <class Parts>
Handler handler_of(const std::shared_ptr<const Parts>& parts, const Route<Parts>& row) {
  if (const auto* const itself = std::get_if<Itself<Parts>>(&row.answer)) {
    return [parts, answer = itself->answer](const Request& request, const Responder& respond) {
      answer(*parts, request, respond);
    };
  }
  const auto share = row.needs_tenant ? Endpoint::Share::of_tenant : Endpoint::Share::of_all;
  if (const auto* const planned = std::get_if<Planned<Parts>>(&row.answer)) {
    return ((*parts).*(planned->endpoint))
        .here_or_on_pool([parts, plan = planned->plan](const Request& request) { return plan(*parts, request); },
                         share);
  }
  const auto& on_pool = std::get<OnPool<Parts>>(row.answer);
  return ((*parts).*(on_pool.endpoint))
      .on_pool([parts, answer = on_pool.answer](const Request& request) { return answer(*parts, request); }, share);
}

// Adds the rows in their order: where several fit a path, the first one has it. `shape`: of the family's errors.
template <class Parts>
void add_routes(Router& router, const std::shared_ptr<const Parts>& parts,
                std::type_identity_t<std::span<const Route<Parts>>> rows, ErrorShape shape) {
  for (const Route<Parts>& row : rows) {
    if (row.is_there != nullptr && !row.is_there(*parts)) continue;
    router.add({.method = row.method,
                .pattern = std::string(row.pattern),
                .handler = handler_of(parts, row),
                .effect = row.effect,
                .shape = row.shape != nullptr ? row.shape : shape,
                .needs_tenant = row.needs_tenant,
                .changes_by_get = row.changes_by_get,
                .protobuf_is_snappy = row.protobuf_is_snappy,
                .answers_later = row.answers_later,
                .takes = row.takes});
  }
}

}  // namespace varve::api
