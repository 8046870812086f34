// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/timestamp.h"

#include <charconv>
#include <string>

namespace varve::protocol::influx {
namespace {

constexpr std::int64_t divide_down(std::int64_t count, std::int64_t by) {
  return count / by - (count % by < 0 ? 1 : 0);
}

}  // namespace

const char* TimeReader::read_new(const char* at, model::Timestamp& time) {
  const char* const begin = at;
  const bool negative = *at == '-';
  at += negative;
  std::uint64_t number = 0;
  const unsigned digits = read_digits(at, number);
  if (digits == 0 || digits > 19 || number > std::uint64_t{INT64_MAX}) return nullptr;
  const auto magnitude = static_cast<std::int64_t>(number);
  if (!to_ms(negative ? -magnitude : magnitude, time) || time < kept_from_) return nullptr;
  at += *at == '\r';
  if (*at != '\n') return nullptr;
  ++at;
  last_time_ = time;
  last_size_ = static_cast<unsigned>(at - begin);
  std::memcpy(last_, begin, sizeof last_);
  return at;
}

Result<model::Timestamp> TimeReader::read(std::string_view token) const {
  if (token.empty()) return now_;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), count);
  model::Timestamp time = 0;
  if (error == std::errc::invalid_argument || end != token.data() + token.size()) {
    return fail(Code::invalid, "timestamp '" + std::string(token.substr(0, 40)) + "' is not an integer");
  }
  if (error != std::errc{} || !to_ms(count, time)) {
    return fail(Code::invalid, "timestamp '" + std::string(token.substr(0, 40)) + "' is out of range");
  }
  return time;
}

bool TimeReader::to_ms(std::int64_t count, model::Timestamp& time) const {
  bool over = false;
  switch (precision_) {
    case Precision::ns: time = divide_down(count, 1'000'000); break;
    case Precision::us: time = divide_down(count, 1'000); break;
    case Precision::ms: time = count; break;
    case Precision::s: over = __builtin_mul_overflow(count, 1'000, &time); break;
    case Precision::m: over = __builtin_mul_overflow(count, 60'000, &time); break;
    case Precision::h: over = __builtin_mul_overflow(count, 3'600'000, &time); break;
  }
  return !over && time >= model::kTimestampMin && time <= model::kTimestampMax;
}

}  // namespace varve::protocol::influx
