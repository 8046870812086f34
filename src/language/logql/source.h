// SPDX-License-Identifier: Apache-2.0
// What an evaluation of LogQL reads, and what it may hold.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "language/logql/condition.h"
#include "message/row.h"

namespace varve::language::logql {

// Messages from first_ns on, before end_ns.
struct TimeSpan {
  std::int64_t first_ns = 0;
  std::int64_t end_ns = 0;
};

// False: enough.
using RowSink = std::function<Result<bool>(message::RowView row)>;

struct Source {
  // Messages of the span that fulfil the condition, in order of time and arrival, or the other way round.
  std::function<Status(TimeSpan span, const message::Condition& condition, bool newest_first, const RowSink& sink)>
      find;
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
