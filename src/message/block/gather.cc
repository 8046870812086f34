// SPDX-License-Identifier: Apache-2.0
#include "message/block/gather.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "message/block/word_column.h"
#include "message/made_ids.h"

namespace varve::message::block {
namespace {

class Gatherer {
 public:
  explicit Gatherer(Gathered& out) : out_(out) {}

  void add(RowView row, std::uint32_t number) {
    row_ = number;
    view_ = row;
    out_.times[number] = row.time_us();
    out_.nanos[number] = row.nanos();
    out_.arrivals[number] = static_cast<std::int64_t>(row.arrival());
    if (const auto repeat = row.repeat()) id(kFacetId) = kFirstComputedId + *repeat;
    shape_.clear();
    CellReader cells = row.reader();
    for (Cell cell; cells.next(cell);) add(cell);
    if (!shape_.empty()) {
      const std::string_view key(reinterpret_cast<const char*>(shape_.data()), shape_.size() * sizeof shape_[0]);
      id(kFacetShape) = 1 + out_.shapes.add_copy(key, out_.arena);
    }
  }

  void finish() {
    for (std::size_t s = 0; s < kTextColumns; ++s) renumber(out_.facets[s], out_.terms[s].sort());
    for (std::size_t i = 0; i < out_.numbers.size(); ++i) make_dictionary(i);
    const auto objects = out_.object_terms.sort();
    for (std::uint32_t& object : out_.objects) object = objects[object];
    out_.name_ranks = out_.names.sort();
    for (FieldCell& field : out_.fields) field.name = out_.name_ranks[field.name];
  }

 private:
  std::uint32_t& id(std::size_t facet) {
    auto& ids = out_.facets[facet];
    if (ids.empty()) ids.resize(out_.rows);
    return ids[row_];
  }

  void add(const Cell& cell) {
    const auto facet = static_cast<std::size_t>(cell.column);
    if (is_text_facet(facet)) {
      id(facet) = 1 + out_.terms[facet].add(cell.text);
    } else if (is_integer_facet(facet)) {
      id(facet) = 1;
      out_.numbers[facet - kTextColumns].push_back(cell.number);
    } else if (cell.column == Column::object) {
      ++id(kFacetObjects);
      out_.objects.push_back(out_.object_terms.add(cell.text));
    } else if (cell.column == Column::text) {
      add_text(cell.text);
    } else if (cell.column == Column::id) {
      if (const auto repeat = repeat_of_id(view_)) {
        id(kFacetId) = kFirstComputedId + *repeat;
      } else {
        id(kFacetId) = kStoredId;
        out_.ids += cell.text;
      }
    } else {
      const std::uint32_t name = out_.names.add(cell.name);
      shape_.push_back(name * 4 + static_cast<std::uint32_t>(cell.form));
      out_.fields.push_back({name, row_, cell.text});
    }
  }

  void add_text(std::string_view text) {
    GatheredTexts& t = out_.texts;
    GatheredTexts::Text& added = t.texts.emplace_back(text, row_, GatheredTexts::kNone);
    if (text.size() > kSplitBytesMax || !splitter_.split(text)) return;
    added.pattern = t.patterns.add_copy(splitter_.pattern(), out_.arena);
    added.first = static_cast<std::uint32_t>(t.sizes.size());
    added.at = static_cast<std::uint32_t>(t.variables.size());
    added.count = static_cast<std::uint32_t>(splitter_.variables().size());
    std::byte* const begin = t.variables.reserve(text.size());
    std::byte* to = begin;
    for (const std::string_view variable : splitter_.variables()) {
      to = copy_word(variable, to);
      t.sizes.push_back(static_cast<std::uint32_t>(variable.size()));
    }
    added.bytes = static_cast<std::uint32_t>(to - begin);
    t.variables.advance(added.bytes);
  }

  // Ids are 1 + a number.
  static void renumber(std::vector<std::uint32_t>& ids, const std::vector<std::uint32_t>& ranks) {
    for (std::uint32_t& id : ids) id = id == 0 ? 0 : 1 + ranks[id - 1];
  }

  // Of the integers of a facet, unless they are too many.
  void make_dictionary(std::size_t i) {
    auto& numbers = out_.numbers[i];
    if (numbers.empty()) return;
    Interner distinct;
    const std::size_t most = std::min(kIntegerTermsMax, numbers.size() / 4 + 1);
    std::vector<std::uint32_t> firsts;
    firsts.reserve(numbers.size());
    std::int64_t before = numbers[0];
    for (const std::int64_t& number : numbers) {
      if (!firsts.empty() && number == before) {
        firsts.push_back(firsts.back());
        continue;
      }
      before = number;
      firsts.push_back(distinct.add({reinterpret_cast<const char*>(&number), sizeof number}));
      if (distinct.terms().size() > most) {
        out_.plain[i] = true;
        return;
      }
    }
    std::vector<std::int64_t> sorted;
    for (const auto term : distinct.terms()) sorted.push_back(load_le<std::int64_t>(term.data()));
    const auto first = sorted;
    std::ranges::sort(sorted);
    std::vector<std::uint32_t> ranks;
    ranks.reserve(first.size());
    for (const std::int64_t number : first) {
      ranks.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(sorted, number) - sorted.begin()));
    }
    std::size_t next = 0;
    for (std::uint32_t& id : out_.facets[kTextColumns + i]) id = id == 0 ? 0 : 1 + ranks[firsts[next++]];
    numbers = std::move(sorted);
  }

  Gathered& out_;
  RowView view_;
  std::uint32_t row_ = 0;  // its number
  std::vector<std::uint32_t> shape_;
  Splitter splitter_;
};

}  // namespace

Status gather(std::span<const RowView> rows, Gathered& out) {
  if (rows.empty() || rows.size() > kRowsMax) {
    return fail(Code::invalid, "a block has 1 to 65536 messages, not " + std::to_string(rows.size()));
  }
  std::size_t bytes = 0, cells = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bytes += rows[i].bytes();
    cells += rows[i].cells();
    if (i > 0 && time_order(rows[i]) < time_order(rows[i - 1])) {
      return fail(Code::invalid, "message " + std::to_string(i) + " of a block is before the one in front of it");
    }
  }
  if (bytes > kBlockBytesMax)
    return fail(Code::too_large, "messages of " + std::to_string(bytes) + " bytes in a block");
  out.rows = rows.size();
  for (auto* const column : {&out.times, &out.nanos, &out.arrivals}) column->resize(rows.size());
  // Room that is not used costs nothing; what grows is copied, to memory that has to be cleared first.
  out.texts.texts.reserve(rows.size());
  out.fields.reserve(cells);
  Gatherer gatherer(out);
  for (std::size_t i = 0; i < rows.size(); ++i) gatherer.add(rows[i], static_cast<std::uint32_t>(i));
  gatherer.finish();
  return {};
}

}  // namespace varve::message::block
