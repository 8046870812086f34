// SPDX-License-Identifier: Apache-2.0
#include "model/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "model/time.h"

namespace varve::model {
namespace {

constexpr std::array<std::pair<std::string_view, TimeUnit>, 8> kSymbols = {{{"ms", TimeUnit::milliseconds},
                                                                            {"s", TimeUnit::seconds},
                                                                            {"m", TimeUnit::minutes},
                                                                            {"h", TimeUnit::hours},
                                                                            {"d", TimeUnit::days},
                                                                            {"w", TimeUnit::weeks},
                                                                            {"n", TimeUnit::months},
                                                                            {"y", TimeUnit::years}}};

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  Duration out;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, out.count);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view symbol(behind, static_cast<std::size_t>(end - behind));
  const auto* const found = std::ranges::find(kSymbols, symbol, &decltype(kSymbols)::value_type::first);
  if (found == kSymbols.end()) return std::nullopt;
  out.unit = found->second;
  return out;
}

std::optional<std::int64_t> duration_ms(Duration duration) {
  constexpr std::int64_t kMonthDays = 30;
  constexpr std::int64_t kYearDays = 365;
  std::int64_t of_one = fixed_ms(duration.unit);
  if (duration.unit == TimeUnit::months) of_one = kMonthDays * kDayMs;
  if (duration.unit == TimeUnit::years) of_one = kYearDays * kDayMs;
  std::int64_t ms = 0;
  if (__builtin_mul_overflow(duration.count, of_one, &ms)) return std::nullopt;
  return ms;
}

}  // namespace varve::model
