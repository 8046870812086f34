// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/history_store.h"

#include <algorithm>
#include <cstdio>

#include "codec/hash.h"
#include "snmp/inventory/history_text.h"

namespace varve::snmp::inventory {
namespace {

using storage::TextName;

constexpr HistoryKind kKinds[] = {HistoryKind::interfaces, HistoryKind::saps, HistoryKind::outlets, HistoryKind::lsps};

// Of the tenant "", which is nobody's: a service for each device, a service key for each kind, and the parts' numbers.
std::string service_of(const std::string& tenant, const std::string& device) {
  return "_snmp_history/" + tenant + "/" + device;
}

std::string part_key(std::size_t part) {
  char text[24];
  std::snprintf(text, sizeof text, "%08zu", part);
  return text;
}

std::uint64_t attributes_hash(const HistoryRow& row) {
  const HistoryRow plain{.name = {}, .attributes = row.attributes, .begin = 0, .end = {}};
  return codec::hash64(history_text({&plain, 1}));
}

// Attributes that change by themselves.
constexpr std::string_view kStates[] = {"ifOperStatus", "outletStatus", "outletControlState", "state"};

std::uint64_t calm_hash(HistoryKind kind, const HistoryRow& row) {
  HistoryRow calm{.name = {}, .attributes = row.attributes, .begin = 0, .end = {}};
  const auto names = attributes_of(kind);
  for (std::size_t i = 0; i < std::min(names.size(), calm.attributes.size()); ++i) {
    if (std::ranges::find(kStates, names[i]) != std::end(kStates)) calm.attributes[i] = {};
  }
  return attributes_hash(calm);
}

Error malformed(const std::string& service, std::size_t part) {
  return {Code::corrupt, "part " + std::to_string(part) + " of " + service + " is malformed"};
}

// A writer that died between two parts left the row that it ended open.
void end_doubles(std::vector<HistoryRow>& rows) {
  std::ranges::stable_sort(rows, {}, &HistoryRow::begin);
  std::map<std::string_view, HistoryRow*> last;
  for (HistoryRow& row : rows) {
    HistoryRow*& before = last[row.name];
    if (before != nullptr && (!before->end || *before->end > row.begin)) before->end = row.begin;
    before = &row;
  }
}

}  // namespace

Result<std::vector<std::string>> HistoryStore::read(const Key& key) const {
  const auto& [tenant, device, kind] = key;
  const std::string service = service_of(tenant, device);
  std::vector<std::string> out;
  while (true) {
    VARVE_ASSIGN_OR_RETURN(auto text, texts_.text({"", service, std::string(to_text(kind)), part_key(out.size())}));
    if (!text) return out;
    out.push_back(std::move(*text));
  }
}

Result<std::vector<HistoryRow>> HistoryStore::rows(const std::string& tenant, const std::string& device,
                                                   HistoryKind kind, model::TimeRange range) const {
  VARVE_ASSIGN_OR_RETURN(const auto texts, read({tenant, device, kind}));
  std::vector<HistoryRow> all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto rows = history_of_text(kind, texts[i]);
    if (!rows) return fail(malformed(service_of(tenant, device), i));
    std::ranges::move(*rows, std::back_inserter(all));
  }
  end_doubles(all);
  std::erase_if(all, [&](const HistoryRow& row) {
    return row.begin >= range.last || (row.end && (*row.end <= range.first || *row.end == row.begin));
  });
  return all;
}

Result<std::shared_ptr<HistoryStore::Known>> HistoryStore::load(const Key& key) const {
  const auto& [tenant, device, kind] = key;
  VARVE_ASSIGN_OR_RETURN(const auto texts, read(key));
  auto known = std::make_shared<Known>();
  std::unordered_map<std::uint64_t, model::Timestamp> begins;
  for (std::uint32_t part = 0; part < texts.size(); ++part) {
    known->parts.push_back(codec::hash64(texts[part]));
    known->last_bytes = texts[part].size();
    const auto rows = history_of_text(kind, texts[part]);
    if (!rows) return fail(malformed(service_of(tenant, device), part));
    for (const HistoryRow& row : *rows) {
      known->newest = std::max({known->newest, row.begin, row.end.value_or(row.begin)});
      if (row.end) continue;
      const std::uint64_t name = codec::hash64(row.name);
      const auto [begin, is_new] = begins.emplace(name, row.begin);
      if (!is_new && row.begin < begin->second) continue;
      begin->second = row.begin;
      known->open.insert_or_assign(name, open_of(kind, row, part));
    }
  }
  return known;
}

HistoryStore::Open HistoryStore::open_of(HistoryKind kind, const HistoryRow& row, std::uint32_t part) {
  return {attributes_hash(row), calm_hash(kind, row), row.begin, part};
}

// Is it a state that changes so often that this change is left out?
bool HistoryStore::is_damped(Known& known, std::uint64_t name, const Open& before, const Open& now) {
  if (now.calm != before.calm) return false;
  const bool is_quick = now.begin - before.begin < kFlapPauseMs;
  std::uint32_t& flaps = known.flaps[name];
  if (is_quick && flaps >= kFlapsAtOnce) return true;
  if (is_quick) {
    ++flaps;
  } else if (flaps > 0) {
    --flaps;
  }
  return false;
}

HistoryStore::Difference HistoryStore::difference(HistoryKind kind, Known& known, model::Timestamp time,
                                                  std::vector<HistoryRow> rows) {
  Difference out;
  std::set<std::uint64_t> seen;
  for (HistoryRow& row : rows) {
    const std::uint64_t name = codec::hash64(row.name);
    if (!seen.insert(name).second) continue;
    const auto open = known.open.find(name);
    if (open != known.open.end() && open->second.attributes == attributes_hash(row)) continue;
    row.begin = time;
    if (open != known.open.end() && is_damped(known, name, open->second, open_of(kind, row, 0))) continue;
    if (open != known.open.end()) out.ended[open->second.part].insert(name);
    out.begun.push_back(std::move(row));
  }
  for (const auto& [name, open] : known.open) {
    if (!seen.contains(name)) out.ended[open.part].insert(name);
  }
  return out;
}

Result<bool> HistoryStore::write_part(const Key& key, Known& known, std::uint32_t part, model::Timestamp time,
                                      const Difference& difference, std::span<const HistoryRow>& begun) const {
  const auto& [tenant, device, kind] = key;
  const TextName name{"", service_of(tenant, device), std::string(to_text(kind)), part_key(part)};
  VARVE_ASSIGN_OR_RETURN(const auto before, texts_.text(name));
  const bool is_new = part >= known.parts.size();
  if (is_new == before.has_value() || (!is_new && codec::hash64(*before) != known.parts[part])) return false;
  std::vector<HistoryRow> rows;
  if (before) {
    auto read = history_of_text(kind, *before);
    if (!read) return fail(malformed(name.service, part));
    rows = std::move(*read);
  }
  if (const auto ended = difference.ended.find(part); ended != difference.ended.end()) {
    for (HistoryRow& row : rows) {
      const std::uint64_t of = codec::hash64(row.name);
      // A part may be written twice: what begins now does not end now.
      if (row.end || row.begin == time || !ended->second.contains(of)) continue;
      row.end = time;
      if (const auto open = known.open.find(of); open != known.open.end() && open->second.part == part) {
        known.open.erase(open);
      }
    }
  }
  std::size_t bytes = before ? before->size() : 0;
  while (!begun.empty() && (is_new || part + 1 == known.parts.size()) && bytes < kHistoryPartBytes) {
    HistoryRow& row = rows.emplace_back(begun.front());
    begun = begun.subspan(1);
    row.begin = time;
    row.end.reset();
    bytes += history_text({&row, 1}).size();
    known.open.insert_or_assign(codec::hash64(row.name), open_of(kind, row, part));
  }
  const std::string text = history_text(rows);
  VARVE_RETURN_IF_ERROR(texts_.put_text(name, text));
  if (is_new) known.parts.emplace_back();
  known.parts[part] = codec::hash64(text);
  if (part + 1 == known.parts.size()) known.last_bytes = text.size();
  return true;
}

// What begins is written first: a row may be ended twice, and never be missing.
Result<bool> HistoryStore::write(const Key& key, Known& known, model::Timestamp time,
                                 const Difference& difference) const {
  std::span<const HistoryRow> begun = difference.begun;
  std::set<std::uint32_t> written;
  while (!begun.empty()) {
    const bool grows = !known.parts.empty() && known.last_bytes < kHistoryPartBytes;
    const auto part = static_cast<std::uint32_t>(grows ? known.parts.size() - 1 : known.parts.size());
    VARVE_ASSIGN_OR_RETURN(const bool done, write_part(key, known, part, time, difference, begun));
    if (!done) return false;
    written.insert(part);
  }
  for (const auto& [part, ended] : difference.ended) {
    if (written.contains(part)) continue;
    VARVE_ASSIGN_OR_RETURN(const bool done, write_part(key, known, part, time, difference, begun));
    if (!done) return false;
  }
  known.newest = time;
  return true;
}

Result<bool> HistoryStore::record_walk(const std::string& tenant, const std::string& device, HistoryKind kind,
                                       model::Timestamp time, bool is_complete, std::vector<HistoryRow> rows) {
  if (!is_complete) return false;
  const MutexLock lock(mutex_);
  const Key key{tenant, device, kind};
  for (int tries = 0; tries < 3; ++tries) {
    std::shared_ptr<Known>& known = known_[key];
    if (!known) {
      VARVE_ASSIGN_OR_RETURN(known, load(key));
    }
    if (time <= known->newest) return false;
    const Difference changes = difference(kind, *known, time, rows);
    if (changes.begun.empty() && changes.ended.empty()) return false;
    const auto written = write(key, *known, time, changes);
    if (written && *written) return true;
    known.reset();  // what is there has to be read again
    if (!written) return fail(written.error());
  }
  return fail(Code::conflict, "somebody else writes the history of " + device);
}

Result<bool> HistoryStore::expire(const std::string& tenant, const std::string& device, model::Timestamp horizon) {
  const MutexLock lock(mutex_);
  bool has_changed = false;
  for (const HistoryKind kind : kKinds) {
    const Key key{tenant, device, kind};
    VARVE_ASSIGN_OR_RETURN(const auto texts, read(key));
    for (std::size_t part = 0; part < texts.size(); ++part) {
      auto rows = history_of_text(kind, texts[part]);
      if (!rows) return fail(malformed(service_of(tenant, device), part));
      if (std::erase_if(*rows, [&](const HistoryRow& row) { return row.end && *row.end < horizon; }) == 0) continue;
      const TextName name{"", service_of(tenant, device), std::string(to_text(kind)), part_key(part)};
      VARVE_ASSIGN_OR_RETURN(const auto now, texts_.text(name));
      if (now != texts[part]) continue;  // somebody writes it: the next time
      VARVE_RETURN_IF_ERROR(texts_.put_text(name, history_text(*rows)));
      has_changed = true;
    }
    if (has_changed) known_.erase(key);  // it is read again
  }
  return has_changed;
}

void HistoryStore::release(const std::string& tenant, const std::string& device) {
  const MutexLock lock(mutex_);
  for (const HistoryKind kind : kKinds) {
    known_.erase({tenant, device, kind});
  }
}

}  // namespace varve::snmp::inventory
