// SPDX-License-Identifier: Apache-2.0
// Durations (1h30m, 250ms) and sizes (5MiB, 1.5kB) as queries and log lines write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace varve::language::logql {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;

// Numbers with one of ns us µs ms s m h d w y each, without blanks; "-" in front of it all; "0". nullopt: anything
// else, or beyond ±200 years.
std::optional<std::int64_t> duration_ns(std::string_view text);

// As Go's time.ParseDuration, by which Loki reads the values of labels: units up to h, "-" or "+" in front.
std::optional<std::int64_t> go_duration_ns(std::string_view text);

// A number, then one of B kB MB GB TB PB (thousands), KiB MiB GiB TiB PiB (1024), in any case, the last B may be left
// out; blanks may stand between. nullopt: anything else.
std::optional<double> bytes_of(std::string_view text);

// All of it, as a decimal number. nullopt: anything else.
std::optional<double> number_of(std::string_view text);

}  // namespace varve::language::logql
