// SPDX-License-Identifier: Apache-2.0
// Messages grouped by columns. What is counted first are the entries of bundles, which are few, and where all messages
// of the block are asked for and one bundle has all columns, they are counted already. Only then groups are made of
// entries.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "message/block/ahead.h"
#include "message/block/block_state.h"
#include "message/block/time_windows.h"

namespace varve::message::block {
namespace {

constexpr std::size_t kDenseKeys = std::size_t{1} << 18;

using Ids = std::vector<std::uint32_t>;  // of one group, by column

// Does a message have the field twice? Its facet says one of the values only.
Result<bool> is_repeated(Fields& fields, std::uint32_t name) {
  for (std::size_t s = 0; s < fields.shapes(); ++s) {
    VARVE_ASSIGN_OR_RETURN(const auto cells, fields.shape(s));
    if (std::ranges::count(cells, name, &ShapeCell::name) > 1) return true;
  }
  return false;
}

// A column that groups: which id an entry of its bundle has, and the cell that the id stands for.
class Grouping {
 public:
  Grouping(const GroupColumn& asked, std::size_t facet) : asked_(asked), facet_(facet) {}

  // False: its ids are not in a bundle, or are not all that messages say.
  Result<bool> open(Columns& columns, Fields& fields) {
    VARVE_ASSIGN_OR_RETURN(bundle_, columns.bundle_of(facet_, false));
    if (bundle_ == nullptr) return true;  // no message has it
    table_ = Columns::table_of(*bundle_, facet_);
    if (is_integer_facet(facet_)) {
      if (columns.head().integers[facet_ - kTextColumns].plain) return false;
      VARVE_ASSIGN_OR_RETURN(numbers_, columns.numbers(facet_));
      return true;
    }
    if (facet_ >= kFixedFacets) {
      VARVE_ASSIGN_OR_RETURN(const auto name, fields.find(asked_.field));
      VARVE_ASSIGN_OR_RETURN(const bool repeated, is_repeated(fields, *name));
      if (repeated) return false;
      VARVE_ASSIGN_OR_RETURN(const FieldValues* const values, fields.values(*name));
      terms_ = values->terms();
      return terms_ != nullptr;
    }
    VARVE_ASSIGN_OR_RETURN(terms_, columns.terms(facet_));
    return true;
  }

  [[nodiscard]] const GroupColumn& asked() const { return asked_; }
  [[nodiscard]] const ReadBundle* bundle() const { return bundle_; }
  [[nodiscard]] std::size_t facet() const { return facet_; }
  [[nodiscard]] std::uint32_t id_of(std::size_t entry) const {
    return table_ == nullptr ? static_cast<std::uint32_t>(entry) : (*table_)[entry];
  }
  // Of a column but a field. `id`: not 0. False: the block is malformed.
  [[nodiscard]] bool put(std::uint32_t id, Builder& row) const {
    if (numbers_ != nullptr) {
      if (id > numbers_->size()) return false;
      row.set(asked_.column, (*numbers_)[id - 1]);
      return true;
    }
    return id <= terms_->size() && row.set(asked_.column, (*terms_)[id - 1]).has_value();
  }
  [[nodiscard]] std::string_view text(std::uint32_t id) const { return (*terms_)[id - 1]; }

 private:
  const GroupColumn& asked_;
  const std::size_t facet_;
  const ReadBundle* bundle_ = nullptr;
  const std::vector<std::uint32_t>* table_ = nullptr;
  const Terms* terms_ = nullptr;
  const std::vector<std::int64_t>* numbers_ = nullptr;
};

// Counts keys, each below the limit.
class KeyCounts {
 public:
  explicit KeyCounts(std::uint64_t limit) : dense_(limit <= kDenseKeys ? limit : 0) {}
  void add(std::uint64_t key, std::uint64_t times = 1) {
    if (dense_.empty()) {
      sparse_[key] += times;
    } else {
      dense_[key] += times;
    }
  }
  template <class Each>
  void for_each(const Each& each) const {
    for (std::size_t key = 0; key < dense_.size(); ++key) {
      if (dense_[key] != 0) each(key, dense_[key]);
    }
    for (const auto& [key, times] : sparse_) each(key, times);
  }

 private:
  std::vector<std::uint64_t> dense_;
  std::unordered_map<std::uint64_t, std::uint64_t> sparse_;
};

class Grouper {
 public:
  Grouper(Columns& columns, Fields& fields, const Bitmap& among, std::vector<std::uint32_t>* of_row)
      : columns_(columns), fields_(fields), among_(among), of_row_(of_row) {}

  // False: the block cannot tell.
  Result<bool> open(std::span<const GroupColumn> asked);
  Status count();
  // Of the groups.
  Status finish(Batch& out, std::vector<std::uint64_t>& times);

 private:
  Result<bool> add(const GroupColumn& asked);
  Status join_shapes();
  Status count_rows(KeyCounts& counts);
  void set_limits();
  const Ids& ids_of(std::uint64_t key);
  void add_groups(const KeyCounts& counts);
  void number_rows();
  Status put(const Ids& ids, Builder& row);
  Result<FieldForm> form_of(const Grouping& field, std::uint32_t shape);
  [[nodiscard]] std::size_t place_of(const ReadBundle* bundle) const {
    return static_cast<std::size_t>(std::ranges::find(bundles_, bundle) - bundles_.begin());
  }

  Columns& columns_;
  Fields& fields_;
  const Bitmap& among_;
  std::vector<Grouping> groupings_;
  const ReadBundle* shapes_ = nullptr;      // the form of a field is part of its value
  std::vector<std::uint32_t> shape_of_;     // by shape: the first in which the fields have the same forms
  std::vector<const ReadBundle*> bundles_;  // that they are in
  TimeWindows windows_;
  bool by_nanos_ = false;              // else they begin at whole microseconds
  std::vector<std::uint64_t> limits_;  // of ids of a group: of the columns, of the shape, and the windows
  std::uint64_t packed_limit_ = 0;     // ids of a group as one number are less; 0: they make none
  std::vector<std::size_t> entries_;   // of ids_of()
  Ids ids_;
  struct Group {
    std::uint64_t times = 0;
    std::uint32_t number = 0;  // in order
  };
  std::map<Ids, Group> groups_;
  std::vector<std::uint32_t>* const of_row_;
  std::vector<std::uint64_t> keys_;  // by row; if groups of rows are asked for
};

Result<bool> Grouper::add(const GroupColumn& asked) {
  if (asked.column == Column::time) {
    windows_ = TimeWindows(asked, columns_.head().first_us, columns_.head().last_us);
    by_nanos_ = asked.window_ns != 0;
    return windows_.count() <= columns_.rows() * 4;
  }
  std::size_t facet = facet_of(asked.column);
  if (asked.column == Column::field) {
    VARVE_ASSIGN_OR_RETURN(const auto name, fields_.find(asked.field));
    if (!name) return true;  // no message has it
    const auto& facets = columns_.head().field_facets;
    const auto at = std::ranges::find(facets, *name, &Head::FieldFacet::name);
    if (at == facets.end()) return false;
    facet = kFixedFacets + static_cast<std::size_t>(at - facets.begin());
  } else if (!is_text_facet(facet) && !is_integer_facet(facet)) {
    return false;
  }
  VARVE_ASSIGN_OR_RETURN(const bool good, groupings_.emplace_back(asked, facet).open(columns_, fields_));
  const ReadBundle* const bundle = groupings_.back().bundle();
  if (bundle == nullptr) groupings_.pop_back();
  if (good && bundle != nullptr && place_of(bundle) == bundles_.size()) bundles_.push_back(bundle);
  return good;
}

Result<bool> Grouper::open(std::span<const GroupColumn> asked) {
  for (const GroupColumn& one : asked) {
    VARVE_ASSIGN_OR_RETURN(const bool good, add(one));
    if (!good) return false;
  }
  const auto is_field = [](const Grouping& one) { return one.asked().column == Column::field; };
  if (std::ranges::any_of(groupings_, is_field)) {
    VARVE_ASSIGN_OR_RETURN(const ReadBundle* const bundle, columns_.bundle_of(kFacetShape, false));
    if (bundle == nullptr) return fail(corrupt_part(PartKind::shapes));
    shapes_ = bundle;
    VARVE_RETURN_IF_ERROR(join_shapes());
    if (place_of(bundle) == bundles_.size()) bundles_.push_back(bundle);
  }
  std::uint64_t limit = windows_.count();
  for (const ReadBundle* const bundle : bundles_) {
    if (bundle->size == 0 || limit > (~std::uint64_t{0} >> 1) / bundle->size) return false;
    limit *= bundle->size;
  }
  return true;
}

// Shapes that differ in what nobody asks for make no groups of their own.
Status Grouper::join_shapes() {
  std::vector<std::uint32_t> names;
  for (const Grouping& one : groupings_) {
    if (one.asked().column != Column::field) continue;
    VARVE_ASSIGN_OR_RETURN(const auto name, fields_.find(one.asked().field));
    names.push_back(*name);
  }
  std::map<std::vector<int>, std::uint32_t> first;
  shape_of_.assign(1, 0);
  for (std::size_t s = 0; s < fields_.shapes(); ++s) {
    VARVE_ASSIGN_OR_RETURN(const auto cells, fields_.shape(s));
    std::vector<int> forms;
    for (const std::uint32_t name : names) {
      const auto cell = std::ranges::find(cells, name, &ShapeCell::name);
      forms.push_back(cell == cells.end() ? -1 : static_cast<int>(cell->form));
    }
    shape_of_.push_back(first.try_emplace(std::move(forms), static_cast<std::uint32_t>(s + 1)).first->second);
  }
  return {};
}

Status Grouper::count_rows(KeyCounts& counts) {
  std::vector<std::uint64_t> keys(columns_.rows());
  if (windows_.count() > 1) {
    static const std::vector<std::int64_t> no_nanos;
    VARVE_ASSIGN_OR_RETURN(const auto* const times, columns_.times());
    const std::vector<std::int64_t>* nanos = &no_nanos;
    if (by_nanos_) {
      VARVE_ASSIGN_OR_RETURN(nanos, columns_.nanos());
    }
    windows_.number(*times, *nanos, keys);
  }
  for (const ReadBundle*& bundle : bundles_) {
    VARVE_ASSIGN_OR_RETURN(bundle, columns_.bundle_of(bundle->facets[0], true));
    for (std::size_t row = 0; row < keys.size(); ++row) keys[row] = keys[row] * bundle->size + bundle->entries[row];
  }
  among_.for_each([&](std::uint32_t row) { counts.add(keys[row]); });
  if (of_row_ != nullptr) keys_ = std::move(keys);
  return {};
}

void Grouper::set_limits() {
  const auto facets = columns_.head().limits();
  for (const Grouping& one : groupings_) limits_.push_back(facets[one.facet()]);
  limits_.push_back(facets[kFacetShape]);
  limits_.push_back(windows_.count());
  packed_limit_ = 1;
  for (const std::uint64_t limit : limits_) {
    const bool fits = packed_limit_ != 0 && limit != 0 && packed_limit_ <= (~std::uint64_t{0} >> 1) / limit;
    packed_limit_ = fits ? packed_limit_ * limit : 0;
  }
}

Status Grouper::count() {
  std::uint64_t limit = windows_.count();
  for (const ReadBundle* const bundle : bundles_) limit *= bundle->size;
  KeyCounts counts(limit);
  const std::size_t messages = among_.count();
  if (limit == 1 && of_row_ == nullptr) {
    counts.add(0, messages);
  } else if (of_row_ == nullptr && windows_.count() == 1 && bundles_.size() == 1 && !bundles_[0]->single() &&
             messages == columns_.rows()) {
    for (std::size_t entry = 0; entry < bundles_[0]->size; ++entry) counts.add(entry, bundles_[0]->counts[entry]);
  } else {
    VARVE_RETURN_IF_ERROR(count_rows(counts));
  }
  set_limits();
  add_groups(counts);
  return {};
}

// Valid until the next call.
const Ids& Grouper::ids_of(std::uint64_t key) {
  entries_.resize(bundles_.size());
  for (std::size_t b = bundles_.size(); b-- > 0; key /= bundles_[b]->size) entries_[b] = key % bundles_[b]->size;
  ids_.clear();
  bool has_field = false;
  for (const Grouping& one : groupings_) {
    ids_.push_back(one.id_of(entries_[place_of(one.bundle())]));
    has_field |= one.asked().column == Column::field && ids_.back() != 0;
  }
  std::uint32_t shape = 0;
  if (has_field) {
    const auto* const table = Columns::table_of(*shapes_, kFacetShape);
    const std::size_t entry = entries_[place_of(shapes_)];
    shape = table == nullptr ? static_cast<std::uint32_t>(entry) : (*table)[entry];
    if (shape < shape_of_.size()) shape = shape_of_[shape];  // else the block is malformed, as form_of() finds
  }
  ids_.push_back(shape);
  ids_.push_back(static_cast<std::uint32_t>(key));
  return ids_;
}

// Many keys are of the same group: their ids are added up as one number, where they make one.
void Grouper::add_groups(const KeyCounts& counts) {
  KeyCounts packed(packed_limit_);
  counts.for_each([&](std::uint64_t key, std::uint64_t times) {
    if (times == 0) return;
    const Ids& ids = ids_of(key);
    if (packed_limit_ == 0) {
      groups_[ids].times += times;
      return;
    }
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) number = number * limits_[i] + ids[i];
    packed.add(number, times);
  });
  packed.for_each([&](std::uint64_t number, std::uint64_t times) {
    Ids ids(limits_.size());
    for (std::size_t i = ids.size(); i-- > 0; number /= limits_[i]) {
      ids[i] = static_cast<std::uint32_t>(number % limits_[i]);
    }
    groups_[std::move(ids)].times += times;
  });
}

void Grouper::number_rows() {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  of_row_->assign(columns_.rows(), 0);
  among_.for_each([&](std::uint32_t row) {
    const auto [group, is_new] = known.try_emplace(keys_[row]);
    if (is_new) {
      const auto at = groups_.find(ids_of(keys_[row]));
      check(at != groups_.end(), "a group of each message");
      group->second = at->second.number;
    }
    (*of_row_)[row] = group->second;
  });
}

Result<FieldForm> Grouper::form_of(const Grouping& field, std::uint32_t shape) {
  VARVE_ASSIGN_OR_RETURN(const auto name, fields_.find(field.asked().field));
  if (shape == 0) return fail(corrupt_part(PartKind::shapes));
  VARVE_ASSIGN_OR_RETURN(const auto cells, fields_.shape(shape - 1));
  const auto cell = std::ranges::find(cells, *name, &ShapeCell::name);
  if (cell == cells.end()) return fail(corrupt_part(PartKind::shapes));
  return cell->form;
}

Status Grouper::put(const Ids& ids, Builder& row) {
  row.start();
  for (std::size_t i = 0; i < groupings_.size(); ++i) {
    if (ids[i] == 0) continue;
    const Grouping& one = groupings_[i];
    if (one.asked().column == Column::field) {
      VARVE_ASSIGN_OR_RETURN(const FieldForm form, form_of(one, ids[groupings_.size()]));
      VARVE_RETURN_IF_ERROR(row.add_field(one.asked().field, form, one.text(ids[i])));
    } else if (!one.put(ids[i], row)) {
      return fail(corrupt_part(PartKind::dictionary));
    }
  }
  const auto [us, nanos] =
      windows_.count() == 1 ? TimeWindows::Time{columns_.head().first_us, 0} : windows_.time_in(ids.back());
  row.finish(us, nanos);
  return {};
}

Status Grouper::finish(Batch& out, std::vector<std::uint64_t>& times) {
  Builder row(out);
  std::uint32_t number = 0;
  for (auto& [ids, group] : groups_) {
    VARVE_RETURN_IF_ERROR(put(ids, row));
    times.push_back(group.times);
    group.number = number++;
  }
  if (of_row_ != nullptr) number_rows();
  return {};
}

}  // namespace

Result<bool> Block::groups(std::span<const GroupColumn> columns, const Bitmap& among, Batch& out,
                           std::vector<std::uint64_t>& times, std::vector<std::uint32_t>* of_row) {
  check(among.size() == messages(), "a bitmap of this block");
  Ahead ahead(state_->columns);
  for (const GroupColumn& one : columns) {
    ahead.column(one.column);
    if (one.window_ns != 0) ahead.nanos();
  }
  ahead.fetch();
  Grouper grouper(state_->columns, state_->fields, among, of_row);
  VARVE_ASSIGN_OR_RETURN(const bool can, grouper.open(columns));
  if (!can) return false;
  VARVE_RETURN_IF_ERROR(grouper.count());
  VARVE_RETURN_IF_ERROR(grouper.finish(out, times));
  return true;
}

}  // namespace varve::message::block
