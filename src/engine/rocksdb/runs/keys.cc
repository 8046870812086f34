// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/keys.h"

#include "base/bytes.h"
#include "base/check.h"
#include "engine/rocksdb/runs/run_numbers.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr std::size_t kMarkKeyBytes = 1 + 4 + 8 + 8;
constexpr std::size_t kRunKeyBytes = kMarkKeyBytes + 8;
constexpr unsigned kSequenceBits = 48;     // of a key of definitions; the rest is the generation
constexpr std::size_t kGenerationEnd = 3;  // bytes

void put32(std::string& key, std::uint32_t v) {
  char bytes[4];
  store_be32(bytes, v);
  key.append(bytes, sizeof bytes);
}

void put64(std::string& key, std::uint64_t v) {
  char bytes[8];
  store_be64(bytes, v);
  key.append(bytes, sizeof bytes);
}

void put_slot(std::string& key, const SlotKey& slot) {
  put32(key, model::to_int(slot.tenant));
  put64(key, static_cast<std::uint64_t>(slot.granularity_ms) ^ kSignBit);
  put64(key, static_cast<std::uint64_t>(slot.start) ^ kSignBit);
}

std::string with_slot(char kind, const SlotKey& slot) {
  std::string key(1, kind);
  put_slot(key, slot);
  return key;
}

std::string with_run(char kind, const RunKey& run) {
  std::string key = with_slot(kind, run.slot);
  put64(key, run.run);
  return key;
}

SlotKey slot_at(const char* bytes) {
  return {model::TenantId{load_be32(bytes)}, static_cast<std::int64_t>(load_be64(bytes + 4) ^ kSignBit),
          static_cast<model::Timestamp>(load_be64(bytes + 12) ^ kSignBit)};
}

bool parse_with_run(char kind, std::string_view key, RunKey& run) {
  if (key.size() != kRunKeyBytes || key[0] != kind) return false;
  run = {slot_at(key.data() + 1), load_be64(key.data() + kMarkKeyBytes)};
  return true;
}

}  // namespace

std::string block_prefix(const RunKey& run) {
  std::string key = "B";
  const SlotKey& slot = run.slot;
  const bool stays = slot.granularity_ms > 0 && !RunNumbers::is_of_flush(run.run);
  key += stays ? (slot.is_stratum() ? 's' : 'w') : RunNumbers::is_of_flush(run.run) ? 'f' : 'm';
  put64(key, run.run);
  put_slot(key, run.slot);
  return key;
}

std::string old_block_prefix(const RunKey& run) { return with_run('b', run); }

std::string block_key(std::string_view prefix, model::GroupId first_group) {
  std::string key(prefix);
  put32(key, model::to_int(first_group));
  return key;
}

std::string run_key(const RunKey& run) { return with_run('r', run); }

std::string garbage_key(const RunKey& run) { return with_run('g', run); }

std::string stats_key(std::uint32_t page) {
  std::string key(1, 'l');
  put32(key, page);
  return key;
}

std::string text_key(std::string_view tenant, std::string_view service, std::string_view place) {
  std::string key(1, 't');
  for (const std::string_view part : {tenant, service}) {
    key += static_cast<char>(part.size() >> 8);
    key += static_cast<char>(part.size() & 0xff);
    key += part;
  }
  return key.append(place);
}

std::string definitions_prefix(std::uint64_t generation) {
  return definitions_key(generation, 0).substr(0, kGenerationEnd);
}

std::string definitions_key(std::uint64_t generation, std::uint64_t sequence) {
  check(generation >> 16 == 0 && sequence >> kSequenceBits == 0, "both numbers have room in eight bytes");
  std::string key(1, 'd');
  put64(key, generation << kSequenceBits | sequence);
  return key;
}

std::string definitions_key(std::uint64_t generation, std::uint64_t sequence, std::uint32_t part) {
  std::string key = definitions_key(generation, sequence);
  put32(key, part);
  return key;
}

std::optional<std::uint64_t> definitions_sequence(std::string_view key) {
  if (key.size() != 9 && key.size() != 13) return std::nullopt;
  return load_be64(key.data() + 1) & ((std::uint64_t{1} << kSequenceBits) - 1);
}

std::string mark_key(const SlotKey& slot) { return with_slot('s', slot); }

bool parse_run_key(std::string_view key, RunKey& run) { return parse_with_run('r', key, run); }

bool parse_block_key(std::string_view key, RunKey& run) {
  if (key.size() == kRunKeyBytes + 4) return parse_with_run('b', key.substr(0, kRunKeyBytes), run);
  if (key.size() != kRunKeyBytes + 5 || key[0] != 'B') return false;
  run = {slot_at(key.data() + 10), load_be64(key.data() + 2)};
  return block_prefix(run) == key.substr(0, kRunKeyBytes + 1);
}

bool parse_garbage_key(std::string_view key, RunKey& run) { return parse_with_run('g', key, run); }

bool parse_stats_key(std::string_view key, std::uint32_t& page) {
  if (key.size() != 5 || key[0] != 'l') return false;
  page = load_be32(key.data() + 1);
  return true;
}

bool parse_mark_key(std::string_view key, SlotKey& slot) {
  if (key.size() != kMarkKeyBytes || key[0] != 's') return false;
  slot = slot_at(key.data() + 1);
  return true;
}

}  // namespace varve::engine::rocksdb
