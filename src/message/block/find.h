// SPDX-License-Identifier: Apache-2.0
// Conditions evaluated on a block: each term reads the parts that it needs, and only where messages are left that could
// fulfil the whole.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "message/block/bitmap.h"
#include "message/block/columns.h"
#include "message/block/fields.h"
#include "message/block/texts.h"
#include "message/condition.h"
#include "message/id.h"

namespace varve::message::block {

class Finder {
 public:
  Finder(Columns& columns, Fields& fields, Texts& texts) : columns_(columns), fields_(fields), texts_(texts) {}

  // Those of `among` that fulfil it.
  Result<Bitmap> find(const Condition& condition, const Bitmap& among);

 private:
  Result<Bitmap> all_of(const std::vector<Condition>& parts, const Bitmap& among);
  Result<Bitmap> any_of(const std::vector<Condition>& parts, const Bitmap& among);
  // Messages with a cell that is what the term asks for; of an operator that negates, its opposite.
  Result<Bitmap> with_cell(const Term& term, const Bitmap& among);
  Result<Bitmap> in_times(const Term& term);
  Result<Bitmap> in_texts_column(const Term& term);
  Result<Bitmap> in_integers(const Term& term);
  Result<Bitmap> in_objects(const Term& term);
  Result<Bitmap> in_ids(const Term& term);
  Result<Bitmap> in_stored_ids(const Term& term);
  // A row whose id is made or computed.
  struct RowWithId {
    Id id;
    std::uint32_t row;
    [[nodiscard]] std::string_view text() const { return {id.data(), id.size()}; }
  };
  // Those of the millisecond that begins `id`, by id. Each millisecond is read once.
  Result<const std::vector<RowWithId>*> rows_at_time_of(std::string_view id);
  Status read_ids(std::span<const std::uint32_t> rows, std::vector<RowWithId>& out);
  Result<Bitmap> in_field(const Term& term);
  // Which terms of the facet's dictionary fulfil it, a byte each. Empty: none.
  Result<std::vector<std::uint8_t>> fulfilling(const Term& term, std::size_t facet);
  // Rows whose id of the facet is one of `wanted`, which has a byte for each id.
  Result<Bitmap> with_ids(std::size_t facet, const std::vector<std::uint8_t>& wanted);

  Columns& columns_;
  Fields& fields_;
  Texts& texts_;
  std::map<std::int64_t, std::vector<RowWithId>> ids_at_;  // by the first microsecond
};

// Of column text.
Result<Bitmap> find_in_text(const Term& term, const Bitmap& among, Columns& columns, Texts& texts);

}  // namespace varve::message::block
