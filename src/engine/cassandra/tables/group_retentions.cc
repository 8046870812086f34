// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/group_retentions.h"

#include <algorithm>

namespace varve::engine::cassandra {
namespace {

using rollup::Retention;
using rollup::RetentionClasses;

Retention longer(Retention one, const Retention& other) {
  one.raw_ms = std::max(one.raw_ms, other.raw_ms);
  for (std::size_t l = 0; l < one.levels.size(); ++l) {
    one.levels[l].retention_ms = std::max(one.levels[l].retention_ms, other.levels[l].retention_ms);
  }
  return one;
}

}  // namespace

RetentionClasses classes_of(const SchemaOptions& schema) {
  return RetentionClasses(schema.retention_rules, {schema.raw_retention_ms, schema.rollups});
}

GroupRetentions::GroupRetentions(const RetentionClasses& classes) : classes_(classes.size()) {
  const auto of = [&](std::size_t number) { return classes.retention(static_cast<RetentionClasses::Number>(number)); };
  all_.push_back(of(RetentionClasses::kNone));
  for (std::size_t number = 1; number <= classes_; ++number) all_.push_back(of(number));
  for (std::size_t number = 1; number <= classes_; ++number) all_.push_back(longer(of(number), all_[0]));
}

GroupRetentions::Number GroupRetentions::of(std::span<const RetentionClasses::Number> classes) const {
  RetentionClasses::Number longest = RetentionClasses::kNone;
  bool has_general = false;
  for (const RetentionClasses::Number one : classes) {
    if (one == RetentionClasses::kNone) {
      has_general = true;
    } else if (longest == RetentionClasses::kNone || all_[one].raw_ms > all_[longest].raw_ms) {
      longest = one;
    }
  }
  if (longest == RetentionClasses::kNone) return kGeneral;
  return static_cast<Number>(has_general ? longest + classes_ : longest);
}

}  // namespace varve::engine::cassandra
