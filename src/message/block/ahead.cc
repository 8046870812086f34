// SPDX-License-Identifier: Apache-2.0
#include "message/block/ahead.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/sort_unique.h"
#include "message/block/literals.h"
#include "message/block/word_filter.h"
#include "message/id.h"

namespace varve::message::block {

void Ahead::part(PartKind kind, std::size_t number) { columns_.head().directory.add_sections(kind, number, sections_); }

void Ahead::facet(std::size_t facet) {
  const auto& bundles = columns_.head().bundles;
  const auto has = [facet](const BundleHead& bundle) {
    return std::ranges::find(bundle.facets, facet) != bundle.facets.end();
  };
  const auto bundle = std::ranges::find_if(bundles, has);
  if (bundle == bundles.end()) return;
  const auto number = static_cast<std::size_t>(bundle - bundles.begin());
  part(PartKind::table, number);
  part(PartKind::entries, number);
}

// Of a facet that is a column.
void Ahead::cells_of(std::size_t facet) {
  this->facet(facet);
  part(PartKind::dictionary, facet);
  part(PartKind::integers, facet);
  if (facet == kFacetObjects) part(PartKind::objects);
}

void Ahead::fields() {
  part(PartKind::field_names);
  part(PartKind::shapes);
  facet(kFacetShape);
}

void Ahead::text(const Term& term) {
  part(PartKind::templates);
  part(PartKind::text_index);
  facet(kFacetTemplate);
  const std::size_t filters = columns_.head().directory.count(PartKind::word_filter);
  const auto words = term.op == Op::word ? std::vector{term.text} : literals_of(term).words;
  for (const std::string& word : words) {
    if (filters != 0 && word.size() >= kFilterWordMin) part(PartKind::word_filter, hash_of_word(lower(word)) % filters);
  }
}

void Ahead::term(const Term& term) {
  const Head& head = columns_.head();
  switch (term.column) {
    case Column::time:
      if (term.low > head.first_us || term.high < head.last_us) part(PartKind::times);
      return;
    case Column::id:
      facet(kFacetId);
      part(PartKind::ids);
      if (time_of_made_id(term.text, head.first_us, head.last_us)) part(PartKind::times);
      return;
    case Column::field: return fields();
    case Column::text: return text(term);
    default: return column(term.column);
  }
}

void Ahead::condition(const Condition& condition) {
  if (!is_far_) return;
  if (condition.kind == Condition::Kind::term) return term(condition.term);
  for (const Condition& one : condition.parts) this->condition(one);
}

void Ahead::times() {
  if (is_far_) part(PartKind::times);
}

void Ahead::nanos() {
  if (is_far_) part(PartKind::nanos);
}

void Ahead::column(Column column) {
  if (!is_far_) return;
  switch (column) {
    case Column::time: return times();
    case Column::field: return fields();
    case Column::object: return cells_of(kFacetObjects);
    case Column::id:
    case Column::text: return;
    default: return cells_of(facet_of(column));
  }
}

void Ahead::rows() {
  if (!is_far_) return;
  for (const PartKind kind : {PartKind::times, PartKind::nanos, PartKind::arrivals, PartKind::ids, PartKind::templates,
                              PartKind::text_index}) {
    part(kind);
  }
  for (std::size_t facet = 0; facet <= kFacetObjects; ++facet) cells_of(facet);
  for (std::size_t bundle = 0; bundle < columns_.head().bundles.size(); ++bundle) {
    part(PartKind::table, bundle);
    part(PartKind::entries, bundle);
  }
  for (std::size_t i = 0, count = columns_.head().directory.count(PartKind::field_values); i < count; ++i) {
    part(PartKind::field_values, i);
  }
  fields();
}

void Ahead::frame(std::size_t number) {
  if (!is_far_) return;
  part(PartKind::text_frame, number);
  is_text_ = true;
}

void Ahead::fetch() {
  if (sections_.empty()) return;
  sort_unique(sections_);
  columns_.sections().fetch(sections_, is_text_);
  sections_.clear();
}

}  // namespace varve::message::block
