// SPDX-License-Identifier: Apache-2.0
#include "message/block/fields.h"

#include <algorithm>

namespace varve::message::block {

bool FieldValues::read(Cursor from, std::size_t count, std::size_t rows, const FacetColumn* facet) {
  count_ = count;
  const unsigned encoding = from.byte();
  if (encoding == kFieldDictionary || encoding == kFieldFacet) {
    const std::uint64_t terms = from.varint();
    if (!from.ok() || terms > count) return false;
    Terms& dictionary = terms_.emplace();
    if (!dictionary.read_all(from, static_cast<std::size_t>(terms)) ||
        (encoding == kFieldFacet) != (facet != nullptr)) {
      return false;
    }
    const bool ids =
        facet != nullptr ? read_facet(rows, *facet, dictionary.size()) : read_ids(from, count, dictionary.size(), ids_);
    return ids && from.left() == 0;
  }
  if (encoding == kFieldFew) return read_few(from) && from.left() == 0;
  return encoding == kFieldPlain && from.ok() && read_plain(from) && from.left() == 0;
}

bool FieldValues::read_facet(std::size_t rows, const FacetColumn& facet, std::size_t terms) {
  ids_.reserve(count_);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint32_t id = facet[row];
    if (id == 0) continue;
    if (id > terms || ids_.size() == count_) return false;
    ids_.push_back(id - 1);
  }
  return ids_.size() == count_;
}

bool FieldValues::read_few(Cursor& from) {
  for (std::size_t i = 0; i < count_; ++i) {
    starts_.push_back(texts_.size());
    texts_.add(from.take(static_cast<std::size_t>(from.varint())));
    if (!from.ok()) return false;
  }
  starts_.push_back(texts_.size());
  return true;
}

bool FieldValues::read_plain(Cursor& from) {
  std::vector<std::int64_t> lengths;
  if (!read_numbers(from, count_, lengths) || !read_packed(from, texts_)) return false;
  std::size_t at = 0;
  for (const std::int64_t length : lengths) {
    starts_.push_back(at);
    if (length < 0 || static_cast<std::uint64_t>(length) > texts_.size() - at) return false;
    at += static_cast<std::size_t>(length);
  }
  starts_.push_back(at);
  return at == texts_.size();
}

Result<const Fields::Names*> Fields::load_names() {
  if (names_ == nullptr) {
    const std::size_t count = columns_.head().names;
    const std::size_t parts = columns_.head().directory.count(PartKind::field_values);
    VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, columns_.part(PartKind::field_names));
    Cursor from = bytes.cursor();
    auto read = std::make_unique<Names>();
    Numbers numbers;
    std::vector<std::int64_t> firsts;
    if (parts == 0 || !read->terms.read_all(from, count) || !numbers.read(from) || !numbers.next(count, read->counts) ||
        !numbers.next(parts - 1, firsts)) {
      return fail(corrupt_part(PartKind::field_names));
    }
    read->firsts.push_back(0);
    read->firsts.insert(read->firsts.end(), firsts.begin(), firsts.end());
    read->firsts.push_back(static_cast<std::int64_t>(count));
    const auto bad = [](std::int64_t c) { return c <= 0 || c > static_cast<std::int64_t>(kBlockBytesMax / 4); };
    if (std::ranges::adjacent_find(read->firsts, std::greater_equal()) != read->firsts.end() ||
        std::ranges::any_of(read->counts, bad)) {
      return fail(corrupt_part(PartKind::field_names));
    }
    names_ = std::move(read);
  }
  return names_.get();
}

Result<const Fields::Shapes*> Fields::load_shapes() {
  if (shapes_ == nullptr) {
    VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, columns_.part(PartKind::shapes));
    Cursor from = bytes.cursor();
    Bytes raw;
    if (!read_packed(from, raw)) return fail(corrupt_part(PartKind::shapes));
    auto read = std::make_unique<Shapes>();
    Cursor cursor(raw.view());
    for (std::size_t s = 0; s < shapes(); ++s) {
      read->starts.push_back(read->cells.size());
      const std::uint64_t cells = cursor.varint();
      if (cells > cursor.left()) return fail(corrupt_part(PartKind::shapes));
      for (std::uint64_t c = 0; c < cells; ++c) {
        const std::uint64_t cell = cursor.varint();
        if (cell / 4 >= columns_.head().names || cell % 4 > static_cast<unsigned>(kLastFieldForm)) {
          return fail(corrupt_part(PartKind::shapes));
        }
        read->cells.push_back({static_cast<std::uint32_t>(cell / 4), static_cast<FieldForm>(cell % 4)});
      }
    }
    read->starts.push_back(read->cells.size());
    if (!cursor.ok() || cursor.left() != 0) return fail(corrupt_part(PartKind::shapes));
    shapes_ = std::move(read);
  }
  return shapes_.get();
}

Result<const Terms*> Fields::names() {
  VARVE_ASSIGN_OR_RETURN(const Names* const names, load_names());
  return &names->terms;
}

Result<std::optional<std::uint32_t>> Fields::find(std::string_view name) {
  if (columns_.head().names == 0) return std::nullopt;
  VARVE_ASSIGN_OR_RETURN(const Names* const names, load_names());
  const auto range = names->terms.equal(name);
  if (!range) return fail(corrupt_part(PartKind::field_names));
  if (range->empty()) return std::nullopt;
  return range->begin;
}

Result<std::span<const ShapeCell>> Fields::shape(std::size_t shape) {
  VARVE_ASSIGN_OR_RETURN(const Shapes* const shapes, load_shapes());
  return std::span(shapes->cells).subspan(shapes->starts[shape], shapes->starts[shape + 1] - shapes->starts[shape]);
}

Result<const Fields::Part*> Fields::load_part(std::size_t number) {
  auto& kept = parts_[number];
  if (kept == nullptr) {
    VARVE_ASSIGN_OR_RETURN(const Names* const names, load_names());
    VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, columns_.part(PartKind::field_values, number));
    Cursor from = bytes.cursor();
    auto read = std::make_unique<Part>();
    if (!read_packed(from, read->bytes)) return fail(corrupt_part(PartKind::field_values));
    Cursor cursor(read->bytes.view());
    for (std::int64_t f = names->firsts[number]; f < names->firsts[number + 1]; ++f) {
      read->fields.push_back(cursor.take(static_cast<std::size_t>(cursor.varint())));
    }
    if (!cursor.ok() || cursor.left() != 0) return fail(corrupt_part(PartKind::field_values));
    kept = std::move(read);
  }
  return kept.get();
}

Result<const FieldValues*> Fields::values(std::uint32_t name) {
  auto& kept = values_[name];
  if (kept == nullptr) {
    VARVE_ASSIGN_OR_RETURN(const Names* const names, load_names());
    const auto behind = std::ranges::upper_bound(names->firsts, static_cast<std::int64_t>(name));
    const auto part = static_cast<std::size_t>(behind - names->firsts.begin()) - 1;
    VARVE_ASSIGN_OR_RETURN(const Part* const values, load_part(part));
    const auto& facets = columns_.head().field_facets;
    const auto found = std::ranges::find(facets, name, &Head::FieldFacet::name);
    FacetColumn ids;
    if (found != facets.end()) {
      VARVE_ASSIGN_OR_RETURN(ids, columns_.facet(kFixedFacets + static_cast<std::size_t>(found - facets.begin())));
    }
    auto read = std::make_unique<FieldValues>();
    const auto place = name - static_cast<std::size_t>(names->firsts[part]);
    if (!read->read(Cursor(values->fields[place]), static_cast<std::size_t>(names->counts[name]), columns_.rows(),
                    found == facets.end() ? nullptr : &ids)) {
      return fail(corrupt_part(PartKind::field_values));
    }
    kept = std::move(read);
  }
  return kept.get();
}

Result<const Fields::Cells*> Fields::cells() {
  if (cells_ != nullptr) return cells_.get();
  auto made = std::make_unique<Cells>();
  made->starts.resize(columns_.rows() + 1);
  if (shapes() != 0) {
    VARVE_ASSIGN_OR_RETURN(const FacetColumn ids, columns_.facet(kFacetShape));
    VARVE_ASSIGN_OR_RETURN(const Names* const names, load_names());
    std::vector<std::uint32_t> next(columns_.head().names);
    for (std::size_t row = 0; row < columns_.rows(); ++row) {
      made->starts[row] = static_cast<std::uint32_t>(made->values.size());
      if (ids[row] == 0) continue;
      VARVE_ASSIGN_OR_RETURN(const auto cells, shape(ids[row] - 1));
      if (made->values.size() + cells.size() > kBlockBytesMax / 4) return fail(corrupt_part(PartKind::shapes));
      for (const ShapeCell& cell : cells) made->values.push_back(next[cell.name]++);
    }
    for (std::size_t f = 0; f < next.size(); ++f) {
      if (next[f] != names->counts[f]) return fail(corrupt_part(PartKind::field_names));
    }
  }
  made->starts[columns_.rows()] = static_cast<std::uint32_t>(made->values.size());
  cells_ = std::move(made);
  return cells_.get();
}

}  // namespace varve::message::block
