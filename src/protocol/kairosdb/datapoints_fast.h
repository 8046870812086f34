// SPDX-License-Identifier: Apache-2.0
// The fast way through a metric object of KairosDB's put. See datapoints.h.
#pragma once

#include <string_view>

#include "model/line_group.h"
#include "model/row.h"
#include "protocol/group_cursor.h"
#include "protocol/json/number.h"
#include "protocol/split_key.h"

namespace varve::protocol::kairosdb {

class FastMetrics {
 public:
  // `end`: of the body; 64 bytes behind it are readable.
  FastMetrics(const char* end, model::GroupSource& groups, model::RowBatch& batch, GroupCursor& cursor)
      : end_(end), groups_(groups), batch_(batch), cursor_(cursor) {}

  // The object at `at` ('{') into rows. Returns its end; nullptr, and no rows, if it is not as plain as expected:
  // a group never seen, an error, a value that is not a number, …
  const char* read(const char* at);

 private:
  struct Metric {
    unsigned seen = 0;
    unsigned types = 0;          // kinds of values: bit 0 long, bit 1 double
    unsigned types_allowed = 3;  // by "type"
    std::uint32_t ttl_s = 0;     // here there is room: a larger struct costs a tenth of the time
    model::Timestamp time = 0;
    json::Number value;
    std::string_view value_text;
    model::LineGroup* group = nullptr;  // known already
    const char* points = nullptr;
    const model::LineGroup* points_group = nullptr;  // the guess their rows were added for
  };

  const char* field(const char* at, Metric& metric);
  const char* read_name(const char* at);
  const char* read_tags(const char* at, Metric& metric);
  const char* read_type(const char* at, Metric& metric);
  const char* read_points(const char* at, const model::LineGroup& group, unsigned& types);
  const char* read_ttl(const char* at, Metric& metric);
  model::LineGroup* look_up(std::uint32_t ttl_s);
  bool finish(Metric& metric, model::RowBatch::Mark mark);

  const char* end_;
  model::GroupSource& groups_;
  model::RowBatch& batch_;
  GroupCursor& cursor_;
  model::LineGroup nobody_;  // stands in for a group that is not known yet
  SplitKey key_;             // name and tags of the metric as written, with quotes and braces
};

}  // namespace varve::protocol::kairosdb
