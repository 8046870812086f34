// SPDX-License-Identifier: Apache-2.0
// What an evaluation of LogQL reads, and what it may hold.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "language/logql/labels.h"
#include "message/condition.h"
#include "query/deadline.h"
#include "query/messages/message_search.h"
#include "storage/message_store.h"

namespace varve::language::logql {

// Messages from first_ns on, before end_ns.
struct TimeSpan {
  std::int64_t first_ns = 0;
  std::int64_t end_ns = 0;

  [[nodiscard]] bool has(message::RowView row) const;
};

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

// The messages of a tenant. What it refers to outlives it.
class Source {
 public:
  Source(const storage::MessageStore& store, std::string tenant, const query::Deadline& deadline, query::Budget& budget)
      : store_(store), tenant_(std::move(tenant)), deadline_(deadline), budget_(budget) {}

  // Messages of the span that fulfil the condition, in order of time and arrival, or the other way round. Errors: as of
  // query::search().
  [[nodiscard]] Status find(TimeSpan span, const message::Condition& condition, bool newest_first,
                            const query::MessageSink& sink) const;
  // Sealed blocks say it from their dictionaries, without a message being put together. Errors: likewise.
  [[nodiscard]] Status count(const CountQuestion& question, const CountSink& sink) const;
  // Names of free fields that are this label (label_name_of), the label's own name not among them.
  [[nodiscard]] Result<std::vector<std::string>> field_names(std::string_view label) const;
  // So many more bytes are held from now on. Errors: limit, unavailable.
  [[nodiscard]] Status hold(std::size_t bytes) const { return budget_.charge(bytes); }

 private:
  [[nodiscard]] query::MessageSearch search_of(TimeSpan span, const message::Condition& condition) const;

  const storage::MessageStore& store_;
  const std::string tenant_;
  const query::Deadline& deadline_;
  query::Budget& budget_;
};

// a + b, at most the largest number.
inline std::int64_t add_ns(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace varve::language::logql
