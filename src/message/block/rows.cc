// SPDX-License-Identifier: Apache-2.0
#include "message/block/rows.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/check.h"
#include "codec/varint.h"
#include "message/block/ahead.h"
#include "message/block/block_state.h"

namespace varve::message::block {
namespace {

constexpr std::size_t kCellsMax = 0xffff;

std::byte* put_text(std::byte* to, std::string_view text) {
  to = codec::put_varint(to, text.size());
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

std::byte* put_cell(std::byte* to, const Cell& cell) {
  *to++ = static_cast<std::byte>(cell.column);
  if (is_integer(cell.column)) return codec::put_varint(to, codec::zigzag(cell.number));
  if (cell.column == Column::id) {
    std::memcpy(to, cell.text.data(), kIdBytes);
    return to + kIdBytes;
  }
  if (cell.column == Column::field) {
    to = put_text(to, cell.name);
    *to++ = static_cast<std::byte>(cell.form);
  }
  return put_text(to, cell.text);
}

Cell cell_of(Column column, std::string_view text = {}) {
  Cell cell;
  cell.column = column;
  cell.text = text;
  return cell;
}

class RowMaker {
 public:
  RowMaker(Columns& columns, Fields& fields) : columns_(columns), fields_(fields) {}

  Status open() {
    VARVE_ASSIGN_OR_RETURN(times_, columns_.times());
    VARVE_ASSIGN_OR_RETURN(nanos_, columns_.nanos());
    VARVE_ASSIGN_OR_RETURN(arrivals_, columns_.arrivals());
    for (std::size_t s = 0; s < kFixedFacets; ++s) {
      VARVE_ASSIGN_OR_RETURN(facets_[s], columns_.facet(s));
      if (facets_[s].none()) continue;
      if (is_text_facet(s) || s == kFacetObjects) {
        VARVE_ASSIGN_OR_RETURN(terms_[s], columns_.terms(s));
      }
      if (is_integer_facet(s)) {
        VARVE_ASSIGN_OR_RETURN(numbers_[s - kTextColumns], columns_.numbers(s));
      }
      if (s == kFacetObjects || (s == kFacetId && columns_.has(PartKind::ids)) || plain(s)) {
        VARVE_ASSIGN_OR_RETURN(ranks_[s], columns_.ranks(s));
      }
    }
    return {};
  }

  Status make(std::uint32_t row, std::string_view text, Batch& out) {
    cells_.clear();
    for (std::size_t s = 0; s < kFacetObjects; ++s) {
      const std::uint32_t id = facets_[s][row];
      if (id == 0) continue;
      Cell& cell = cells_.emplace_back(cell_of(static_cast<Column>(s)));
      if (is_text_facet(s)) {
        cell.text = (*terms_[s])[id - 1];
      } else {
        cell.number = (*numbers_[s - kTextColumns])[plain(s) ? (*ranks_[s])[row] : id - 1];
      }
    }
    VARVE_RETURN_IF_ERROR(add_objects(row));
    if (facets_[kFacetTemplate][row] != kNoText) cells_.push_back(cell_of(Column::text, text));
    const std::uint32_t id = facets_[kFacetId][row];
    if (id == kStoredId) {
      VARVE_ASSIGN_OR_RETURN(const std::string_view ids, columns_.ids());
      cells_.push_back(cell_of(Column::id, ids.substr((*ranks_[kFacetId])[row] * kIdBytes, kIdBytes)));
    }
    VARVE_RETURN_IF_ERROR(add_fields(row));
    return put(row, out);
  }

 private:
  [[nodiscard]] bool plain(std::size_t facet) const {
    return is_integer_facet(facet) && columns_.head().integers[facet - kTextColumns].plain;
  }

  Status add_objects(std::uint32_t row) {
    const std::uint32_t count = facets_[kFacetObjects][row];
    if (count == 0) return {};
    VARVE_ASSIGN_OR_RETURN(const auto* const objects, columns_.objects());
    for (std::size_t i = (*ranks_[kFacetObjects])[row], end = i + count; i < end; ++i) {
      cells_.push_back(cell_of(Column::object, (*terms_[kFacetObjects])[(*objects)[i]]));
    }
    return {};
  }

  Status add_fields(std::uint32_t row) {
    const std::uint32_t id = facets_[kFacetShape][row];
    if (id == 0) return {};
    VARVE_ASSIGN_OR_RETURN(const Fields::Cells* const all, fields_.cells());
    VARVE_ASSIGN_OR_RETURN(const auto shape, fields_.shape(id - 1));
    VARVE_ASSIGN_OR_RETURN(const Terms* const names, fields_.names());
    for (std::size_t i = 0; i < shape.size(); ++i) {
      VARVE_ASSIGN_OR_RETURN(const FieldValues* const values, fields_.values(shape[i].name));
      cells_.push_back({.column = Column::field,
                        .form = shape[i].form,
                        .name = (*names)[shape[i].name],
                        .text = (*values)[all->values[all->starts[row] + i]]});
    }
    return {};
  }

  Status put(std::uint32_t row, Batch& out) const {
    std::size_t most = kRowHeadBytes;
    for (const Cell& cell : cells_) most += 2 + 2 * codec::kVarintBytesMax + cell.name.size() + cell.text.size();
    if (most > 2 * kRowBytesMax || cells_.size() > kCellsMax) {
      return fail(Code::corrupt, "a message of a block is larger than a message can be");
    }
    std::byte* const to = out.reserve(most);
    std::byte* end = to + kRowHeadBytes;
    for (const Cell& cell : cells_) end = put_cell(end, cell);
    const auto bytes = static_cast<std::size_t>(end - to);
    store_le(to, static_cast<std::uint32_t>(bytes));
    store_le(to + 4, static_cast<std::uint16_t>(cells_.size()));
    const std::uint32_t id = facets_[kFacetId][row];
    set_nanos(to, nanos_->empty() ? 0 : static_cast<std::uint16_t>((*nanos_)[row]),
              id < kFirstComputedId ? std::nullopt : std::optional(id - kFirstComputedId));
    store_le(to + 8, (*times_)[row]);
    set_arrival(to, static_cast<std::uint64_t>((*arrivals_)[row]));
    out.added(bytes, (*times_)[row]);
    return {};
  }

  Columns& columns_;
  Fields& fields_;
  const std::vector<std::int64_t>* times_ = nullptr;
  const std::vector<std::int64_t>* nanos_ = nullptr;
  const std::vector<std::int64_t>* arrivals_ = nullptr;
  std::array<FacetColumn, kFacets> facets_;
  std::array<const Terms*, kFacets> terms_{};
  std::array<const std::vector<std::int64_t>*, 4> numbers_{};
  std::array<const std::vector<std::uint32_t>*, kFacets> ranks_{};
  std::vector<Cell> cells_;
};

// Texts of the rows, each frame decoded once whatever the order of the rows.
class TextsOfRows {
 public:
  TextsOfRows(std::span<const std::uint32_t> which, Texts& texts, Columns& columns)
      : which_(which), texts_(texts), columns_(columns) {}

  Status read() {
    starts_.assign(which_.size(), 0);
    sizes_.assign(which_.size(), 0);
    if (columns_.head().texts == 0) return {};
    VARVE_ASSIGN_OR_RETURN(const Texts::Order* const order, texts_.order());
    VARVE_ASSIGN_OR_RETURN(const FacetColumn ids, columns_.facet(kFacetTemplate));
    for (std::uint32_t i = 0; i < which_.size(); ++i) {
      const std::uint32_t id = ids[which_[i]];
      if (id != kNoText) wanted_.emplace_back(order->place_of(id, which_[i]), i);
    }
    std::ranges::sort(wanted_);
    Ahead ahead(columns_);
    for (const auto& [place, i] : wanted_) {
      if (ahead.is_far()) ahead.frame(order->frame_of(place));
    }
    ahead.fetch();
    for (std::size_t begin = 0; begin < wanted_.size();) {
      VARVE_ASSIGN_OR_RETURN(begin, read_frame(*order, begin));
    }
    return {};
  }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    return text_of(bytes_.view().subspan(starts_[i], sizes_[i]));
  }

 private:
  // Those that are wanted from `begin` on, as far as the frame of the first one has them. Where the next one begins.
  Result<std::size_t> read_frame(const Texts::Order& order, std::size_t begin) {
    const std::size_t number = order.frame_of(wanted_[begin].first);
    auto runs = order.runs(number);
    std::size_t end = begin;
    for (Texts::Run& run : runs) {
      const std::size_t before = end;
      while (end < wanted_.size() && wanted_[end].first < run.end) ++end;
      run.wanted = end != before;
    }
    VARVE_ASSIGN_OR_RETURN(const Frame* const frame, texts_.frame(number, runs));
    std::string buffer;
    for (std::size_t w = begin; w < end; ++w) {
      const auto [place, i] = wanted_[w];
      const std::string_view text = frame->text(place - runs[0].begin, buffer);
      starts_[i] = bytes_.size();
      sizes_[i] = text.size();
      bytes_.add(bytes_of(text));
      if (bytes_.size() > 8 * kBlockBytesMax) return fail(corrupt_part(PartKind::text_frame));
    }
    return end;
  }

  std::span<const std::uint32_t> which_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted_;  // place, position in `which_`
  Texts& texts_;
  Columns& columns_;
  Bytes bytes_;
  std::vector<std::size_t> starts_, sizes_;
};

}  // namespace

Status add_rows(std::span<const std::uint32_t> which, Columns& columns, Fields& fields, Texts& texts, Batch& out) {
  for (const std::uint32_t row : which) check(row < columns.rows(), "a row of the block");
  Ahead ahead(columns);
  ahead.rows();
  ahead.fetch();
  RowMaker maker(columns, fields);
  VARVE_RETURN_IF_ERROR(maker.open());
  TextsOfRows text_of_row(which, texts, columns);
  VARVE_RETURN_IF_ERROR(text_of_row.read());
  for (std::size_t i = 0; i < which.size(); ++i) VARVE_RETURN_IF_ERROR(maker.make(which[i], text_of_row[i], out));
  return {};
}

Status Block::rows(std::span<const std::uint32_t> which, Batch& out) {
  return add_rows(which, state_->columns, state_->fields, state_->texts, out);
}

}  // namespace varve::message::block
