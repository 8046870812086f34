// SPDX-License-Identifier: Apache-2.0
// ContrailCells: a row of Contrail's tables of messages → a message. docs/formats/contrail.md has the cells. Pure.
#pragma once

#include <array>
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "driver/cassandra.h"
#include "message/builder.h"
#include "migrate/contrail_layout.h"
#include "protocol/messages/xml_names.h"

namespace varve::migrate {

// One thread. `layout` and `batch` outlive it.
class ContrailCells {
 public:
  ContrailCells(const ContrailLayout& layout, message::Batch& batch) : layout_(layout), builder_(batch) {}

  // Cells in the order of layout.columns. Then add_object() as often as needed, and finish(), while they are there.
  // Returns the time in µs. Error: corrupt, invalid or too_large: this row is no message.
  Result<std::int64_t> read(std::span<const driver::Cell> row);
  void add_object(std::string_view name);
  // Names that stand in the text only: elements with a key, as Contrail's collector found them.
  void add_objects_of_text();
  // An object's name that is none, if there was one: it alone is left out.
  [[nodiscard]] std::string_view bad_name() const { return bad_name_; }
  void finish(std::int64_t time_us) { builder_.finish(time_us); }

 private:
  Status cell(const ContrailColumn& column, driver::Cell cell);
  Status number(const ContrailColumn& column, std::int64_t value);
  Status text(const ContrailColumn& column, std::string_view value);
  void set_slot(std::int64_t slot);
  [[nodiscard]] std::string_view without_slot(std::string_view cell) const;

  const ContrailLayout& layout_;
  message::Builder builder_;
  protocol::messages::XmlNames xml_names_;
  std::deque<std::string> made_;  // texts that are not in cells
  std::string_view text_, bad_name_;
  std::int64_t time_us_ = 0;
  bool has_slot_ = false, has_offset_ = false, has_time_ = false, has_id_ = false;
  std::size_t objects_ = 0;
  std::int64_t slot_ = -1;
  std::string slot_decimal_, slot_hex_;
};

// T2 in front of `cell`, in decimal or hexadecimal, with its colon: taken off only if it is this one.
std::string_view without_prefix(std::string_view cell, std::string_view decimal, std::string_view hex);

}  // namespace varve::migrate
