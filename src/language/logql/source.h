// SPDX-License-Identifier: Apache-2.0
// What an evaluation of LogQL reads, and what it may hold.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/logql/condition.h"
#include "language/logql/labels.h"
#include "message/row.h"

namespace varve::language::logql {

// Messages from first_ns on, before end_ns.
struct TimeSpan {
  std::int64_t first_ns = 0;
  std::int64_t end_ns = 0;
};

// False: enough.
using RowSink = std::function<Result<bool>(message::RowView row)>;

// Which labels are looked at: of streams, all of messages, or those that are named.
struct LabelsAsked {
  enum class Kind : std::uint8_t { of_streams, all, named };
  Kind kind{};
  std::vector<std::string_view> names = {};
};

// Lines of a span that fulfil a condition, by labels and windows of time.
struct CountQuestion {
  TimeSpan span;
  message::Condition condition;
  LabelsAsked labels;
  bool bytes = false;                         // are they wanted?
  std::int64_t window_ns = 0, origin_ns = 0;  // windows begin at multiples behind the origin; 0: the span is one
};

// So many lines, and bytes of lines, have these labels; their time lies in the window. The same may come several times,
// in any order. The labels may be changed.
using CountSink = std::function<Status(Labels& labels, std::uint64_t lines, std::uint64_t bytes)>;

struct Source {
  // Messages of the span that fulfil the condition, in order of time and arrival, or the other way round.
  std::function<Status(TimeSpan span, const message::Condition& condition, bool newest_first, const RowSink& sink)>
      find;
  // Numbers of lines, where that is less work than to find them; nullptr: it never is.
  std::function<Status(const CountQuestion& question, const CountSink& sink)> count = nullptr;
  FieldNames names;
  // So many more bytes are held from now on. Error: limit, unavailable.
  std::function<Status(std::size_t bytes)> hold;
};

// a + b, at most the largest number.
inline std::int64_t add_ns(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace varve::language::logql
