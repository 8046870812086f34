// SPDX-License-Identifier: Apache-2.0
// Ahead: the parts that a question reads next, named before it reads them, so that they come together where reading
// waits for another server (Sections::fetch). Too many cost bytes, too few a round trip; where sections are near
// nothing is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "message/block/columns.h"
#include "message/condition.h"

namespace varve::message::block {

class Ahead {
 public:
  explicit Ahead(const Columns& columns) : columns_(columns), is_far_(columns.sections().is_far()) {}

  [[nodiscard]] bool is_far() const { return is_far_; }
  // What is evaluated before texts are read.
  void condition(const Condition& condition);
  void times();
  void nanos();
  // What is read to group by this column.
  void column(Column column);
  // Of messages that are put together: all but their texts.
  void rows();
  // Of texts, and nothing else beside it.
  void frame(std::size_t number);
  // What was named.
  void fetch();

 private:
  void part(PartKind kind, std::size_t number = 0);
  void facet(std::size_t facet);
  void cells_of(std::size_t facet);
  void fields();
  void text(const Term& term);
  void term(const Term& term);

  const Columns& columns_;
  const bool is_far_;
  bool is_text_ = false;
  std::vector<std::uint32_t> sections_;
};

}  // namespace varve::message::block
