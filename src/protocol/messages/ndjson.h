// SPDX-License-Identifier: Apache-2.0
// Messages as JSON objects, one a line (NDJSON) or all in one array, into rows: docs/protocols/messages.md.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "message/builder.h"
#include "protocol/outcome.h"

namespace varve::protocol::messages {

// How many bytes behind the body must be readable (their values do not matter).
inline constexpr std::size_t kBodyPadding = 64;

// Unit of numbers in "time".
enum class Precision : std::uint8_t { s, ms, us, ns };
// Of "s", "ms", "us", "ns".
std::optional<Precision> precision_of(std::string_view name);

// Which times are taken, both ends inclusive, and what a time outside of them is, in words that name the limit. The
// time of arrival is not looked at.
struct Limits {
  std::int64_t first_us = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_us = std::numeric_limits<std::int64_t>::max();
  std::string too_old = "too old";
  std::string too_new = "too far ahead";
};

// Both give the same; tests compare them.
enum class Way : std::uint8_t { fast, general };

struct Options {
  Precision precision = Precision::us;
  bool names_in_xml = false;  // take names of objects from an XML text, too
  bool zoneless = false;      // times without a zone are taken, in UTC
  std::int64_t now_us = 0;    // time of messages that have none
  Limits limits;
  Way way = Way::fast;
};

// Adds the good messages to the batch. Positions in the outcome are numbers of lines, or of the array's items, from 1.
// Codes: invalid, too_large, limit, too_old.
Outcome parse_messages(std::string_view body, const Options& options, message::Batch& batch);

}  // namespace varve::protocol::messages
