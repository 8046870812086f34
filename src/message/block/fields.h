// SPDX-License-Identifier: Apache-2.0
// Free fields of a block that is read.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "message/block/columns.h"
#include "message/row.h"

namespace varve::message::block {

// The values of one field, in the order of rows (and of cells within a row).
class FieldValues {
 public:
  // `facet`: the ids of the rows, if the field is a facet.
  bool read(Cursor from, std::size_t count, std::size_t rows, const FacetColumn* facet);
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return terms_ ? (*terms_)[ids_[i]] : plain(i); }
  // Distinct ones; nullptr: values are not in a dictionary.
  [[nodiscard]] const Terms* terms() const { return terms_ ? &*terms_ : nullptr; }
  [[nodiscard]] std::uint32_t id(std::size_t i) const { return ids_[i]; }

 private:
  [[nodiscard]] std::string_view plain(std::size_t i) const {
    return text_of(texts_.view().subspan(starts_[i], starts_[i + 1] - starts_[i]));
  }
  bool read_facet(std::size_t rows, const FacetColumn& facet, std::size_t terms);
  bool read_few(Cursor& from);
  bool read_plain(Cursor& from);

  std::size_t count_ = 0;
  std::optional<Terms> terms_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::size_t> starts_;
  Bytes texts_;
};

struct ShapeCell {
  std::uint32_t name;
  FieldForm form;
};

class Fields {
 public:
  explicit Fields(Columns& columns) : columns_(columns) {}

  // nullopt: no message has the field.
  Result<std::optional<std::uint32_t>> find(std::string_view name);
  // Sorted. Only where there is a name.
  Result<const Terms*> names();
  // Cells of a message whose facet shape is 1 + `shape`.
  Result<std::span<const ShapeCell>> shape(std::size_t shape);
  [[nodiscard]] std::size_t shapes() const { return columns_.head().shapes; }
  Result<const FieldValues*> values(std::uint32_t name);
  // For each cell, row after row, which of the values of its field it is; and where the cells of each row begin.
  struct Cells {
    std::vector<std::uint32_t> starts;  // by row
    std::vector<std::uint32_t> values;
  };
  Result<const Cells*> cells();

 private:
  struct Names {
    Terms terms;
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> firsts;  // of each part of values, and behind the last one all fields
  };
  struct Shapes {
    std::vector<std::size_t> starts;
    std::vector<ShapeCell> cells;
  };
  // A part of values: its bytes, and where they are of which field.
  struct Part {
    Bytes bytes;
    std::vector<std::span<const std::byte>> fields;
  };
  Result<const Names*> load_names();
  Result<const Shapes*> load_shapes();
  Result<const Part*> load_part(std::size_t number);

  Columns& columns_;
  std::unique_ptr<Names> names_;
  std::unique_ptr<Shapes> shapes_;
  std::unique_ptr<Cells> cells_;
  std::unordered_map<std::uint32_t, std::unique_ptr<FieldValues>> values_;
  // All that are read are kept: a message may have fields of many.
  std::unordered_map<std::size_t, std::unique_ptr<Part>> parts_;
};

}  // namespace varve::message::block
