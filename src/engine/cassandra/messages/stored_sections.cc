// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/stored_sections.h"

#include <utility>
#include <vector>

#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {
namespace {

// In one request, of many at a time: Cassandra answers them side by side, and none is so large that it comes in pages.
constexpr std::size_t kSectionsAtOnce = 4;

std::string section_cell(std::uint32_t section) { return integer_cell(static_cast<std::int32_t>(section)); }

}  // namespace

StoredSections::StoredSections(RowStore& rows, RowRead read, SectionCaches& caches)
    : rows_(rows), read_(std::move(read)), caches_(caches) {
  for (const std::string& cell : read_.partition) name_ += std::to_string(cell.size()) + ":" + cell;
}

std::string StoredSections::cache_key(std::uint32_t number) const {
  std::string key = name_;
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
  return key;
}

std::shared_ptr<const void> StoredSections::decoded(std::uint32_t what) const {
  return caches_.decoded.find(cache_key(what));
}

void StoredSections::keep_decoded(std::uint32_t what, std::shared_ptr<const void> value, std::size_t bytes) const {
  caches_.decoded.put(cache_key(what), std::move(value), bytes);
}

Status StoredSections::read_all(std::span<const std::uint32_t> sections, Held& out) const {
  std::vector<RowRead> reads;
  for (const std::uint32_t section : sections) {
    if (reads.empty() || reads.back().keys.size() == kSectionsAtOnce) reads.push_back(read_);
    reads.back().keys.push_back(section_cell(section));
  }
  return rows_.read(reads, {}, [&](std::size_t, const RowView& row) -> Status {
    if (row.cells.size() != 2) return fail(Code::corrupt, "a section of a block of messages has not two cells");
    VARVE_ASSIGN_OR_RETURN(const std::int32_t section, integer_of(row.cells[0]));
    out[static_cast<std::uint32_t>(section)] = std::make_shared<const std::string>(row.cells[1]);
    return {};
  });
}

void StoredSections::fetch(std::span<const std::uint32_t> sections, bool is_text) const {
  Held before, wanted;
  {
    const MutexLock lock(mutex_);
    before = std::move(held_);
    held_.clear();
  }
  shared::SectionCache& cache = is_text ? caches_.texts : caches_.columns;
  std::vector<std::uint32_t> missing;
  for (const std::uint32_t section : sections) {
    const auto known = before.find(section);
    Section kept = known != before.end() ? known->second : cache.find(cache_key(section));
    if (kept != nullptr) {
      wanted.emplace(section, std::move(kept));
    } else {
      missing.push_back(section);
    }
  }
  if (!missing.empty()) std::ignore = read_all(missing, wanted);
  for (const std::uint32_t section : is_text ? missing : std::vector<std::uint32_t>()) {
    const auto found = wanted.find(section);
    if (found == wanted.end() || !message::block::check_section(*found->second, section)) continue;
    caches_.texts.put(cache_key(section), found->second, found->second->capacity());
  }
  const MutexLock lock(mutex_);
  held_ = std::move(wanted);
}

Result<StoredSections::Section> StoredSections::read(std::uint32_t section) const {
  {
    const MutexLock lock(mutex_);
    if (const auto known = held_.find(section); known != held_.end()) return known->second;
  }
  Held found;
  VARVE_RETURN_IF_ERROR(read_all({&section, 1}, found));
  if (found.empty()) return fail(Code::unavailable, "a block of messages was replaced: ask again");
  return found.begin()->second;
}

Result<StoredSections::Section> StoredSections::read_checked(std::uint32_t section) const {
  const std::string key = cache_key(section);
  if (auto kept = caches_.columns.find(key)) return kept;
  VARVE_ASSIGN_OR_RETURN(auto bytes, Sections::read_checked(section));
  caches_.columns.put(key, bytes, bytes->capacity());
  return bytes;
}

}  // namespace varve::engine::cassandra
