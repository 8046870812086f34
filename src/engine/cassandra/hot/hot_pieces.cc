// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/hot_pieces.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace varve::engine::cassandra {
namespace {

using model::GroupId;

constexpr std::size_t kGroupBytes = 4;  // of a row: its number, which only this process understands

struct Placed {
  GroupId group{};
  model::Timestamp slot;
  const std::byte* at;  // ascending in the batch
  std::size_t bytes;
};

auto place_of(const Placed& row) { return std::tuple(row.group, row.slot); }

std::vector<Placed> rows_of(const model::RowBatch& batch, std::int64_t slot_width_ms) {
  std::vector<Placed> rows;
  rows.reserve(batch.rows());
  const std::span<const std::byte> bytes = batch.bytes();
  for (const std::byte* at = bytes.data(); at != bytes.data() + bytes.size();) {
    const model::RowView row{at};
    rows.push_back({row.group(), model::window_start(row.time(), slot_width_ms), at, row.bytes()});
    at += rows.back().bytes;
  }
  if (!std::ranges::is_sorted(rows, {}, place_of)) std::ranges::stable_sort(rows, {}, place_of);
  return rows;
}

// The rows of a section.
struct Run {
  std::size_t section = 0;
  HashPrefix prefix;
  std::span<const Placed> rows;
};

std::vector<Run> runs_of(std::span<const Placed> rows, const NamesOf& names_of,
                         std::vector<HotBatch::Section>& sections) {
  std::vector<GroupId> groups;
  for (const Placed& row : rows) {
    if (groups.empty() || groups.back() != row.group) groups.push_back(row.group);
  }
  const std::vector<GroupName> names = names_of(groups);
  check(names.size() == groups.size(), "each group has a name");
  std::vector<Run> runs;
  std::size_t group = 0;
  for (std::size_t from = 0; from < rows.size();) {
    std::size_t to = from + 1;
    while (to < rows.size() && place_of(rows[to]) == place_of(rows[from])) ++to;
    if (rows[from].group != groups[group]) ++group;
    const GroupName& name = names[group];
    runs.push_back(
        {sections.size(), hash_prefix_of(view_of(name.hash), name.prefix_bits), rows.subspan(from, to - from)});
    sections.push_back({rows[from].group, name, rows[from].slot});
    from = to;
  }
  check(rows.empty() || group + 1 == groups.size(), "each group has a section");
  return runs;
}

class Pieces {
 public:
  Pieces(std::vector<HotPiece>& pieces, std::size_t bytes_max) : pieces_(pieces), bytes_max_(bytes_max) {}

  void add(const Run& run, const HotBatch::Section& section) {
    const bool joins = !pieces_.empty() && pieces_.back().slot == section.slot && pieces_.back().prefix == run.prefix;
    if (!joins) pieces_.push_back({run.prefix, section.slot, {}});
    const std::string_view hash = view_of(section.name.hash);
    for (const Placed& row : run.rows) {
      const std::size_t size = pieces_.back().value.size() + kSectionHeadBytes + packed_.size() + row.bytes;
      if (size > bytes_max_ && size > kSectionHeadBytes + row.bytes) {
        flush(hash);
        pieces_.push_back({run.prefix, section.slot, {}});
      }
      packed_.append(kGroupBytes, '\0');
      packed_.append(reinterpret_cast<const char*>(row.at) + kGroupBytes, row.bytes - kGroupBytes);
    }
    flush(hash);
  }

 private:
  void flush(std::string_view hash) {
    if (!packed_.empty()) append_section(pieces_.back().value, hash, packed_);
    packed_.clear();
  }
  std::vector<HotPiece>& pieces_;
  const std::size_t bytes_max_;
  std::string packed_;  // of the section that is open
};

}  // namespace

HotBatch hot_pieces(const model::RowBatch& batch, std::int64_t slot_width_ms, const NamesOf& names_of,
                    std::size_t bytes_max) {
  HotBatch out;
  const std::vector<Placed> rows = rows_of(batch, slot_width_ms);
  std::vector<Run> runs = runs_of(rows, names_of, out.sections);
  const auto order = [&](const Run& run) { return std::tie(run.prefix, out.sections[run.section].slot); };
  std::ranges::stable_sort(runs, {}, order);
  Pieces pieces(out.pieces, bytes_max);
  for (const Run& run : runs) pieces.add(run, out.sections[run.section]);
  return out;
}

}  // namespace varve::engine::cassandra
