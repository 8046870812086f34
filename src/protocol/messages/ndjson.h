// SPDX-License-Identifier: Apache-2.0
// Messages as JSON objects, one a line (NDJSON) or all in one array, into rows: docs/protocols/messages.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "message/builder.h"
#include "protocol/messages/limits.h"
#include "protocol/outcome.h"

namespace varve::protocol::messages {

// How many bytes behind the body must be readable (their values do not matter).
inline constexpr std::size_t kBodyPadding = 64;

// Unit of numbers in "time".
enum class Precision : std::uint8_t { s, ms, us, ns };
// Of "s", "ms", "us", "ns".
std::optional<Precision> precision_of(std::string_view name);

// Both give the same; tests compare them.
enum class Way : std::uint8_t { fast, general };

struct Options {
  Precision precision = Precision::us;
  bool names_in_xml = false;   // take names of objects from an XML text, too
  bool optional_time = false;  // dates may lack what time_of_text() says
  std::int64_t now_us = 0;     // time of messages that have none
  Limits limits;
  Way way = Way::fast;
};

// Adds the good messages to the batch. Positions in the outcome are numbers of lines, or of the array's items, from 1.
// Codes: invalid, too_large, limit, too_old, unavailable (dropped as Limits say).
Outcome parse_messages(std::string_view body, const Options& options, message::Batch& batch);

}  // namespace varve::protocol::messages
