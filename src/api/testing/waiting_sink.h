// SPDX-License-Identifier: Apache-2.0
// For tests of handlers: has one answer and waits for it, whichever thread gives it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/shared/http.h"
#include "base/check.h"
#include "base/mutex.h"

namespace varve::api {

class WaitingSink final : public Responder::Sink {
 public:
  void send(Response response) override {
    const MutexLock lock(mutex_);
    response_ = std::move(response);
    done_ = true;
    sent_.notify_all();
  }
  Response wait() {
    const MutexLock lock(mutex_);
    while (!done_) sent_.wait(mutex_);
    return std::move(response_);
  }

 private:
  Mutex mutex_;
  Condition sent_;
  bool done_ VARVE_GUARDED_BY(mutex_) = false;
  Response response_ VARVE_GUARDED_BY(mutex_);
};

// Has the handler answer, and reads the answer to its end. Adds the number of pieces it came in to `pieces`.
inline Response answer_of(const Handler& handler, const Request& request, std::size_t& pieces) {
  const auto sink = std::make_shared<WaitingSink>();
  handler(request, Responder(sink));
  Response response = sink->wait();
  if (!response.more) return response;
  for (std::string piece;;) {
    check(response.more(piece).has_value(), "the answer goes on");
    if (piece.empty()) return response;
    ++pieces;
    response.body += piece;
  }
}

// As the server does it, of the route that the request has: 404 where there is none, 405 with the methods that there
// are.
inline Response answer_of(const Router& router, const Request& request, std::size_t& pieces) {
  Request routed = request;
  const Router::Match found = router.find(routed);
  if (found.route == nullptr) return Response::text(found.allow.empty() ? 404 : 405, found.allow);
  if (const Status may = http::check_tenant(*found.route, routed); !may) return routed.error(may.error());
  return answer_of(found.route->handler, routed, pieces);
}
inline Response answer_of(const Router& router, const Request& request) {
  std::size_t pieces = 0;
  return answer_of(router, request, pieces);
}

// The scripts (x.txt) of a directory, in order of their names.
inline std::vector<std::filesystem::path> scripts_in(const std::string& directory) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".txt") out.push_back(entry.path());
  }
  std::ranges::sort(out);
  return out;
}

// The body, without the newline that varve's own answers end with.
inline std::string line_of(const Response& response) {
  return response.body.ends_with('\n') ? response.body.substr(0, response.body.size() - 1) : response.body;
}

// The first header of this name, "" if there is none.
inline std::string header_of(const Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace varve::api
