// SPDX-License-Identifier: Apache-2.0
#include "http/ceres_error.h"

#include <atomic>
#include <random>
#include <string>

#include <fmt/format.h>

#include "base/clock.h"
#include "http/answer.h"
#include "protocol/ceres/time.h"
#include "protocol/json/text.h"

namespace varve::http {

namespace {

// As Ceres writes it here, and only here: always with milliseconds, and UTC as an offset.
std::string timestamp_text() {
  const std::int64_t now_ms = SystemClock().now_ms();
  std::string out;
  protocol::ceres::append_instant(out, now_ms - now_ms % 1000);
  out.pop_back();
  return out + fmt::format(".{:03}+00:00", now_ms % 1000);
}

// Of this process, and of this answer in it.
std::string request_id() {
  static const std::uint32_t process = std::random_device{}();
  static std::atomic<std::uint64_t> last{0};
  return fmt::format("{:08x}-{:x}", process, ++last);
}

}  // namespace

Response ceres_error(int status, std::string_view message, std::string_view path) {
  std::string body = R"({"timestamp":")" + timestamp_text() + R"(","path":)";
  protocol::json::append_string(body, path);
  body += R"(,"status":)" + std::to_string(status) + R"(,"error":)";
  protocol::json::append_string(body, reason_of(status));
  body += R"(,"message":)";
  protocol::json::append_string(body, message);
  body += R"(,"requestId":")" + request_id() + "\"}";
  return with_retry(Response::json(status, std::move(body)));
}

Response ceres_error(const Error& error, std::string_view path) {
  return ceres_error(query_status_of(error.code), error.message, path);
}

}  // namespace varve::http
