// SPDX-License-Identifier: Apache-2.0
// SeriesParser: series of remote write into rows, for 1.0 and for 2.0, which is brought into 1.0's form.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/line_group.h"
#include "model/row.h"
#include "model/time.h"
#include "protocol/group_cursor.h"
#include "protocol/outcome.h"
#include "protocol/prometheus/labels.h"

namespace varve::protocol::prometheus {

struct WrittenSample {
  std::uint64_t bits = 0;
  std::int64_t time = 0;
  [[nodiscard]] bool is_marker() const { return bits == model::kStaleMarkerBits; }
};

// One request's.
class SeriesParser {
 public:
  SeriesParser(std::string_view body, model::GroupSource& groups, model::RowBatch& batch, Outcome& outcome)
      : body_(body), groups_(groups), batch_(batch), outcome_(outcome) {}

  // One TimeSeries message of 1.0. Bytes up to `readable_end` may be read.
  void add(std::string_view series, const char* readable_end);
  // One of which nothing is kept.
  void refuse(Error why) { outcome_.reject(index_++, std::move(why)); }
  // One that is no protobuf, or is not read any more.
  void refuse_broken();
  [[nodiscard]] bool has_given_up() const { return broken_ >= kBrokenMax; }

 private:
  struct Target {
    // nullptr: the series is not known, and no value of it is kept. Then it gets no name: it would be listed
    // without a sample, and take a place of limits.series_per_tenant.
    model::LineGroup* group;
    model::Timestamp kept_from;
  };
  model::LineGroup* guessed(std::string_view series) const;
  bool is_whole();
  Result<Target> target_of(std::string_view labels, std::span<const WrittenSample> samples);
  void add_in_any_order(std::string_view series);
  bool read_usual_sample(const char*& at, WrittenSample& sample) const;
  static bool is_kept(const WrittenSample& sample, model::Timestamp kept_from);
  void keep(const Target& target, std::string_view labels, WrittenSample sample);
  Error too_old(std::string_view labels, model::Timestamp time, model::Timestamp kept_from);

  const std::string_view body_;   // that may be damaged behind what was read; empty: it is not
  const char* end_ = nullptr;     // readable_end
  std::optional<bool> is_whole_;  // once it was looked at
  model::GroupSource& groups_;
  model::RowBatch& batch_;
  Outcome& outcome_;
  GroupCursor cursor_;
  std::size_t index_ = 0;
  std::size_t broken_ = 0;
  Labels labels_;
  std::string raw_labels_;
  std::vector<WrittenSample> samples_;
};

}  // namespace varve::protocol::prometheus
