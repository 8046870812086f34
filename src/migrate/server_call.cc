// SPDX-License-Identifier: Apache-2.0
#include "migrate/server_call.h"

#include "base/printable.h"
#include "migrate/retry.h"

namespace varve::migrate {
namespace {

constexpr std::size_t kToldBytes = 300;

// Of no use now, and perhaps later.
bool comes_later(const Result<ServerAnswer>& answer) {
  if (!answer) return is_passing(answer.error().code);
  return answer->status == 408 || answer->status == 503 || answer->status == 504;
}

}  // namespace

Result<ServerAnswer> ask_server(const ServerCall& call, std::string_view method, std::string_view path,
                                const std::string& body, const std::atomic<bool>& stopping) {
  auto answer = retried(stopping, [&] { return call(method, path, body); }, comes_later);
  if (stopping) return fail(Code::cancelled, "stopped");
  if (answer && comes_later(answer)) return fail(unexpected(method, path, *answer));
  return answer;
}

Error unexpected(std::string_view method, std::string_view path, const ServerAnswer& answer) {
  return {answer.status == 429 || answer.status >= 500 ? Code::unavailable : Code::invalid,
          std::string(method) + " " + std::string(path) + ": " + std::to_string(answer.status) + " " +
              printable(std::string_view(answer.body).substr(0, kToldBytes))};
}

}  // namespace varve::migrate
