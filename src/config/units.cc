// SPDX-License-Identifier: Apache-2.0
#include "config/units.h"

#include <charconv>
#include <limits>
#include <span>
#include <string>

#include "model/duration.h"

namespace varve::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Unit kSizes[] = {
    {"", 1}, {"B", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}, {"TiB", 1ULL << 40}};

// number × unit, if the text is just that and the product fits into 63 bits.
bool parse_quantity(std::string_view text, std::span<const Unit> units, std::uint64_t& out) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    return !__builtin_mul_overflow(number, unit.factor, &out) && out <= std::numeric_limits<std::int64_t>::max();
  }
  return false;
}

}  // namespace

Result<std::int64_t> parse_duration_ms(std::string_view text) {
  const auto duration = text.starts_with('-') ? std::nullopt : model::parse_duration(text);
  // Who writes 1n means a month of the calendar, which no duration is.
  const auto ms = duration && duration->unit != model::TimeUnit::months ? model::duration_ms(*duration) : std::nullopt;
  if (!ms) {
    return fail(Code::invalid, "a duration: a whole number with ms, s, m, h, d, w or y, such as 500ms, 10s or 14d");
  }
  return *ms;
}

Result<std::uint64_t> parse_size_bytes(std::string_view text) {
  std::uint64_t bytes = 0;
  if (!parse_quantity(text, kSizes, bytes)) {
    return fail(Code::invalid, "a size: a whole number with B, KiB, MiB, GiB or TiB, such as 64KiB or 1GiB");
  }
  return bytes;
}

Result<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t count = 0;
  if (!parse_quantity(text, std::span(kSizes, 1), count)) return fail(Code::invalid, "a whole number");
  return count;
}

Result<bool> parse_switch(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return fail(Code::invalid, "true or false");
}

std::vector<std::string_view> split_list(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (text.find_first_not_of(' ') == std::string_view::npos) return parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    std::string_view part = text.substr(at, end - at);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    at = end + 1;
  }
  return parts;
}

}  // namespace varve::config
