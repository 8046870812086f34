// SPDX-License-Identifier: Apache-2.0
// A request to the server that a migration writes to.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::migrate {

struct ServerAnswer {
  int status = 0;
  std::string body;
  [[nodiscard]] bool is_good() const { return status >= 200 && status < 300; }
};

// Asks once, as the tenant that is migrated to. Thread-safe. Errors: unavailable, timeout, io (it may be tried again),
// invalid.
using ServerCall =
    std::function<Result<ServerAnswer>(std::string_view method, std::string_view path, const std::string& body)>;

// Again for half a minute while the server does not answer, or answers that it cannot now (408, 503, 504). Other
// answers are the caller's, such as 429, which a limit is that somebody has to raise. Errors: those of `call`,
// cancelled (stopping).
Result<ServerAnswer> ask_server(const ServerCall& call, std::string_view method, std::string_view path,
                                const std::string& body, const std::atomic<bool>& stopping);

// What a person is told of an answer that was not expected: "POST /api/v1/datapoints: 413 …".
Error unexpected(std::string_view method, std::string_view path, const ServerAnswer& answer);

}  // namespace varve::migrate
