// SPDX-License-Identifier: Apache-2.0
// Definitions in the database. There are generations of them: a later one begins with all that was left of the one
// before, and only the last one counts. The one before stays until a start has read the last one, or the next is made.
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/log.h"
#include "codec/compression.h"
#include "engine/rocksdb/runs/database_state.h"
#include "engine/rocksdb/runs/keys.h"
#include "index/definitions.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kDefinitionsBytesMax = std::size_t{1} << 30;
constexpr std::size_t kPartBytes = std::size_t{4} << 20;

Result<std::uint64_t> generation_of(::rocksdb::DB& db) {
  std::string value;
  VARVE_ASSIGN_OR_RETURN(const bool is_there,
                         read_value(db, kGenerationKey, value, "reading the generation of the definitions"));
  if (!is_there) return 0;
  if (value.size() != sizeof(std::uint64_t))
    return fail(Code::corrupt, "the generation of the definitions is malformed");
  return load_be64(value.data());
}

}  // namespace

Result<std::uint64_t> Database::State::read_definitions(::rocksdb::DB& db,
                                                        const std::function<Status(std::string_view)>& define) {
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t counts, generation_of(db));
  note_generation(counts);
  const std::string own = definitions_prefix(counts);
  std::uint64_t newest = 0;
  std::string records;
  const auto read = [&](std::string_view key, std::string_view value) -> Status {
    if (!key.starts_with(own)) {
      has_other_generations = true;
      return {};
    }
    const auto sequence = definitions_sequence(key);
    if (!sequence) return fail(Code::corrupt, "definitions have a malformed key");
    VARVE_RETURN_IF_ERROR(codec::decompress(codec::Coding::zstd, value, kDefinitionsBytesMax, records));
    newest = *sequence;
    return define(records);
  };
  VARVE_RETURN_IF_ERROR(for_each_key(db, "d", "reading the definitions", read));
  return newest;
}

Status Database::put_definitions(std::uint64_t sequence, std::string_view definitions) {
  std::vector<std::string> keys;
  {
    const MutexLock lock(state_->definitions_mutex);
    keys.push_back(definitions_key(state_->generation, sequence));
    if (state_->writes_next) keys.push_back(definitions_key(state_->generation + 1, sequence));
  }
  std::string packed;
  VARVE_RETURN_IF_ERROR(codec::compress(codec::Coding::zstd, definitions, packed));
  Batch batch(*state_);
  for (const std::string& key : keys) batch.put(key, packed);
  VARVE_RETURN_IF_ERROR(batch.write({"definitions.write", "definitions.written"}));
  const MutexLock lock(state_->definitions_mutex);
  // Too late for those that were written again, if it was opened again at this moment.
  if (state_->handle->epoch() != batch.epoch()) return fail(DatabaseHandle::closed());
  check(state_->definitions.empty() || definitions_sequence(state_->definitions.back().key) < sequence,
        "definitions ascend by the number of their record");
  for (std::string& key : keys) state_->definitions.push_back({std::move(key), packed});
  return {};
}

Status Database::State::erase_other_generations(std::uint64_t kept) {
  if (!has_other_generations) return {};
  Batch batch(*this);
  {
    const auto db = handle->access();
    if (!db) return fail(DatabaseHandle::closed());
    const auto look_at = [&, own = definitions_prefix(kept)](std::string_view key, std::string_view) -> Status {
      if (!key.starts_with(own)) batch.erase(key);
      return {};
    };
    VARVE_RETURN_IF_ERROR(for_each_key(*db, "d", "looking for old definitions", look_at));
  }
  if (!batch.empty()) VARVE_RETURN_IF_ERROR(batch.write({"definitions.erase", "definitions.erased"}));
  has_other_generations = false;
  return {};
}

void Database::drop_old_definitions() {
  if (const Status erased = state_->erase_other_generations(state_->generation_now()); !erased) {
    log::warn("old definitions of series are erased later", {{"error", erased.error().message}});
  }
}

// What has been written is read again before it counts.
Status Database::State::check_definitions(std::uint64_t of_generation, std::string_view wanted) const {
  const auto db = handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  std::string records;
  const auto compare = [&](std::string_view, std::string_view value) -> Status {
    if (wanted.empty()) return {};  // what came meanwhile follows
    VARVE_RETURN_IF_ERROR(codec::decompress(codec::Coding::zstd, value, kDefinitionsBytesMax, records));
    if (!wanted.starts_with(records)) return fail(Code::corrupt, "a part differs from what was written");
    wanted.remove_prefix(records.size());
    return {};
  };
  VARVE_RETURN_IF_ERROR(for_each_key(*db, definitions_prefix(of_generation), "reading the new definitions", compare));
  return wanted.empty() ? Status{} : fail(Code::corrupt, "parts that were written are missing");
}

Status Database::clear_next_definitions() {
  std::uint64_t generation = 0;
  bool is_known = false;
  {
    const MutexLock lock(state_->definitions_mutex);
    generation = state_->generation;
    is_known = !state_->writes_next;
  }
  if (!is_known) {
    VARVE_RETURN_IF_ERROR(state_->mend());
    const auto db = state_->handle->access();
    if (!db) return fail(DatabaseHandle::closed());
    VARVE_ASSIGN_OR_RETURN(generation, generation_of(*db));
    state_->note_generation(generation);
  }
  return state_->erase_other_generations(generation);
}

void Database::begin_next_definitions() {
  const MutexLock lock(state_->definitions_mutex);
  check(!state_->writes_next, "one next generation is written at a time");
  state_->writes_next = true;
  state_->has_other_generations = true;  // this one, or the one before
}

void Database::give_up_next_definitions() {
  const MutexLock lock(state_->definitions_mutex);
  state_->writes_next = false;
}

// The parts first, durably, then the number that makes them count.
Result<bool> Database::replace_definitions(std::uint64_t sequence, std::string_view definitions) {
  const std::uint64_t next = state_->generation_now() + 1;
  if (const Status written = state_->write_next_generation(next, sequence, definitions); !written) {
    log::warn("the definitions of series cannot be written anew", {{"error", written.error().message}});
    give_up_next_definitions();
    return false;
  }
  VARVE_ASSIGN_OR_RETURN(const bool counts, state_->count_generation(next));
  if (counts) {
    state_->note_generation(next);
  } else {
    give_up_next_definitions();
  }
  return counts;
}

Status Database::State::write_next_generation(std::uint64_t next, std::uint64_t sequence, std::string_view all) {
  Batch batch(*this);
  std::uint32_t part = 0;
  for (std::string_view rest = all; !rest.empty(); ++part) {
    const std::string_view piece = rest.substr(0, index::whole_records(rest, kPartBytes));
    std::string packed;
    VARVE_RETURN_IF_ERROR(codec::compress(codec::Coding::zstd, piece, packed));
    batch.put(definitions_key(next, sequence, part), packed);
    VARVE_RETURN_IF_ERROR(batch.write({"definitions.replace", "definitions.replaced"}));
    rest.remove_prefix(piece.size());
  }
  VARVE_RETURN_IF_ERROR(batch.flush());
  return check_definitions(next, all);
}

Result<bool> Database::State::count_generation(std::uint64_t next) {
  std::string number(sizeof next, '\0');
  store_be64(number.data(), next);
  Batch batch(*this);
  batch.put(kGenerationKey, number);
  Status status = batch.write({"generation.write", ""});
  if (!status) return false;
  status = step("generation.flush");
  if (status) status = batch.flush();
  if (status) return true;
  // It may be in files or not. What is in memory only is gone when the database is opened again.
  handle->note_failure();
  VARVE_RETURN_IF_ERROR(mend());
  const auto db = handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t stands, generation_of(*db));
  return stands == next;
}

}  // namespace varve::engine::rocksdb
