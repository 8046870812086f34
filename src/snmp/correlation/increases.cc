// SPDX-License-Identifier: Apache-2.0
#include "snmp/correlation/increases.h"

#include <algorithm>

#include "counter/breaks.h"
#include "snmp/inventory/device_counters.h"

namespace varve::snmp::correlation {
namespace {

using counter::WhyUnknown;
using inventory::ObjectType;

constexpr std::uint64_t kScalars = 1;  // the name of their row

bool is_discontinuity(const walk::Measure& measure) {
  return measure.object < 0 && measure.name == walk::kDiscontinuity;
}

bool is_watched(const walk::Plan& plan, const walk::Column& column) {
  if (column.is_name) return false;
  const walk::Measure& measure = plan.measures[column.place];
  return inventory::is_counter(measure.type) || is_discontinuity(measure);
}

}  // namespace

std::size_t CounterMemory::memory_bytes() const {
  std::size_t bytes = (passes.capacity() + scalars.capacity()) * sizeof(LastValues);
  for (const LastValues& table : passes) bytes += table.memory_bytes();
  for (const LastValues& row : scalars) bytes += row.memory_bytes();
  return bytes;
}

void IncreaseWatch::on_uptime(CounterMemory& memory, std::uint32_t ticks, model::Timestamp at) {
  const model::Timestamp times[] = {memory.uptime_at, at};
  const double both[] = {static_cast<double>(memory.uptime_ticks), static_cast<double>(ticks)};
  if (memory.uptime_at != 0 && !counter::restarts(times, both).empty()) memory.restarted_at = at;
  memory.uptime_at = at;
  memory.uptime_ticks = ticks;
}

IncreaseWatch::IncreaseWatch(const walk::Plan& plan, CounterMemory& memory, UnknownIncreases& out)
    : plan_(plan),
      memory_(memory),
      out_(out),
      rules_(inventory::declaration_of(ObjectType::counter64, plan.oidset.frequency_ms).rules) {
  for (std::size_t i = memory.passes.size(); i < plan.passes.size(); ++i) {
    const auto& columns = plan.passes[i].columns;
    memory.passes.emplace_back(static_cast<std::size_t>(
        std::ranges::count_if(columns, [&](const walk::Column& column) { return is_watched(plan, column); })));
  }
  if (memory.scalars.empty() && !plan.scalars.empty()) memory.scalars.emplace_back(plan.measures.size());
  for (LastValues& table : memory.passes) table.start();
  for (LastValues& row : memory.scalars) row.start();
}

void IncreaseWatch::begin_table(std::size_t pass, std::size_t first_value) {
  table_ = &memory_.passes[pass];
  table_->rewind();
  columns_.clear();
  std::int32_t cell = 0;
  const auto& columns = plan_.passes[pass].columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Watched watched;
    if (is_watched(plan_, columns[i])) {
      watched = {cell++, is_discontinuity(plan_.measures[columns[i].place]), columns[i].place};
    }
    if (i >= first_value) columns_.push_back(watched);
  }
}

void IncreaseWatch::row(std::uint64_t name, std::uint64_t mask, std::span<const std::int64_t> values,
                        model::Timestamp at, const RowTags& tags) {
  const std::size_t row = table_->of(name);
  const auto cells = table_->cells(row);
  std::size_t next = 0;
  for (std::size_t i = 0; i < columns_.size() && next < values.size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    const LastValues::Cell now{at, static_cast<std::uint64_t>(values[next++])};
    const Watched& watched = columns_[i];
    if (watched.cell == kNoCell) continue;
    LastValues::Cell& cell = cells[static_cast<std::size_t>(watched.cell)];
    if (!watched.is_discontinuity) {
      look(cell, plan_.measures[watched.measure], table_->began_anew(row), now, tags);
    } else if (cell.at != model::kTimestampMin && cell.value != now.value) {
      table_->began_anew(row) = at;
    }
    cell = now;
  }
}

void IncreaseWatch::scalar(std::uint16_t measure, std::int64_t value, model::Timestamp at, const RowTags& tags) {
  const walk::Measure& of = plan_.measures[measure];
  if (!inventory::is_counter(of.type)) return;
  LastValues& row = memory_.scalars.front();
  row.rewind();
  LastValues::Cell& cell = row.cells(row.of(kScalars))[measure];
  const LastValues::Cell now{at, static_cast<std::uint64_t>(value)};
  look(cell, of, model::kTimestampMin, now, tags);
  cell = now;
}

// A sample that is not behind the one before, as the clock was set back, says nothing.
void IncreaseWatch::look(LastValues::Cell& cell, const walk::Measure& measure, model::Timestamp began_anew,
                         const LastValues::Cell& now, const RowTags& tags) {
  if (cell.at == model::kTimestampMin || now.at <= cell.at) return;
  const bool is_broken = memory_.restarted_at > cell.at || began_anew > cell.at;
  if (now.value >= cell.value && now.at - cell.at <= rules_.gap_ms && !is_broken) return;
  const counter::Sample<std::uint64_t> from{cell.at, cell.value}, to{now.at, now.value};
  auto declaration = inventory::declaration_of(measure.type, plan_.oidset.frequency_ms);
  auto why = counter::why_unknown(from, to, declaration);
  if (why == WhyUnknown::gap) return note(*why, measure, tags);
  if (memory_.restarted_at > cell.at) return note(WhyUnknown::restart, measure, tags);
  if (is_broken) return note(WhyUnknown::discontinuity, measure, tags);
  if (!why) {  // its 32 bits were used up, unless it is known that they cannot
    if (auto known = tags.rules("snmp." + measure.name)) declaration = std::move(*known);
    why = counter::why_unknown(from, to, declaration);
  }
  if (why) note(*why, measure, tags);
}

void IncreaseWatch::note(WhyUnknown why, const walk::Measure& measure, const RowTags& tags) {
  const auto of = static_cast<std::size_t>(why);
  if (out_.counts[of]++ > 0) return;
  const std::string name = tags.name();
  out_.such_as[of] = name.empty() ? measure.name : measure.name + " of '" + name + "'";
}

void IncreaseWatch::end(const std::vector<bool>& whole, model::Timestamp now) {
  const model::Timestamp oldest = now - rules_.gap_ms;
  for (std::size_t i = 0; i < memory_.passes.size(); ++i) {
    memory_.passes[i].finish(whole[i], oldest, walk::kRowsMax);
  }
  for (LastValues& row : memory_.scalars) row.finish(true, model::kTimestampMin, walk::kRowsMax);
}

}  // namespace varve::snmp::correlation
