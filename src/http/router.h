// SPDX-License-Identifier: Apache-2.0
// Routes are rows: what a server knows of a path before it reads a body. The router finds the row of a request.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/handler.h"

namespace varve::http {

// What a route does, so that a server may have some of them only (config key `roles`): answers questions of what is
// stored, changes that (metadata and tasks, too), deletes, or is about the server itself.
enum class Effect { reads, writes, deletes, administers };

struct Route {
  Method method = Method::get;
  // An exact path, or one with segments that may be anything: "/api/v1/metric/{name}" (Request::captured()). The last
  // segment stands for all that is left of the path, slashes too.
  std::string pattern;
  Handler handler;
  Effect effect = Effect::reads;
  ErrorShape shape = plain_error;  // of its handler's errors, and of the server's own refusals
  bool needs_tenant = false;       // check_tenant()
  // A GET that changes something, as KairosDB has them. It does not answer HEAD, and no page of another site may send
  // it (origins.h).
  bool changes_by_get = false;
  // A protobuf body without a Content-Encoding is in snappy's, as Loki's clients send it and do not say it.
  bool protobuf_is_snappy = false;
  // Its handler knows `Expect: 202-accepted`; of all other routes the server refuses that (417).
  bool answers_later = false;
  // Takes all paths that begin with the pattern, which is plain and ends with a slash, and all methods that Method
  // names: for what finds its way itself, such as the files of a web page. Routes of a path come before such ones, a
  // longer one before a shorter one.
  bool takes_below = false;
  // If set, the route has only those requests of its method and pattern: others are another route's, which may be of
  // another family. It looks at method, query and headers.
  bool (*takes)(const Request& request) = nullptr;
};

// May the request go on to its route, as far as its tenant says? Errors: invalid (the route needs one, and the request
// names none), conflict (the route changes what is stored, and the tenant is the server's own).
Status check_tenant(const Route& route, const Request& request);

// A known path with another method answers 405 with Allow, an unknown one 404. OPTIONS is answered for all.
class Router {
 public:
  using Serves = std::function<bool(Effect)>;
  Router() = default;
  // Routes whose effect is not served are not added: for clients they do not exist.
  explicit Router(Serves serves) : serves_(std::move(serves)) {}

  // The first that fits a path counts. A method and a pattern are added once, and once more with each `takes`.
  void add(Route route);

  struct Match {
    const Route* route = nullptr;  // nullptr: not found or wrong method
    std::string_view pattern;      // label of the route in metrics; "" if not found
    std::string allow;             // methods of the path, comma separated; "" if not found
    std::size_t index = 0;         // of the route (of another method, if the method is wrong)
  };
  // Sets the captures of the request, and the shape of its errors: that of the path's route, or else of the route that
  // shares the most whole segments with it, or else plain_error.
  [[nodiscard]] Match find(Request& request) const;

  [[nodiscard]] std::span<const Route> routes() const { return routes_; }

 private:
  [[nodiscard]] Match match(const Request& request) const;
  [[nodiscard]] const Route* below(std::string_view path) const;
  [[nodiscard]] ErrorShape nearest_shape(std::string_view path) const;

  Serves serves_;  // empty: all
  std::vector<Route> routes_;
  std::vector<std::size_t> plain_;  // of each: where its first brace is, or its end
};

}  // namespace varve::http
