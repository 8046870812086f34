// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/raw_table.h"

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "codec/hash.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kTrailerBytes = 5;  // of a block: type, checksum
constexpr std::size_t kSequenceBytes = 8;
constexpr std::uint32_t kHasHashIndex = 1U << 31;  // in the number of restarts

bool take_number(std::string_view& from, std::uint32_t& number) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 35 && !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) {
      number = static_cast<std::uint32_t>(value);
      return value <= std::numeric_limits<std::uint32_t>::max();
    }
  }
  return false;
}

struct PackedEntry {
  std::uint32_t shared = 0;
  std::string_view key;  // without its shared beginning
  std::string_view value;
};

// nullopt: there is none. `key_bytes`: of the key before it; becomes that of its own.
std::optional<PackedEntry> take_entry(std::string_view& from, std::size_t& key_bytes) {
  PackedEntry entry;
  std::uint32_t other = 0;
  std::uint32_t value = 0;
  std::string_view rest = from;
  if (!take_number(rest, entry.shared) || !take_number(rest, other) || !take_number(rest, value)) return std::nullopt;
  const std::size_t bytes = std::size_t{entry.shared} + other;
  if (entry.shared > key_bytes || bytes <= kSequenceBytes) return std::nullopt;
  if (rest.size() < other || rest.size() - other < value) return std::nullopt;
  entry.key = rest.substr(0, other);
  entry.value = rest.substr(other, value);
  from = rest.substr(std::size_t{other} + value);
  key_bytes = bytes;
  return entry;
}

std::uint32_t number_at(std::string_view bytes, std::size_t index) {
  return load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(bytes.data()) + index * sizeof(std::uint32_t));
}

bool has_sequence(std::string_view key) {
  return key.size() > kSequenceBytes && static_cast<unsigned char>(key[key.size() - kSequenceBytes]) <= 1;
}

// The entries of the block of data that `bytes` begin with, and `size` becomes that of the whole block.
std::optional<std::string_view> block_of_data(std::string_view bytes, std::size_t& size) {
  std::string_view rest = bytes;
  std::size_t key_bytes = 0;
  const auto first = take_entry(rest, key_bytes);
  if (!first || !has_sequence(first->key)) return std::nullopt;
  while (take_entry(rest, key_bytes)) continue;
  // The first restart is 0, and no entry begins with four zeros.
  const std::string_view entries = bytes.substr(0, bytes.size() - rest.size());
  std::uint32_t before = 0;
  for (std::size_t i = 0; (i + 2) * sizeof(std::uint32_t) + kTrailerBytes <= rest.size(); ++i) {
    const std::uint32_t restart = number_at(rest, i);
    if (i == 0 ? restart != 0 : restart <= before || restart >= entries.size()) return std::nullopt;
    before = restart;
    if ((number_at(rest, i + 1) & ~kHasHashIndex) != i + 1) continue;
    const std::size_t content = entries.size() + (i + 2) * sizeof(std::uint32_t);
    if (bytes[content] != 0) continue;
    const std::uint32_t checksum = load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(&bytes[content + 1]));
    if (static_cast<std::uint32_t>(codec::hash64(bytes.substr(0, content))) != checksum) continue;
    size = content + kTrailerBytes;
    return entries;
  }
  return std::nullopt;
}

}  // namespace

// Where none begins, the next one is looked for, byte by byte.
bool RawTable::find_block() {
  for (std::size_t at = at_; at < bytes_.size(); ++at) {
    std::size_t size = 0;
    const auto entries = block_of_data(bytes_.substr(at), size);
    if (!entries) continue;
    unreadable_ += at - at_;
    at_ = at + size;
    entries_ = *entries;
    key_.clear();
    return true;
  }
  at_ = bytes_.size();
  return false;
}

std::optional<RawEntry> RawTable::next() {
  while (!entries_.empty() || find_block()) {
    std::size_t key_bytes = key_.size();
    const auto entry = take_entry(entries_, key_bytes);
    if (!entry) {
      entries_ = {};
      continue;
    }
    key_.resize(entry->shared);
    key_ += entry->key;
    if (!has_sequence(key_)) continue;
    const std::size_t bytes = key_.size() - kSequenceBytes;
    const auto packed = load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(key_.data()) + bytes);
    return RawEntry{std::string_view(key_).substr(0, bytes), packed >> 8, (packed & 0xff) == 1, entry->value};
  }
  return std::nullopt;
}

RawMerge::RawMerge(std::span<const std::span<const std::byte>> tables) {
  sources_.reserve(tables.size());
  for (const auto& table : tables) sources_.push_back({RawTable(table), {}});
  for (std::size_t i = 0; i < sources_.size(); ++i) step(i);
}

bool RawMerge::is_behind(std::size_t a, std::size_t b) const {
  const RawEntry& x = *sources_[a].entry;
  const RawEntry& y = *sources_[b].entry;
  return x.key != y.key ? x.key > y.key : x.sequence < y.sequence;
}

void RawMerge::step(std::size_t source) {
  sources_[source].entry = sources_[source].table.next();
  if (!sources_[source].entry) return;
  heap_.push_back(source);
  std::ranges::push_heap(heap_, [this](std::size_t a, std::size_t b) { return is_behind(a, b); });
}

std::optional<RawEntry> RawMerge::next() {
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, [this](std::size_t a, std::size_t b) { return is_behind(a, b); });
    const std::size_t source = heap_.back();
    heap_.pop_back();
    RawEntry entry = *sources_[source].entry;
    const bool is_older = !is_first_ && entry.key <= key_;
    if (!is_older) {
      is_first_ = false;
      key_ = entry.key;
      value_ = entry.value;
      entry.key = key_;
      entry.value = value_;
    }
    step(source);
    if (!is_older) return entry;
  }
  return std::nullopt;
}

}  // namespace varve::engine::rocksdb
