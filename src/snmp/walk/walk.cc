// SPDX-License-Identifier: Apache-2.0
#include "snmp/walk/walk.h"

#include <algorithm>
#include <utility>

#include "snmp/walk/kinds.h"

namespace varve::snmp::walk {
namespace {

using session::Binding;
using session::Command;
using session::Kind;
using session::Outcome;

bool less(Name a, Name b) { return std::ranges::lexicographical_compare(a, b); }

Fault fault_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::answered: return Fault::none;
    case Outcome::timed_out: return Fault::timeout;
    case Outcome::not_sent: return Fault::not_sent;
    case Outcome::bad_community: return Fault::bad_community;
    case Outcome::refused: return Fault::refused;
    case Outcome::malformed: return Fault::malformed;
  }
  return Fault::malformed;
}

}  // namespace

std::string_view to_text(Fault fault) {
  switch (fault) {
    case Fault::none: return "";
    case Fault::timeout: return "timeout";
    case Fault::not_sent: return "not sent";
    case Fault::bad_community: return "an answer of another community";
    case Fault::refused: return "refused";
    case Fault::malformed: return "malformed answer";
    case Fault::empty: return "empty answer";
    case Fault::error_status: return "error status";
    case Fault::too_big: return "one row is too big for an answer";
    case Fault::not_increasing: return "oid not increasing";
    case Fault::endless: return "walk without end";
    case Fault::wrong_type: return "wrong type";
    case Fault::no_such_object: return "no such object";
  }
  return "";
}

void Scratch::clear() {
  arcs.clear();
  ends.clear();
  names.clear();
}

void Scratch::add(std::span<const Arc> oid, std::span<const Arc> behind) {
  arcs.insert(arcs.end(), oid.begin(), oid.end());
  arcs.insert(arcs.end(), behind.begin(), behind.end());
  ends.push_back(arcs.size());
}

void Scratch::close() {
  std::size_t from = 0;
  for (const std::size_t end : ends) {
    names.emplace_back(arcs.data() + from, end - from);
    from = end;
  }
  request.names = names;
}

Walk::Walk(const Plan& plan, Fit& fit, session::Version version, Sink& sink)
    : plan_(plan), fit_(fit), version_(version), sink_(sink) {
  fit_.passes.resize(plan_.passes.size());
  // With a bulk request sysUpTime comes along; else it is asked for with the scalars.
  in_scalars_ = !plan_.scalars.empty() || plan_.passes.empty() || !in_bulk();
  missing_.assign(plan_.scalars.size(), false);
  if (!in_scalars_) begin_pass();
}

std::string Walk::fault_text() const {
  std::string text(to_text(fault_));
  if (!fault_of_.empty()) text += ": " + fault_of_;
  return text;
}

void Walk::note(Fault fault, std::string_view of) {
  if (fault_ != Fault::none) return;
  fault_ = fault;
  fault_of_ = of;
}

void Walk::break_off(Fault fault, std::string_view of) {
  // What ends the walk is told before what was only left out.
  if (!broken_) fault_ = Fault::none;
  note(fault, of);
  broken_ = over_ = true;
}

std::string_view Walk::name_of(const Column& column) const {
  if (!column.is_name) return plan_.measures[column.place].name;
  for (std::size_t i = 0; i < plan_.layout_names.size(); ++i) {
    const auto at = std::ranges::find(plan_.layout_names[i], column.place);
    if (at == plan_.layout_names[i].end()) continue;
    return plan_.correlator.layouts[i].columns[static_cast<std::size_t>(at - plan_.layout_names[i].begin())].name;
  }
  return {};
}

bool Walk::next(Scratch& scratch) {
  if (over_) return false;
  scratch.clear();
  in_scalars_ ? ask_scalars(scratch) : ask_rows(scratch);
  scratch.close();
  return true;
}

void Walk::take(const session::Answer& answer) {
  if (answer.outcome == Outcome::timed_out && ask_less()) return;
  if (answer.outcome != Outcome::answered) return break_off(fault_of(answer.outcome), answer.why);
  has_answer_ = true;
  if (answer.error_status != 0) return take_error(answer);
  if (answer.bindings.empty()) return break_off(Fault::empty);
  in_scalars_ ? take_scalars(answer) : take_rows(answer);
}

// --- scalars ---

void Walk::ask_scalars(Scratch& scratch) {
  scratch.request = {Command::get, 0, 0, {}};
  uptime_asked_ = !uptime_done_;
  if (uptime_asked_) scratch.add(kUptime);
  scalars_asked_ = 0;
  for (std::size_t i = scalar_; i < plan_.scalars.size() && scalars_asked_ < fit_.scalars; ++i, ++scalars_asked_) {
    if (!missing_[i]) scratch.add(plan_.scalars[i].oid);
  }
}

bool Walk::take_uptime(const Binding& binding, model::Timestamp at) {
  uptime_done_ = true;
  if (!std::ranges::equal(binding.name, Name(kUptime)) || binding.kind != Kind::ticks) return false;
  sink_.on_uptime(static_cast<std::uint32_t>(binding.number), at);
  return true;
}

void Walk::take_scalars(const session::Answer& answer) {
  std::size_t at = 0;
  if (uptime_asked_) take_uptime(answer.bindings[at++], answer.received_ms);
  for (std::size_t i = scalar_; i < scalar_ + scalars_asked_; ++i) {
    const Scalar& scalar = plan_.scalars[i];
    const Measure& measure = plan_.measures[scalar.place];
    if (missing_[i]) {
      note(Fault::no_such_object, measure.name);
      continue;
    }
    if (at == answer.bindings.size()) return break_off(Fault::malformed, measure.name);
    const Binding& binding = answer.bindings[at++];
    if (!std::ranges::equal(binding.name, scalar.oid)) return break_off(Fault::malformed, measure.name);
    if (is_missing(binding.kind)) {
      note(Fault::no_such_object, measure.name);
    } else if (!fits(measure.type, binding.kind)) {
      note(Fault::wrong_type, measure.name);
    } else {
      sink_.on_scalar(scalar.place, binding, answer.received_ms);
    }
  }
  scalar_ += scalars_asked_;
  if (scalar_ < plan_.scalars.size()) return;
  in_scalars_ = false;
  begin_pass();
}

// --- rows ---

void Walk::begin_pass() {
  if (pass_ == plan_.passes.size()) {
    over_ = true;
    return;
  }
  group_ = 0;
  lacking_.assign(pass().columns.size(), false);
  PassFit& fit = pass_fit();
  fit.needless.resize(pass().columns.size(), false);
  const std::size_t values = pass().columns.size() - pass().names;
  fit.groups = static_cast<std::uint8_t>(std::max<std::size_t>(fit.groups, (values + kGroupMax - 1) / kGroupMax));
  begin_group();
}

void Walk::begin_group() {
  asked_.clear();
  for (std::size_t i = 0; i < pass().names; ++i) asked_.push_back({static_cast<std::uint16_t>(i)});
  for (std::size_t i = first_value(group_); i < first_value(group_ + 1); ++i) {
    if (is_asked(i)) asked_.push_back({static_cast<std::uint16_t>(i)});
  }
  cursor_.clear();
  rows_ = 0;
}

Name Walk::index_of(const Asked& asked, std::size_t repetition) const {
  const std::size_t column = static_cast<std::size_t>(&asked - asked_.data());
  const Name name = bindings_[first_ + repetition * stride_ + column].name;
  return name.subspan(column_of(asked).oid.size());
}

bool Walk::scan(Asked& asked, std::span<const Binding> bindings, std::size_t column, std::size_t repetitions) {
  const Column& of = column_of(asked);
  const Name oid = of.oid;
  Name before = cursor_;
  asked.count = asked.at = 0;
  asked.is_over = false;
  for (std::size_t i = 0; i < repetitions; ++i) {
    const Binding& binding = bindings[first_ + i * stride_ + column];
    const bool inside = binding.name.size() > oid.size() && std::equal(oid.begin(), oid.end(), binding.name.begin());
    const Name index = inside ? binding.name.subspan(oid.size()) : Name();
    // Some agents say of a row that it lacks this column, and go on: what is missing is a cell.
    const bool lacks = binding.kind == Kind::no_object || binding.kind == Kind::no_instance;
    if (!inside || (is_missing(binding.kind) && !(lacks && less(before, index)))) {
      // One that is before the column would be asked for again, and again.
      if (!inside && binding.kind != Kind::end_of_view && less(binding.name, oid)) {
        break_off(Fault::not_increasing, name_of(of));
        return false;
      }
      asked.is_over = true;
      return true;
    }
    if (index.size() > kIndexMax || !less(before, index)) {
      break_off(Fault::not_increasing, name_of(of));
      return false;
    }
    before = index;
    ++asked.count;
  }
  return true;
}

void Walk::take_rows(const session::Answer& answer) {
  bindings_ = answer.bindings;
  stride_ = asked_.size();
  first_ = uptime_asked_ ? 1 : 0;
  if (bindings_.size() > first_ + stride_ * repetitions_) return break_off(Fault::malformed);
  if (uptime_asked_) take_uptime(bindings_[0], answer.received_ms);
  const std::size_t repetitions = (bindings_.size() - first_) / stride_;
  if (repetitions == 0) {
    if (uptime_asked_) return;  // without it a row may fit
    repetitions_ = 1;
    if (!make_smaller()) break_off(Fault::too_big);
    return;
  }
  std::optional<Name> limit;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    Asked& asked = asked_[i];
    if (!scan(asked, bindings_, i, repetitions)) return;
    if (asked.is_over) continue;
    const Name last = index_of(asked, asked.count - 1);
    if (!limit || less(last, *limit)) limit = last;
  }
  hand_over(limit, answer.received_ms);
  if (rows_ > kRowsMax) return break_off(Fault::endless);
  fit_answer(repetitions, !limit.has_value());
  advance(limit);
}

// The rows of this answer that all columns have come to, in their order.
void Walk::hand_over(std::optional<Name> limit, model::Timestamp at) {
  cells_.assign(pass().columns.size(), nullptr);
  const std::size_t first = first_value(group_);
  const std::span<const Binding* const> cells(cells_);
  Row row{pass_, {}, cells.first(pass().names), cells.subspan(first, first_value(group_ + 1) - first), first, at};
  for (;;) {
    std::optional<Name> index;
    for (const Asked& asked : asked_) {
      if (asked.at == asked.count) continue;
      const Name here = index_of(asked, asked.at);
      if (!index || less(here, *index)) index = here;
    }
    if (!index || (limit && less(*limit, *index))) return;
    set_cells(*index);
    ++rows_;
    row.index = *index;
    if (std::ranges::any_of(cells_, [](const Binding* cell) { return cell != nullptr; })) sink_.on_row(row);
  }
}

// What each column says of the row.
void Walk::set_cells(Name index) {
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    Asked& asked = asked_[i];
    const Column& column = column_of(asked);
    const Binding*& cell = cells_[asked.column];
    cell = nullptr;
    if (asked.at == asked.count || !std::ranges::equal(index_of(asked, asked.at), index)) continue;
    const Binding& binding = bindings_[first_ + asked.at * stride_ + i];
    ++asked.at;
    if (is_missing(binding.kind)) continue;
    if (column.is_name || fits(plan_.measures[column.place].type, binding.kind)) {
      cell = &binding;
    } else {
      note(Fault::wrong_type, plan_.measures[column.place].name);
    }
  }
  leave_stand_ins();
}

// Of a row that has the value itself.
void Walk::leave_stand_ins() {
  const auto& columns = pass().columns;
  const std::size_t end = first_value(group_ + 1);
  for (std::size_t i = first_value(group_) + 1; i < end; ++i) {
    if (!columns[i].stands_in) continue;
    if (cells_[i - 1] == nullptr) {
      lacking_[i] = true;
    } else {
      cells_[i] = nullptr;
    }
  }
}

void Walk::advance(std::optional<Name> limit) {
  if (!limit) return end_group();
  // A column whose end was seen is not asked again, unless rows of it were left for the next answer.
  std::erase_if(asked_, [](const Asked& asked) { return asked.is_over && asked.at == asked.count; });
  cursor_.assign(limit->begin(), limit->end());
}

void Walk::end_group() {
  PassFit& fit = pass_fit();
  fit.rows = static_cast<std::uint32_t>(rows_);
  ++group_;
  if (first_value(group_) < pass().columns.size()) {
    while (first_value(group_) == first_value(group_ + 1)) ++group_;  // a stand-in went to the group before
    return begin_group();
  }
  fit_stand_ins();
  sink_.on_whole_pass(pass_++);
  begin_pass();
}

void Walk::take_error(const session::Answer& answer) {
  const bool is_v1_end = version_ == session::Version::v1 && answer.error_status == session::kNoSuchName;
  const auto index = static_cast<std::size_t>(std::max(0, answer.error_index));
  if (answer.error_status == session::kTooBig) {
    if (!in_scalars_) return make_smaller() ? void() : break_off(Fault::too_big);
    if (fit_.scalars <= 1) return break_off(Fault::too_big);
    fit_.scalars = static_cast<std::uint16_t>(fit_.scalars / 2);
    return;
  }
  if (!is_v1_end || index == 0) {
    return break_off(Fault::error_status, std::to_string(answer.error_status));
  }
  if (!in_scalars_) {  // nothing follows in this column
    if (index > asked_.size()) return break_off(Fault::malformed);
    asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(index - 1));
    if (asked_.empty()) end_group();
    return;
  }
  std::size_t nth = uptime_asked_ ? 1 : 0;
  if (index <= nth) {
    uptime_done_ = true;
    if (scalar_ < plan_.scalars.size()) return;
    in_scalars_ = false;
    return begin_pass();
  }
  for (std::size_t i = scalar_; i < scalar_ + scalars_asked_; ++i) {
    if (missing_[i] || ++nth != index) continue;
    missing_[i] = true;
    const auto first = missing_.begin() + static_cast<std::ptrdiff_t>(scalar_);
    const auto end = first + static_cast<std::ptrdiff_t>(scalars_asked_);
    if (!uptime_asked_ && std::all_of(first, end, [](bool missing) { return missing; })) take_scalars({});
    return;
  }
  break_off(Fault::malformed);
}

}  // namespace varve::snmp::walk
