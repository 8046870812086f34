// SPDX-License-Identifier: Apache-2.0
// Streams: lines that have the same labels stand together in an answer.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "language/logql/labels.h"
#include "language/logql/source.h"
#include "language/logql/syntax.h"

namespace varve::language::logql {

struct LogRange {
  TimeSpan span;
  std::uint64_t limit = 0;
  bool newest_first = true;
  // A stream has the labels of streams only; others stand beside each line (categorize-labels). Else all are the
  // stream's.
  bool categorized = false;
};

// The result of a log query as a JSON list: [{"stream":{…},"values":[["ns","line"],…]},…], sorted by labels. Errors:
// those of the source.
Result<std::string> find_streams(const LogQuery& query, const LogRange& range, const Source& source);

// The labels of a message's stream, without what it has besides; sorted.
std::vector<Label> stream_labels(const Labels& labels);

}  // namespace varve::language::logql
