// SPDX-License-Identifier: Apache-2.0
// The road of a line that the fast way does not know: taken apart, its groups looked up or defined, its rows added.
//
// The numbers of a line are one group (of at most RowValues::kMax); each text is a group of its own, because rows hold
// either numbers or one text. A field that stands twice counts as it stands last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/line_group.h"
#include "model/row.h"
#include "protocol/influx/naming.h"
#include "protocol/influx/row_values.h"
#include "protocol/influx/split.h"
#include "protocol/influx/timestamp.h"
#include "protocol/outcome.h"

namespace varve::protocol::influx {

class NewLine {
 public:
  NewLine(model::GroupSource& groups, model::RowBatch& batch, const TimeReader& time)
      : groups_(groups), batch_(batch), time_(time) {}

  // Adds the line at `at`, but for fields that are too old where others are kept; or nothing of it. The first of its
  // groups, or why it was refused.
  Result<model::LineGroup*> add(const char* at, Splitter& splitter, Outcome& outcome);
  // Where the line that was added last ended.
  [[nodiscard]] const char* next() const { return line_.next; }

 private:
  [[nodiscard]] Status check_age(model::Timestamp time, model::Timestamp kept_from) const;
  using Fields = std::span<const Field>;
  void keep_last_of_each();
  Result<model::LineGroup*> group_of(Fields fields, model::Timestamp time);
  Result<model::LineGroup*> add_numbers(Fields fields, model::Timestamp time);
  Result<model::LineGroup*> add_text(const Field& field, model::Timestamp time);

  model::GroupSource& groups_;
  model::RowBatch& batch_;
  const TimeReader& time_;
  Naming naming_;
  Line line_;
  std::vector<Field> numbers_;
  RowValues values_;
  std::string key_;  // "field1=field2=…"
  std::vector<std::string_view> names_;
  std::string text_;
};

}  // namespace varve::protocol::influx
