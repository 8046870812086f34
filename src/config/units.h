// SPDX-License-Identifier: Apache-2.0
// Parsers for configuration values: durations, sizes, switches. Pure.
// An error's message says what is allowed, as the end of a sentence: `a duration such as 500ms, …`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::config {

// A whole number and one unit: ms, s, m, h, d (24 h), w, y (365 d). In milliseconds.
Result<std::int64_t> parse_duration_ms(std::string_view text);

// A whole number and B, KiB, MiB, GiB, TiB; bytes without a unit. In bytes.
Result<std::uint64_t> parse_size_bytes(std::string_view text);

// A whole number without a unit or sign.
Result<std::uint64_t> parse_count(std::string_view text);

// true or false.
Result<bool> parse_switch(std::string_view text);

// Splits at `separator` and trims blanks. "" has no parts.
std::vector<std::string_view> split_list(std::string_view text, char separator = ',');

}  // namespace varve::config
