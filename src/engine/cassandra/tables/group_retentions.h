// SPDX-License-Identifier: Apache-2.0
// Group retentions: how long rows of line groups are stored. A row has several series, so it stays as long as the one
// that is kept the longest (rollup/retention_classes.h); what is over of the others is not read any more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/cassandra/tables/schema.h"
#include "rollup/retention_classes.h"

namespace varve::engine::cassandra {

rollup::RetentionClasses classes_of(const SchemaOptions& schema);

// Constant.
class GroupRetentions {
 public:
  using Number = std::uint16_t;
  static constexpr Number kGeneral = 0;  // no series is in a class

  explicit GroupRetentions(const rollup::RetentionClasses& classes);

  // Of a group with series of these classes.
  [[nodiscard]] Number of(std::span<const rollup::RetentionClasses::Number> classes) const;
  // By number.
  [[nodiscard]] const std::vector<rollup::Retention>& all() const { return all_; }
  // Of groups some of whose series are in no class, and others in one.
  [[nodiscard]] std::span<const rollup::Retention> mixed() const { return std::span(all_).subspan(1 + classes_); }

 private:
  const std::size_t classes_;
  std::vector<rollup::Retention> all_;  // general; of each class alone; of each class with series that are in none
};

}  // namespace varve::engine::cassandra
