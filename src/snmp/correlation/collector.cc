// SPDX-License-Identifier: Apache-2.0
#include "snmp/correlation/collector.h"

#include <algorithm>

#include "codec/hash.h"
#include "snmp/inventory/utf8_text.h"
#include "snmp/walk/kinds.h"

namespace varve::snmp::correlation {
namespace {

using inventory::Attribute;
using session::Binding;
using session::Kind;

constexpr std::uint32_t kNoTable = 0xffffffff;  // of a record that is no row of a table

std::vector<std::uint32_t> narrow(session::Name index) {
  std::vector<std::uint32_t> out;
  for (const session::Arc arc : index) out.push_back(static_cast<std::uint32_t>(arc));
  return out;
}

std::string dotted(session::Name name) {
  std::string out;
  for (const session::Arc arc : name) out += (out.empty() ? "" : ".") + std::to_string(arc);
  return out;
}

std::uint64_t hash_of(std::string_view bytes) {
  const std::uint64_t hash = codec::hash128(bytes).low;
  return hash == 0 ? 1 : hash;
}

Attribute attribute_of(const Binding* cell) {
  if (cell == nullptr || walk::is_missing(cell->kind)) return {};
  switch (cell->kind) {
    case Kind::octets:
    case Kind::address:
    case Kind::object_id: {
      std::string number;
      return std::string(raw_text(cell, number));
    }
    case Kind::integer:
    case Kind::counter32:
    case Kind::counter64:
    case Kind::gauge32:
    case Kind::ticks: return static_cast<std::int64_t>(cell->number);
    default: return {};
  }
}

std::uint64_t hash_of_rows(const std::vector<inventory::WalkedRow>& rows) {
  std::string bytes;
  const auto put = [&bytes](std::string_view text) {
    bytes += std::to_string(text.size()) + ":";
    bytes += text;
  };
  for (const inventory::WalkedRow& row : rows) {
    for (const std::uint32_t number : row.index) bytes += std::to_string(number) + ".";
    put(row.name);
    for (const Attribute& value : row.values) {
      bytes += static_cast<char>('0' + value.index());
      if (const auto* const number = std::get_if<std::int64_t>(&value)) put(std::to_string(*number));
      if (const auto* const text = std::get_if<std::string>(&value)) put(*text);
    }
  }
  return hash_of(bytes);
}

}  // namespace

std::size_t Memory::memory_bytes() const {
  std::size_t bytes = sizeof *this + tables.capacity() * sizeof(Table) + fit.passes.capacity() * sizeof(walk::PassFit);
  for (const Table& table : tables) bytes += table.names.memory_bytes();
  for (const LookUp& look_up : look_ups) bytes += look_up.size() * 128;
  return bytes + counters.memory_bytes();
}

void Found::clear() {
  records.clear();
  oids.clear();
  history.clear();
  history_hash = 0;
  first_ms = last_ms = 0;
  unnamed = doubled = records_dropped = 0;
  doubled_name.clear();
  renumbered = restarted = false;
  unknown = {};
}

std::vector<std::string> Found::left_out() const {
  std::vector<std::string> out;
  if (unnamed > 0) out.push_back(std::to_string(unnamed) + " rows without a name are left out");
  if (doubled > 0) {
    out.push_back(std::to_string(doubled) + " rows that share a name are left out, such as '" +
                  inventory::utf8_text(doubled_name, kTagBytesMax) + "'");
  }
  if (renumbered) out.emplace_back("rows got other names during the poll and are left out");
  for (std::size_t why = 0; why < unknown.counts.size(); ++why) {
    if (unknown.counts[why] == 0) continue;
    out.push_back(std::to_string(unknown.counts[why]) + " increases are unknown (" +
                  std::string(counter::kWhyUnknown[why]) + "), such as that of " + unknown.such_as[why]);
  }
  return out;
}

void Collector::begin(const walk::Plan& plan, std::string_view device, Memory& memory, GroupFinder& finder,
                      Found& found, bool explains) {
  plan_ = &plan;
  device_ = device;
  memory_ = &memory;
  finder_ = &finder;
  found_ = &found;
  explains_ = explains;
  oids_.clear();
  found.clear();
  scalars_.clear();
  table_of_record_.clear();
  look_ups_.assign(plan.names.size(), {});
  look_ups_again_.assign(plan.names.size(), {});
  memory.look_ups.resize(plan.names.size());
  looked_up_ = false;
  whole_.assign(plan.passes.size(), false);
  if (const auto generation = finder.generation(); memory.generation != generation) {
    memory.generation = generation;
    memory.uptime = model::kNoGroup;
    for (Memory::Table& table : memory.tables) table.names.forget_groups();
  }
  for (Memory::Table& table : memory.tables) table.names.start();
}

void Collector::seen(model::Timestamp at) {
  if (found_->first_ms == 0) found_->first_ms = at;
  found_->last_ms = at;
}

void Collector::begin_name() {
  name_.clear();
  name_.add_tag("device", device_);
  name_.add_tag("oidset", plan_->oidset.name);
}

void Collector::on_uptime(std::uint32_t ticks, model::Timestamp at) {
  seen(at);
  found_->restarted = ticks < memory_->uptime_ticks;
  memory_->uptime_ticks = ticks;
  if (plan_->oidset.history) return;
  IncreaseWatch::on_uptime(memory_->counters, ticks, at);
  if (memory_->uptime == model::kNoGroup) {
    begin_name();
    name_.add_metric("snmp.sysUpTime");
    memory_->uptime = finder_->find(name_);
  }
  values_.assign(1, ticks);
  if (explains_) oids_.assign(1, dotted(walk::kUptime));
  add({.group = memory_->uptime, .at = at}, kNoTable);
}

// A record of values_, by its group or by name_.
void Collector::add(Record head, std::uint32_t table) {
  found_->records.add(head, values_, head.group == model::kNoGroup ? &name_ : nullptr);
  table_of_record_.push_back(table);
  if (explains_) found_->oids.push_back(oids_);
}

void Collector::on_scalar(std::uint16_t measure, const Binding& value, model::Timestamp at) {
  seen(at);
  scalars_at_ = at;
  scalars_.push_back(
      {measure, static_cast<std::int64_t>(value.number), explains_ ? dotted(value.name) : std::string()});
}

// Scalars are one row, with the time of their last answer.
void Collector::flush_scalars() {
  if (plan_->oidset.history) return;
  for (std::size_t first = 0; first < scalars_.size(); first += walk::kGroupMax) {
    const std::size_t end = std::min(scalars_.size(), first + walk::kGroupMax);
    begin_name();
    values_.clear();
    oids_.clear();
    for (std::size_t i = first; i < end; ++i) {
      name_.add_metric("snmp." + plan_->measures[scalars_[i].measure].name);
      values_.push_back(scalars_[i].value);
      oids_.push_back(scalars_[i].oid);
    }
    add({.group = finder_->find(name_), .at = scalars_at_}, kNoTable);
  }
}

// The number of the row's table.
std::uint32_t Collector::table_of(const walk::Row& row) {
  auto& tables = memory_->tables;
  const auto known = std::ranges::find_if(
      tables, [&](const auto& table) { return table.pass == row.pass && table.first_value == row.first_value; });
  const auto number = static_cast<std::uint32_t>(known - tables.begin());
  if (known == tables.end()) tables.push_back({row.pass, row.first_value, {}});
  return number;
}

void Collector::add_look_up(const walk::Row& row) {
  const walk::Pass& pass = plan_->passes[row.pass];
  auto& all = pass.kind == walk::PassKind::look_up ? look_ups_ : look_ups_again_;
  std::string number;
  all[pass.columns[0].place].emplace(narrow(row.index), raw_text(row.names[0], number));
}

void Collector::on_row(const walk::Row& row) {
  seen(row.at);
  if (plan_->passes[row.pass].kind != walk::PassKind::table) return add_look_up(row);
  if (!looked_up_) {
    looked_up_ = true;
    if (look_ups_ != memory_->look_ups) {  // names that stood for some rows stand for others now
      memory_->look_ups = look_ups_;
      for (Memory::Table& table : memory_->tables) table.names.clear();
    }
  }
  if (plan_->oidset.history) return add_history(row);
  std::uint64_t mask = 0;
  values_.clear();
  oids_.clear();
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    if (row.values[i] == nullptr) continue;
    if (explains_) oids_.push_back(dotted(row.values[i]->name));
    mask |= std::uint64_t{1} << i;
    values_.push_back(static_cast<std::int64_t>(row.values[i]->number));
  }
  const std::uint32_t number = table_of(row);
  NameTable& table = memory_->tables[number].names;
  bool is_new = false;
  NameTable::Entry& entry = table.of(row.index, row.names, is_new);
  if (entry.group == model::kNoGroup || entry.mask != mask) {
    if (entry.hash == 0 && !is_new) return;  // known to have no name
    entry.group = model::kNoGroup;
    if (!name_row(row)) {
      entry.hash = 0;
      return;
    }
    entry.hash = hash_of(name_.tags);
    entry.mask = mask;
    if (values_.empty()) return;
    add_metrics(row);
    entry.group = finder_->find(name_);
  }
  if (values_.empty() || entry.doubled) return;
  add({.group = entry.group, .at = row.at, .row = table.row()}, number);
}

// The texts of a row's index and columns. False: no layout fits.
bool Collector::look(const walk::Row& row, Texts& texts) const {
  const auto index = narrow(row.index);
  const auto number = inventory::layout_of(plan_->correlator, index);
  if (!number) return false;
  texts.layout = &plan_->correlator.layouts[*number];
  auto parts = inventory::index_texts(*texts.layout, index);
  if (!parts) return false;
  texts.parts = std::move(*parts);
  const walk::Pass& pass = plan_->passes[row.pass];
  for (std::size_t i = 0; i < texts.layout->columns.size(); ++i) {
    const std::uint16_t place = plan_->layout_names[*number][i];
    std::string& text = texts.columns.emplace_back();
    if (plan_->names[place].looked_up) {
      const auto of = inventory::column_index(*texts.layout, texts.layout->columns[i], texts.parts, texts.columns);
      const auto found = of ? memory_->look_ups[place].find(*of) : memory_->look_ups[place].end();
      if (found != memory_->look_ups[place].end()) text = found->second;
      continue;
    }
    for (std::size_t cell = 0; cell < row.names.size(); ++cell) {
      if (pass.columns[cell].place != place) continue;
      std::string raw;
      text = raw_text(row.names[cell], raw);
    }
  }
  return true;
}

// Sets the tags of name_. False: the row has no name.
bool Collector::name_row(const walk::Row& row) {
  Texts texts;
  if (!look(row, texts)) return false;
  const auto values = inventory::tag_values(*texts.layout, texts.parts, texts.columns);
  if (!values) return false;
  begin_name();
  for (std::size_t i = 0; i < values->size(); ++i) {
    const std::string text = inventory::utf8_text((*values)[i], kTagBytesMax);
    if (text.empty()) return false;
    name_.add_tag(texts.layout->tags[i].name, text);
  }
  return true;
}

void Collector::add_metrics(const walk::Row& row) {
  const walk::Pass& pass = plan_->passes[row.pass];
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    if (row.values[i] == nullptr) continue;
    name_.add_metric("snmp." + plan_->measures[pass.columns[row.first_value + i].place].name);
  }
}

void Collector::add_history(const walk::Row& row) {
  inventory::WalkedRow& out = found_->history.emplace_back();
  out.index = narrow(row.index);
  out.values.resize(plan_->oidset.objects.size());
  Texts texts;
  if (look(row, texts)) {
    const auto values = inventory::tag_values(*texts.layout, texts.parts, texts.columns);
    if (values && !values->empty()) out.name = inventory::utf8_text(values->front(), kTagBytesMax);
  }
  const walk::Pass& pass = plan_->passes[row.pass];
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const std::int32_t object = plan_->measures[pass.columns[row.first_value + i].place].object;
    if (object >= 0) out.values[static_cast<std::size_t>(object)] = attribute_of(row.values[i]);
  }
}

void Collector::on_whole_pass(std::size_t pass) {
  whole_[pass] = true;
  const walk::Pass& of = plan_->passes[pass];
  if (of.kind != walk::PassKind::look_up_again) return;
  const std::uint16_t place = of.columns[0].place;
  found_->renumbered |= look_ups_again_[place] != look_ups_[place];
}

void Collector::drop_doubled() {
  kept_.clear();
  std::vector<std::vector<std::string>> oids;
  std::size_t number = 0;
  found_->records.for_each([&](const RecordView& record) {
    const std::size_t at = number++;
    const std::uint32_t table = table_of_record_[at];
    const bool is_row = table != kNoTable;
    if (is_row && found_->renumbered) ++found_->records_dropped;
    if (is_row && (found_->renumbered || memory_->tables[table].names.entries()[record.head.row].doubled)) return;
    kept_.add(record);
    if (explains_) oids.push_back(std::move(found_->oids[at]));
  });
  std::swap(kept_, found_->records);
  found_->oids = std::move(oids);
}

// Sets the tags of name_, as those of a row that is there.
bool Collector::name_entry(const Memory::Table& table, std::uint32_t row) {
  const auto names = table.names.names_of(table.names.entries()[row]);
  std::vector<Binding> cells(names.texts.size());
  std::vector<const Binding*> pointers;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (names.texts[i]) cells[i] = {.kind = Kind::octets, .octets = *names.texts[i]};
    pointers.push_back(names.texts[i] ? &cells[i] : nullptr);
  }
  walk::Row of;
  of.pass = table.pass;
  of.index = names.index;
  of.names = pointers;
  of.first_value = table.first_value;
  return name_row(of);
}

// Of what is stored; names are made only of what is unknown, which is seldom.
void Collector::watch_increases() {
  IncreaseWatch watch(*plan_, memory_->counters, found_->unknown);
  const Memory::Table* table = nullptr;
  std::uint32_t row = 0;
  const auto set_name = [&] {
    begin_name();
    if (table != nullptr) static_cast<void>(name_entry(*table, row));
  };
  const auto rules = [&](const std::string& metric) {
    set_name();
    const auto tags = tags_of(name_.tags);
    return finder_->rules(metric, [&](std::string_view key) {
      const auto tag = std::ranges::find(tags, key, [](const auto& one) { return one.key; });
      return tag == tags.end() ? std::string_view() : tag->value;
    });
  };
  const auto name = [&] {
    set_name();
    const auto tags = tags_of(name_.tags);
    return tags.size() > 2 ? std::string(tags[2].value) : std::string();  // behind device and oidset
  };
  const RowTags tags{rules, name};
  for (const ScalarValue& scalar : scalars_) watch.scalar(scalar.measure, scalar.value, scalars_at_, tags);
  std::size_t number = 0;
  found_->records.for_each([&](const RecordView& record) {
    const std::uint32_t of = table_of_record_[number++];
    if (of == kNoTable || found_->renumbered) return;
    if (table != &memory_->tables[of]) {
      table = &memory_->tables[of];
      watch.begin_table(table->pass, table->first_value);
    }
    row = record.head.row;
    const NameTable::Entry& entry = table->names.entries()[row];
    if (!entry.doubled) watch.row(entry.hash, entry.mask, record.values, record.head.at, tags);
  });
  watch.end(whole_, found_->last_ms);
}

void Collector::end(bool whole) {
  flush_scalars();
  // Without the look at its end nobody knows whether the names were the same throughout.
  for (std::size_t i = 0; i < plan_->passes.size(); ++i) {
    if (plan_->passes[i].kind == walk::PassKind::look_up_again && !whole_[i]) found_->renumbered = true;
  }
  bool has_doubled = false;
  for (Memory::Table& table : memory_->tables) {
    table.names.finish(whole_[table.pass]);
    found_->unnamed += table.names.unnamed();
    found_->doubled += table.names.doubled();
    if (found_->doubled_name.empty()) found_->doubled_name = table.names.doubled_name();
    has_doubled |= table.names.doubled() > 0 && table.names.has_changed();
  }
  if (!plan_->oidset.history) watch_increases();
  if (has_doubled || found_->renumbered) drop_doubled();
  if (found_->renumbered) {
    for (Memory::Table& table : memory_->tables) table.names.clear();
  }
  if (found_->restarted) memory_->fit = {};
  if (!whole || found_->renumbered) found_->history.clear();
  if (!found_->history.empty()) found_->history_hash = hash_of_rows(found_->history);
}

}  // namespace varve::snmp::correlation
