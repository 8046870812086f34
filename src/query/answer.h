// SPDX-License-Identifier: Apache-2.0
// Answer: what a query found, as columns in memory, ready to be rendered piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aggregate/points.h"
#include "aggregate/split.h"
#include "model/tags.h"
#include "model/value.h"
#include "query/read_count.h"
#include "query/tag_union.h"

namespace varve::query {

struct Group {
  std::vector<std::string> group_values;  // one for each key of Pipeline::keys(); "" where a series lacks the tag
  aggregate::SplitKey split;              // one for each of Pipeline::splits
  model::ValueKind kind{};                // of the samples: each kind in a tag group is a group of its own
  TagUnion tags;                          // of the series that have samples here; empty after a join
  model::Tags common;                     // of a join: the tags that all these series have, with one value
  std::vector<std::string> mixed;         // of a join: keys that all these series have, with several values
  aggregate::Points points;               // in order of Pipeline::descending
  std::size_t bytes = 0;                  // that it holds, about, once it is part of an Answer that is charged
};

struct MetricAnswer {
  std::uint64_t sample_size = 0;  // raw samples read (after the limit per series)
  // By kind, then by concatenated group values, parts of a split in order of their first sample; only groups
  // with samples.
  std::vector<Group> groups;
  // Where there is no group, and no split that would make some: what the steps make of no samples (gaps are marked).
  aggregate::Points of_nothing;
};

class UnderWay;  // under_way.h

struct Answer {
  std::shared_ptr<UnderWay> held;     // the query that this answers: listed and charged until this goes; may be nullptr
  std::vector<MetricAnswer> metrics;  // as many as asked, in order
  Read read;
};

// Memory that they hold, about.
std::size_t bytes_held(const Group& group);
// Of all groups and points; each group keeps its own.
std::size_t count_bytes(Answer& answer);

// A group of the answer is written and as good as sent: its memory goes.
void let_go(const Answer& answer, Group& group);

}  // namespace varve::query
