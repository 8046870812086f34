// SPDX-License-Identifier: Apache-2.0
// Classes: which messages are kept how long. A rule sends messages that have a value in a column to a class; the first
// rule that fits counts, and what none fits is in the default class.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/column.h"
#include "message/row.h"

namespace varve::message {

// Names a class in keys of stores: of its name alone, so that a configuration may change. 0: the default class; others
// are below 2^62. Stored: DO NOT CHANGE how it is made.
enum class ClassId : std::uint64_t {};
inline constexpr ClassId kDefaultClass{0};
ClassId class_id_of(std::string_view name);

struct ClassRule {
  std::string name = {};  // of the class
  std::int64_t retention_ms = 0;
  Column column = Column::type;
  std::string value = {};   // of a text, or of an object's name
  bool is_prefix = false;   // the value is what it begins with
  std::int64_t number = 0;  // of level and kind
  bool operator==(const ClassRule&) const = default;
};

// Reads the condition of a rule, such as type=VncApiConfigLog, into its column and value. Error (invalid): the end of a
// sentence that says what is wrong.
Status read_class_condition(std::string_view text, ClassRule& rule);

// Constant.
class Classes {
 public:
  Classes() = default;
  // Rules of one class have one retention.
  Classes(std::vector<ClassRule> rules, std::int64_t default_retention_ms);

  // Are all messages in the default class?
  [[nodiscard]] bool are_one() const { return rules_.empty(); }
  [[nodiscard]] ClassId of(RowView row) const;
  // A class that is not configured any more is kept as the default class is.
  [[nodiscard]] std::int64_t retention_ms(ClassId id) const;
  [[nodiscard]] std::string_view name(ClassId id) const;  // "" of the default class and of unknown ones
  [[nodiscard]] std::int64_t longest_ms() const { return longest_ms_; }
  [[nodiscard]] std::int64_t shortest_ms() const { return shortest_ms_; }

 private:
  struct Rule {
    ClassRule rule;
    ClassId id;
  };
  std::vector<Rule> rules_;
  std::int64_t default_ms_ = 0;
  std::int64_t longest_ms_ = 0;
  std::int64_t shortest_ms_ = 0;
};

}  // namespace varve::message
