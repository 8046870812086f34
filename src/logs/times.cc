// SPDX-License-Identifier: Apache-2.0
#include "logs/times.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <optional>

#include "protocol/rfc3339.h"

namespace varve::logs {
namespace {

constexpr std::int64_t kUsPerSecond = 1'000'000;

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_duration(std::string_view text) {
  return text.size() > 1 && std::string_view("smhd").find(text.back()) != std::string_view::npos &&
         all_digits(text.substr(0, text.size() - 1));
}

// Of a second: `.401440`, up to six digits.
std::optional<std::int64_t> fraction_us(std::string_view text) {
  if (text.empty()) return 0;
  text.remove_prefix(1);
  if (!all_digits(text) || text.size() > 6) return std::nullopt;
  std::int64_t us = 0;
  for (std::size_t i = 0; i < 6; ++i) us = us * 10 + (i < text.size() ? text[i] - '0' : 0);
  return us;
}

std::optional<std::int64_t> local_us(const std::string& text) {
  const std::size_t dot = text.find('.');
  const std::string whole = text.substr(0, dot);
  const auto us = fraction_us(dot == std::string::npos ? std::string_view() : std::string_view(text).substr(dot));
  if (!us) return std::nullopt;
  for (const char* const form : {"%Y %b %d %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y %b %d %H:%M",
                                 "%Y-%m-%d %H:%M", "%Y %b %d", "%Y-%m-%d"}) {
    std::tm parts{};
    const char* const end = ::strptime(whole.c_str(), form, &parts);
    if (end == nullptr || *end != '\0') continue;
    parts.tm_isdst = -1;
    return static_cast<std::int64_t>(std::mktime(&parts)) * kUsPerSecond + *us;
  }
  return std::nullopt;
}

std::string shown(std::int64_t us, const char* form, bool local) {
  const std::int64_t fraction = ((us % kUsPerSecond) + kUsPerSecond) % kUsPerSecond;
  const auto second = static_cast<std::time_t>((us - fraction) / kUsPerSecond);
  std::tm parts{};
  local ? ::localtime_r(&second, &parts) : ::gmtime_r(&second, &parts);
  std::array<char, 64> whole{};
  const std::size_t size = std::strftime(whole.data(), whole.size(), form, &parts);
  std::array<char, 16> behind{};
  std::snprintf(behind.data(), behind.size(), ".%06d", static_cast<int>(fraction));
  return std::string(whole.data(), size) + behind.data();
}

}  // namespace

Result<std::string> query_time(std::string_view text) {
  if (all_digits(text) || text == "now") return std::string(text);
  if (text.starts_with("now") && text.size() > 4 && (text[3] == '-' || text[3] == '+') && is_duration(text.substr(4))) {
    return std::string(text);
  }
  if (text.starts_with('-') && is_duration(text.substr(1))) return "now" + std::string(text);
  if (const auto time = protocol::read_rfc3339(text)) return std::to_string(time->us);
  if (const auto us = local_us(std::string(text))) return std::to_string(*us);
  return fail(Code::invalid, "\"" + std::string(text.substr(0, 50)) +
                                 "\" is not a time; write now-10m, 2017-03-02T21:56:40Z, '2017 Mar 02 21:56:40.401440' "
                                 "(local), or microseconds since 1970");
}

Result<std::string> time_before_now(std::string_view duration) {
  if (is_duration(duration)) return "now-" + std::string(duration);
  return fail(Code::invalid,
              "\"" + std::string(duration.substr(0, 50)) + "\" is not a duration; write 30s, 10m, 1h or 2d");
}

std::string local_time(std::int64_t us) { return shown(us, "%Y %b %d %H:%M:%S", true); }
std::string plain_time(std::int64_t us) { return shown(us, "%Y-%m-%d %H:%M:%S", true); }
std::string rfc3339_time(std::int64_t us) { return shown(us, "%Y-%m-%dT%H:%M:%S", false) + "Z"; }

}  // namespace varve::logs
