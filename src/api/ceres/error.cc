// SPDX-License-Identifier: Apache-2.0
#include "api/ceres/error.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <random>
#include <string>

#include "base/clock.h"
#include "model/instant.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

// As Ceres writes it here, and only here: always with milliseconds, and UTC as an offset.
std::string timestamp_text() {
  const std::int64_t now_ms = SystemClock().now_ms();
  std::string out;
  model::append_instant(out, now_ms - now_ms % 1000);
  out.pop_back();
  char rest[16];
  std::snprintf(rest, sizeof rest, ".%03d+00:00", static_cast<int>(now_ms % 1000));
  return out + rest;
}

// Of this process, and of this answer in it.
std::string request_id() {
  static const std::uint32_t process = std::random_device{}();
  static std::atomic<std::uint64_t> last{0};
  char text[32];
  std::snprintf(text, sizeof text, "%08" PRIx32 "-%" PRIx64, process, ++last);
  return text;
}

}  // namespace

Response ceres_error(int status, std::string_view message, const Request& request) {
  std::string body;
  protocol::json::Writer json(body);
  json.begin_object().member("timestamp", timestamp_text()).member("path", request.path).member("status", status);
  json.member("error", http::reason_of(status)).member("message", message).member("requestId", request_id());
  json.end_object();
  return with_retry(Response::json(status, std::move(body)));
}

}  // namespace varve::api
