// SPDX-License-Identifier: Apache-2.0
// Retention classes: which series are kept for another time than raw.retention and the retentions of rollups. The first
// rule that fits a series counts; what none fits is in no class.
//
// A class is not stored: it follows from the names of a series. So a configuration may change, and counts for what is
// there as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tags.h"
#include "rollup/levels.h"

namespace varve::rollup {

struct RetentionRule {
  struct Condition {
    enum class On : std::uint8_t { tenant, metric, tag };
    On on = On::metric;
    std::string key = {};  // of a tag
    std::string value = {};
    bool is_prefix = false;  // the value is what it begins with
    bool operator==(const Condition&) const = default;
  };
  std::string name = {};  // of the class
  std::int64_t retention_ms = 0;
  std::vector<Condition> conditions = {};  // all of them have to fit
  bool operator==(const RetentionRule&) const = default;
};

// Reads conditions, such as tenant=acme&metric=debug.*&tag.env=test, into the rule. Error (invalid): the end of a
// sentence that says what is wrong.
Status read_retention_conditions(std::string_view text, RetentionRule& rule);

// How long samples and windows of some series are kept.
struct Retention {
  std::int64_t raw_ms = kForEver;
  std::vector<Level> levels = {};  // finest first
  [[nodiscard]] std::int64_t longest_ms() const;
  bool operator==(const Retention&) const = default;
};

// Constant.
class RetentionClasses {
 public:
  using Number = std::uint8_t;  // of a rule, from 1 on
  static constexpr Number kNone = 0;
  static constexpr std::size_t kMost = 200;

  // `general`: of what is in no class. At most kMost rules.
  explicit RetentionClasses(std::vector<RetentionRule> rules = {}, Retention general = {});

  [[nodiscard]] bool empty() const { return rules_.empty(); }
  [[nodiscard]] std::size_t size() const { return rules_.size(); }  // the numbers of classes are 1 … size()
  // The class of a series; tags are sorted by key.
  [[nodiscard]] Number of(std::string_view tenant, std::string_view metric, const model::TagViews& tags) const;
  // Of a class everything goes at one time: its samples, and windows of all granularities.
  [[nodiscard]] const Retention& retention(Number number) const { return retentions_[number]; }
  // The longest that a series of the tenant may have, of samples and of each granularity.
  [[nodiscard]] Retention longest_of(std::string_view tenant) const;
  // May series of the tenant have different ones?
  [[nodiscard]] bool differ_in(std::string_view tenant) const { return possible_of(tenant).size() > 1; }
  // Over all tenants.
  [[nodiscard]] Retention longest() const;
  [[nodiscard]] Retention shortest() const;
  // Tells configurations apart; 0: no rules.
  [[nodiscard]] std::int64_t fingerprint() const;

 private:
  [[nodiscard]] std::vector<Number> possible_of(std::string_view tenant) const;

  std::vector<RetentionRule> rules_;
  std::vector<Retention> retentions_;  // by number
};

}  // namespace varve::rollup
