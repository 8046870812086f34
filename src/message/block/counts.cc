// SPDX-License-Identifier: Apache-2.0
// Distinct terms and how many messages have them: from tables and dictionaries, without a text.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/check.h"
#include "message/block/ahead.h"
#include "message/block/block_state.h"

namespace varve::message::block {
namespace {

using Counted = std::vector<Block::Count>;

class Counter {
 public:
  Counter(Columns& columns, Fields& fields, const Bitmap* among) : columns_(columns), fields_(fields), among_(among) {}

  // Messages by id of a facet.
  Result<std::vector<std::size_t>> by_id(std::size_t facet) {
    std::vector<std::size_t> counts(columns_.head().limits()[facet]);
    VARVE_ASSIGN_OR_RETURN(const ReadBundle* bundle, columns_.bundle_of(facet, false));
    if (bundle == nullptr) return counts;
    std::vector<std::size_t> entries(bundle->counts.begin(), bundle->counts.end());
    if (among_ != nullptr || bundle->single()) {
      VARVE_ASSIGN_OR_RETURN(bundle, columns_.bundle_of(facet, true));
      entries.assign(bundle->size, 0);
      for_each_row([&](std::size_t row) { ++entries[bundle->entries[row]]; });
    }
    const auto* const table = Columns::table_of(*bundle, facet);
    for (std::size_t e = 0; e < entries.size(); ++e) counts[table == nullptr ? e : (*table)[e]] += entries[e];
    return counts;
  }

  Result<Counted> texts(std::size_t facet) {
    Counted out;
    if (columns_.head().terms[facet] == 0) return out;
    VARVE_ASSIGN_OR_RETURN(const Terms* const terms, columns_.terms(facet));
    VARVE_ASSIGN_OR_RETURN(const auto counts, by_id(facet));
    for (std::size_t t = 0; t < terms->size(); ++t) {
      if (counts[t + 1] != 0) out.push_back({std::string((*terms)[t]), counts[t + 1]});
    }
    return out;
  }

  Result<Counted> integers(std::size_t facet) {
    Counted out;
    const IntegerRange& range = columns_.head().integers[facet - kTextColumns];
    if (!range.any) return out;
    VARVE_ASSIGN_OR_RETURN(const auto* const numbers, columns_.numbers(facet));
    std::map<std::int64_t, std::size_t> counts;
    if (range.plain) {
      VARVE_ASSIGN_OR_RETURN(const auto* const ranks, columns_.ranks(facet));
      for_each_row([&](std::size_t row) {
        if ((*ranks)[row + 1] != (*ranks)[row]) ++counts[(*numbers)[(*ranks)[row]]];
      });
    } else {
      VARVE_ASSIGN_OR_RETURN(const auto by_ids, by_id(facet));
      for (std::size_t i = 0; i < numbers->size(); ++i) {
        if (by_ids[i + 1] != 0) counts[(*numbers)[i]] += by_ids[i + 1];
      }
    }
    for (const auto& [number, count] : counts) out.push_back({std::to_string(number), count});
    return out;
  }

  Result<Counted> objects() {
    Counted out;
    if (columns_.head().object_terms == 0) return out;
    VARVE_ASSIGN_OR_RETURN(const Terms* const terms, columns_.terms(kFacetObjects));
    VARVE_ASSIGN_OR_RETURN(const auto* const ranks, columns_.ranks(kFacetObjects));
    VARVE_ASSIGN_OR_RETURN(const auto* const objects, columns_.objects());
    OncePerRow counts(terms->size());
    for_each_row([&](std::size_t row) {
      for (std::uint32_t i = (*ranks)[row]; i < (*ranks)[row + 1]; ++i) counts.add((*objects)[i], row);
    });
    for (std::size_t t = 0; t < terms->size(); ++t) {
      if (counts[t] != 0) out.push_back({std::string((*terms)[t]), counts[t]});
    }
    return out;
  }

  Result<Counted> field(std::string_view name) {
    Counted out;
    VARVE_ASSIGN_OR_RETURN(const auto number, fields_.find(name));
    if (!number) return out;
    VARVE_ASSIGN_OR_RETURN(const FieldValues* const values, fields_.values(*number));
    std::vector<std::uint32_t> ids(values->size());  // of each value, and the term of each id
    std::vector<std::string_view> terms;
    number_values(*values, ids, terms);
    VARVE_ASSIGN_OR_RETURN(const FacetColumn facet, columns_.facet(kFacetShape));
    std::vector<std::uint32_t> cells(fields_.shapes() + 1);  // with the field, in each shape
    for (std::size_t s = 0; s < fields_.shapes(); ++s) {
      VARVE_ASSIGN_OR_RETURN(const auto shape, fields_.shape(s));
      cells[s + 1] = static_cast<std::uint32_t>(std::ranges::count(shape, *number, &ShapeCell::name));
    }
    OncePerRow counts(terms.size());
    std::size_t next = 0;
    for (std::size_t row = 0; row < columns_.rows(); ++row) {
      const std::size_t end = next + cells[facet[row]];
      if (end > ids.size()) return fail(corrupt_part(PartKind::field_names));
      for (; next < end; ++next) {
        if (among_ == nullptr || among_->test(row)) counts.add(ids[next], row);
      }
    }
    for (std::size_t t = 0; t < terms.size(); ++t) {
      if (counts[t] != 0) out.push_back({std::string(terms[t]), counts[t]});
    }
    std::ranges::sort(out, {}, &Block::Count::term);
    return out;
  }

 private:
  // A term that a message has twice counts once.
  class OncePerRow {
   public:
    explicit OncePerRow(std::size_t terms) : counts_(terms), last_(terms, ~std::size_t{0}) {}
    void add(std::uint32_t term, std::size_t row) {
      counts_[term] += last_[term] != row ? 1U : 0U;
      last_[term] = row;
    }
    std::size_t operator[](std::size_t term) const { return counts_[term]; }

   private:
    std::vector<std::size_t> counts_;
    std::vector<std::size_t> last_;
  };

  static void number_values(const FieldValues& values, std::vector<std::uint32_t>& ids,
                            std::vector<std::string_view>& terms) {
    if (const Terms* const known = values.terms(); known != nullptr) {
      for (std::size_t t = 0; t < known->size(); ++t) terms.push_back((*known)[t]);
      for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = values.id(i);
      return;
    }
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto [at, is_new] = numbers.try_emplace(values[i], static_cast<std::uint32_t>(terms.size()));
      if (is_new) terms.push_back(values[i]);
      ids[i] = at->second;
    }
  }

  template <class Each>
  void for_each_row(const Each& each) const {
    if (among_ != nullptr) return among_->for_each(each);
    for (std::size_t row = 0; row < columns_.rows(); ++row) each(row);
  }

  Columns& columns_;
  Fields& fields_;
  const Bitmap* among_;
};

}  // namespace

Result<std::vector<Block::Count>> Block::counts(Column column, std::string_view field, const Bitmap* among) {
  check(among == nullptr || among->size() == messages(), "a bitmap of this block");
  Ahead ahead(state_->columns);
  ahead.column(column);
  ahead.fetch();
  Counter counter(state_->columns, state_->fields, among);
  const std::size_t facet = facet_of(column);
  if (is_text_facet(facet)) return counter.texts(facet);
  if (is_integer_facet(facet)) return counter.integers(facet);
  if (column == Column::object) return counter.objects();
  check(column == Column::field, "a column that has counts");
  return counter.field(field);
}

Result<std::vector<std::string>> Block::terms(Column column, std::string_view prefix) {
  const std::size_t facet = facet_of(column);
  check(is_text_facet(facet) || column == Column::object, "a column with a dictionary of texts");
  std::vector<std::string> out;
  const Head& head = state_->columns.head();
  if ((is_text_facet(facet) ? head.terms[facet] : head.object_terms) == 0) return out;
  VARVE_ASSIGN_OR_RETURN(const Terms* const terms, state_->columns.terms(facet));
  const auto range = terms->with_prefix(prefix);
  if (!range) return fail(corrupt_part(PartKind::dictionary));
  for (std::uint32_t t = range->begin; t < range->end; ++t) out.emplace_back((*terms)[t]);
  return out;
}

}  // namespace varve::message::block
