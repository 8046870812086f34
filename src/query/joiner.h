// SPDX-License-Identifier: Apache-2.0
// Joiner: makes groups of series as a Join says. Series are packed as they come, so that half a million of them take
// little more than their points.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "aggregate/packed_series.h"
#include "base/result.h"
#include "model/time.h"
#include "query/answer.h"
#include "query/budget.h"
#include "query/common_tags.h"
#include "query/join.h"
#include "query/tag_table.h"

namespace varve::query {

// The group that one series is where nothing is joined (reducer none), without points.
Group alone(const Join& how, const TagTable& tags, std::uint32_t series);

// Points of one series, ascending, at times that are multiples of the resolution.
Result<aggregate::Points> at_resolution(const Join& how, aggregate::Points points,
                                        const aggregate::Charge& charge = {});

// The series of one metric become groups. One thread.
class Joiner {
 public:
  // All must outlive it. `charge`: to the budget, and for nothing where it only asks whether the query may go on.
  Joiner(const Join& how, model::TimeRange range, const TagTable& tags, Budget& budget, const aggregate::Charge& charge)
      : how_(how), range_(range), tags_(tags), budget_(budget), charge_(charge) {}

  // The points of a series, ascending: numbers, after the stage of `downsample` (unless it gathers). Reducers see
  // series in the order in which they come. Error: what `charge` says.
  Status add(std::uint32_t series, aggregate::Points points);

  // Once. Groups are in order of their group values (with reducer none: as the series came), and have `common` and
  // `mixed`; sample_size is not set. Error: what `charge` says.
  Result<MetricAnswer> finish();

 private:
  struct Joined {
    CommonTags tags;
    std::vector<aggregate::SeriesView> series;
  };

  Status list_windows();
  Result<aggregate::Points> prepare(aggregate::Points points);
  Result<aggregate::Points> filled(aggregate::Points points);
  Result<aggregate::Points> across(const Joined& group);

  const Join& how_;
  const model::TimeRange range_;
  const TagTable& tags_;
  Budget& budget_;
  const aggregate::Charge& charge_;
  // Starts of the windows that each series has a value in, if they are filled while series are combined; empty: if they
  // are not, or before the first series.
  std::vector<model::Timestamp> windows_;
  bool is_listed_ = false;
  aggregate::PackedSeries packed_;
  std::map<std::vector<std::uint32_t>, Joined> groups_;  // by the numbers of the tags in group_by
  MetricAnswer out_;
};

}  // namespace varve::query
