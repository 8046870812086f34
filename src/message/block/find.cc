// SPDX-License-Identifier: Apache-2.0
#include "message/block/find.h"

#include <algorithm>

#include "message/block/ahead.h"
#include "message/block/block_state.h"
#include "message/block/rows.h"
#include "message/id.h"
#include "message/matches.h"

namespace varve::message::block {
namespace {

// How much of a block an evaluation reads, about.
int cost_of(const Condition& condition) {
  if (condition.kind == Condition::Kind::term) {
    switch (condition.term.column) {
      case Column::text: return condition.term.op == Op::word ? 3 : 4;
      case Column::field: return 2;
      case Column::object: return 1;
      case Column::id: return 3;  // some texts are read
      default: return 0;
    }
  }
  int most = 0;
  for (const Condition& part : condition.parts) most = std::max(most, cost_of(part));
  return most;
}

}  // namespace

Result<std::vector<std::uint8_t>> Finder::fulfilling(const Term& term, std::size_t facet) {
  std::vector<std::uint8_t> wanted;
  VARVE_ASSIGN_OR_RETURN(const Terms* terms, columns_.terms_unloaded(facet));
  const bool is_element = term.op == Op::contains && term.column == Column::object;
  if (term.op == Op::equal || term.op == Op::not_equal || term.op == Op::prefix || is_element) {
    const auto range = term.op == Op::prefix ? terms->with_prefix(term.text) : terms->equal(term.text);
    if (!range || range->begin > range->end) return fail(corrupt_part(PartKind::dictionary));
    if (range->empty()) return wanted;
    wanted.resize(terms->size());
    std::fill(wanted.begin() + range->begin, wanted.begin() + range->end, std::uint8_t{1});
    return wanted;
  }
  VARVE_ASSIGN_OR_RETURN(terms, columns_.terms(facet));
  wanted.resize(terms->size());
  for (std::size_t i = 0; i < terms->size(); ++i) wanted[i] = cell_fulfils(term, (*terms)[i]) ? 1 : 0;
  if (std::ranges::find(wanted, 1) == wanted.end()) wanted.clear();
  return wanted;
}

Result<Bitmap> Finder::find(const Condition& condition, const Bitmap& among) {
  if (among.none()) return among;
  switch (condition.kind) {
    case Condition::Kind::all: return all_of(condition.parts, among);
    case Condition::Kind::any: return any_of(condition.parts, among);
    case Condition::Kind::none: {
      VARVE_ASSIGN_OR_RETURN(const Bitmap found, any_of(condition.parts, among));
      Bitmap rest = among;
      rest -= found;
      return rest;
    }
    case Condition::Kind::term: break;
  }
  VARVE_ASSIGN_OR_RETURN(Bitmap found, with_cell(condition.term, among));
  if (negates(condition.term.op)) found.flip();
  found &= among;
  return found;
}

Result<Bitmap> Finder::all_of(const std::vector<Condition>& parts, const Bitmap& among) {
  std::vector<const Condition*> order;
  order.reserve(parts.size());
  for (const Condition& part : parts) order.push_back(&part);
  std::ranges::stable_sort(order, {}, [](const Condition* part) { return cost_of(*part); });
  Bitmap left = among;
  for (const Condition* const part : order) {
    VARVE_ASSIGN_OR_RETURN(left, find(*part, left));
    if (left.none()) break;
  }
  return left;
}

Result<Bitmap> Finder::any_of(const std::vector<Condition>& parts, const Bitmap& among) {
  Bitmap found(among.size());
  Bitmap left = among;
  for (const Condition& part : parts) {
    VARVE_ASSIGN_OR_RETURN(const Bitmap more, find(part, left));
    found |= more;
    left -= more;
    if (left.none()) break;
  }
  return found;
}

Result<Bitmap> Finder::with_cell(const Term& term, const Bitmap& among) {
  switch (term.column) {
    case Column::time: return in_times(term);
    case Column::object: return in_objects(term);
    case Column::id: return in_ids(term);
    case Column::field: return in_field(term);
    case Column::text: return find_in_text(term, among, columns_, texts_);
    default: return is_integer(term.column) ? in_integers(term) : in_texts_column(term);
  }
}

Result<Bitmap> Finder::with_ids(std::size_t facet, const std::vector<std::uint8_t>& wanted) {
  Bitmap found(columns_.rows());
  VARVE_ASSIGN_OR_RETURN(const ReadBundle* bundle, columns_.bundle_of(facet, false));
  if (bundle == nullptr) return found;
  std::vector<std::uint8_t> entries = wanted;
  if (const auto* const table = Columns::table_of(*bundle, facet); table != nullptr) {
    entries.resize(bundle->size);
    for (std::size_t e = 0; e < bundle->size; ++e) entries[e] = wanted[(*table)[e]];
  }
  if (std::ranges::find(entries, 1) == entries.end()) return found;
  VARVE_ASSIGN_OR_RETURN(bundle, columns_.bundle_of(facet, true));
  const std::uint32_t* const of_row = bundle->entries.data();
  const std::uint8_t* const is_wanted = entries.data();
  return Bitmap::where(columns_.rows(), [=](std::size_t row) { return is_wanted[of_row[row]] != 0; });
}

Result<Bitmap> Finder::in_times(const Term& term) {
  Bitmap found(columns_.rows());
  const Head& head = columns_.head();
  if (term.low > head.last_us || term.high < head.first_us) return found;
  if (term.low <= head.first_us && term.high >= head.last_us) return Bitmap(columns_.rows(), true);
  VARVE_ASSIGN_OR_RETURN(const auto* const times, columns_.times());
  const auto begin = std::ranges::lower_bound(*times, term.low) - times->begin();
  const auto end = std::ranges::upper_bound(*times, term.high) - times->begin();
  for (auto row = begin; row < end; ++row) found.set(static_cast<std::size_t>(row));
  return found;
}

Result<Bitmap> Finder::in_texts_column(const Term& term) {
  const std::size_t facet = facet_of(term.column);
  if (columns_.head().terms[facet] == 0) return Bitmap(columns_.rows());
  VARVE_ASSIGN_OR_RETURN(auto wanted, fulfilling(term, facet));
  if (wanted.empty()) return Bitmap(columns_.rows());
  wanted.insert(wanted.begin(), 0);
  return with_ids(facet, wanted);
}

Result<Bitmap> Finder::in_integers(const Term& term) {
  const std::size_t facet = facet_of(term.column);
  const IntegerRange& range = columns_.head().integers[facet - kTextColumns];
  if (!range.any || term.low > range.max || term.high < range.min) return Bitmap(columns_.rows());
  VARVE_ASSIGN_OR_RETURN(const auto* const numbers, columns_.numbers(facet));
  if (!range.plain) {
    std::vector<std::uint8_t> wanted{0};
    for (const std::int64_t number : *numbers) wanted.push_back(cell_fulfils(term, number) ? 1 : 0);
    return with_ids(facet, wanted);
  }
  Bitmap found(columns_.rows());
  VARVE_ASSIGN_OR_RETURN(const auto* const ranks, columns_.ranks(facet));
  for (std::size_t row = 0; row < columns_.rows(); ++row) {
    const std::uint32_t rank = (*ranks)[row];
    if ((*ranks)[row + 1] != rank) found.set_if(row, cell_fulfils(term, (*numbers)[rank]));
  }
  return found;
}

Result<Bitmap> Finder::in_objects(const Term& term) {
  Bitmap found(columns_.rows());
  if (columns_.head().object_terms == 0) return found;
  VARVE_ASSIGN_OR_RETURN(const auto wanted, fulfilling(term, kFacetObjects));
  if (wanted.empty()) return found;
  VARVE_ASSIGN_OR_RETURN(const auto* const rows, columns_.object_rows());
  for (std::size_t t = 0; t < wanted.size(); ++t) {
    if (wanted[t] == 0) continue;
    for (const std::uint16_t row : rows->of(t)) found.set(row);
  }
  return found;
}

Result<Bitmap> Finder::in_ids(const Term& term) {
  VARVE_ASSIGN_OR_RETURN(Bitmap found, in_stored_ids(term));
  VARVE_ASSIGN_OR_RETURN(const auto* const candidates, rows_at_time_of(term.text));
  if (candidates == nullptr) return found;
  for (const RowWithId& one :
       std::ranges::equal_range(*candidates, std::string_view(term.text), {}, &RowWithId::text)) {
    found.set(one.row);
  }
  return found;
}

// nullptr: the block has no such time.
Result<const std::vector<Finder::RowWithId>*> Finder::rows_at_time_of(std::string_view id) {
  const Head& head = columns_.head();
  const auto at = time_of_made_id(id, head.first_us, head.last_us);
  if (!at) return nullptr;
  if (const auto known = ids_at_.find(at->first_us); known != ids_at_.end()) return &known->second;
  VARVE_ASSIGN_OR_RETURN(const auto* const times, columns_.times());
  VARVE_ASSIGN_OR_RETURN(const FacetColumn kinds, columns_.facet(kFacetId));
  const auto begin = std::ranges::lower_bound(*times, at->first_us) - times->begin();
  const auto end = std::ranges::upper_bound(*times, at->last_us) - times->begin();
  std::vector<std::uint32_t> rows;
  for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
    if (kinds[row] != kStoredId) rows.push_back(row);
  }
  std::vector<RowWithId> ids;
  VARVE_RETURN_IF_ERROR(read_ids(rows, ids));
  std::ranges::sort(ids, {}, &RowWithId::text);
  return &ids_at_.emplace(at->first_us, std::move(ids)).first->second;
}

Status Finder::read_ids(std::span<const std::uint32_t> rows, std::vector<RowWithId>& out) {
  constexpr std::size_t kRowsAtOnce = 4096;  // all of them put together would take much memory
  Batch some;
  while (!rows.empty()) {
    const auto now = rows.first(std::min(rows.size(), kRowsAtOnce));
    rows = rows.subspan(now.size());
    some.clear();
    VARVE_RETURN_IF_ERROR(add_rows(now, columns_, fields_, texts_, some));
    const std::byte* at = some.bytes().data();
    for (const std::uint32_t row : now) {
      out.push_back({id_of(RowView{at}), row});
      at += RowView{at}.bytes();
    }
  }
  return {};
}

Result<Bitmap> Finder::in_stored_ids(const Term& term) {
  Bitmap found(columns_.rows());
  if (!columns_.has(PartKind::ids)) return found;
  VARVE_ASSIGN_OR_RETURN(const auto* const ranks, columns_.ranks(kFacetId));
  VARVE_ASSIGN_OR_RETURN(const std::string_view ids, columns_.ids());
  for (std::size_t row = 0; row < columns_.rows(); ++row) {
    const std::size_t rank = (*ranks)[row];
    if ((*ranks)[row + 1] != rank) found.set_if(row, cell_fulfils(term, ids.substr(rank * kIdBytes, kIdBytes)));
  }
  return found;
}

Result<Bitmap> Finder::in_field(const Term& term) {
  Bitmap found(columns_.rows());
  VARVE_ASSIGN_OR_RETURN(const auto name, fields_.find(term.field));
  if (!name) return found;
  VARVE_ASSIGN_OR_RETURN(const FieldValues* const values, fields_.values(*name));
  // Of dictionaries each term is judged once in each form: 0 not yet, 1 no, 2 yes.
  std::array<std::vector<std::uint8_t>, static_cast<std::size_t>(kLastFieldForm) + 1> judged;
  for (auto& one : judged) one.assign(values->terms() == nullptr ? 0 : values->terms()->size(), 0);
  const auto fulfils = [&](FieldForm form, std::size_t i) {
    if (values->terms() == nullptr) return field_fulfils(term, form, (*values)[i]);
    std::uint8_t& known = judged[static_cast<std::size_t>(form)][values->id(i)];
    if (known == 0) known = field_fulfils(term, form, (*values)[i]) ? 2 : 1;
    return known == 2;
  };
  VARVE_ASSIGN_OR_RETURN(const FacetColumn ids, columns_.facet(kFacetShape));
  std::vector<std::vector<FieldForm>> forms(fields_.shapes() + 1);  // of the field in each shape
  for (std::size_t s = 0; s < fields_.shapes(); ++s) {
    VARVE_ASSIGN_OR_RETURN(const auto shape, fields_.shape(s));
    for (const ShapeCell& cell : shape) {
      if (cell.name == *name) forms[s + 1].push_back(cell.form);
    }
  }
  std::size_t next = 0;
  for (std::size_t row = 0; row < columns_.rows(); ++row) {
    bool any = false;
    for (const FieldForm form : forms[ids[row]]) {
      if (next == values->size()) return fail(corrupt_part(PartKind::field_names));
      any |= fulfils(form, next++);
    }
    found.set_if(row, any);
  }
  return found;
}

void Block::expect(const Condition& condition) {
  Ahead ahead(state_->columns);
  ahead.times();
  ahead.condition(condition);
  ahead.fetch();
}

Result<Bitmap> Block::find(const Condition& condition) { return find(condition, Bitmap(messages(), true)); }

Result<Bitmap> Block::find(const Condition& condition, const Bitmap& among) {
  check(among.size() == messages(), "a bitmap of this block");
  Ahead ahead(state_->columns);
  ahead.condition(condition);
  ahead.fetch();
  return Finder(state_->columns, state_->fields, state_->texts).find(condition, among);
}

}  // namespace varve::message::block
