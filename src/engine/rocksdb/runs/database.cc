// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database.h"

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <map>

#include "base/check.h"
#include "engine/rocksdb/runs/database_rewrite.h"
#include "engine/rocksdb/runs/database_start.h"
#include "engine/rocksdb/runs/database_state.h"
#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

class DatabaseSnapshot final : public Database::Snapshot {
 public:
  explicit DatabaseSnapshot(DatabaseHandle& handle) : snapshot_(handle) {}
  [[nodiscard]] const ::rocksdb::Snapshot* get() const { return snapshot_.get(); }

 private:
  const DatabaseHandle::Snapshot snapshot_;
};

}  // namespace

struct Database::Draft::State {
  explicit State(Database::State& database) : of(database), batch(database) {}
  Database::State& of;
  Batch batch;
  std::map<RunKey, std::vector<std::uint32_t>> begun;  // first groups of their blocks
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(const std::string& path, const AtStep& at_step,
                                                 const Opening& opening) {
  if (!opening.is_new) {
    if (const Status sound = look_at_database(path, opening.oldest_segment); !sound) {
      if (sound.error().code != Code::corrupt) return fail(sound.error());
      if (!opening.repair) {
        return fail(Code::corrupt, sound.error().message +
                                       "; nothing has been changed: restore a backup, or start with " +
                                       "--storage.repair=true, which lists the tables of the database anew");
      }
      VARVE_RETURN_IF_ERROR(repair_database(path, opening.oldest_segment));
    }
    if (opening.repair) VARVE_RETURN_IF_ERROR(rewrite_if_damaged(path));
  }
  auto state = std::make_unique<State>();
  VARVE_ASSIGN_OR_RETURN(state->handle, DatabaseHandle::open(path, opening.is_new));
  state->at_step = at_step;
  return std::unique_ptr<Database>(new Database(std::move(state)));
}

Status Database::recover(Checkpoint& checkpoint, std::vector<Run>& runs, std::vector<std::pair<SlotKey, Mark>>& marks,
                         const std::function<Status(std::string_view)>& define) const {
  {
    const auto db = state_->handle->access();
    VARVE_ASSIGN_OR_RETURN(const StoredCheckpoint stored, read_checkpoint(*db));
    checkpoint = stored.checkpoint;
    state_->last_commit = stored.commit;
    VARVE_ASSIGN_OR_RETURN(checkpoint.definitions, state_->read_definitions(*db, define));
    const auto read_run = [&](std::string_view key, std::string_view record) -> Status {
      VARVE_ASSIGN_OR_RETURN(auto run, decode_run(key, record));
      checkpoint.next_run = std::max(checkpoint.next_run, run.key.run + 1);
      runs.push_back(std::move(run));
      return {};
    };
    VARVE_RETURN_IF_ERROR(for_each_key(*db, "r", "reading the list of runs", read_run));
    {
      const MutexLock lock(state_->garbage_mutex);
      VARVE_RETURN_IF_ERROR(state_->list_garbage(*db));
      for (const auto& left : state_->garbage) checkpoint.next_run = std::max(checkpoint.next_run, left.run.run + 1);
    }
    const auto read_mark = [&](std::string_view key, std::string_view record) -> Status {
      SlotKey slot;
      if (!parse_mark_key(key, slot)) return fail(Code::corrupt, "a slot's mark has a malformed key");
      VARVE_ASSIGN_OR_RETURN(auto mark, decode_mark(record));
      marks.emplace_back(slot, std::move(mark));
      return {};
    };
    VARVE_RETURN_IF_ERROR(for_each_key(*db, "s", "reading the marks of slots", read_mark));
  }
  {
    const MutexLock lock(state_->texts_mutex);  // never while the database is held
    VARVE_RETURN_IF_ERROR(state_->know_texts());
  }
  const RecordCounts found{runs.size(), marks.size()};
  VARVE_RETURN_IF_ERROR(check_counts(checkpoint.records, found));
  checkpoint.records = found;
  return {};
}

Result<StatsPages> Database::stats() const {
  StatsPages pages;
  const auto read_page = [&](std::string_view key, std::string_view record) -> Status {
    std::uint32_t number = 0;
    if (!parse_stats_key(key, number)) return fail(Code::corrupt, "a page of series' stats has a malformed key");
    VARVE_ASSIGN_OR_RETURN(auto page, decode_stats_page(record));
    pages.emplace_back(number, std::move(page));
    return {};
  };
  const auto db = state_->handle->access();
  VARVE_RETURN_IF_ERROR(for_each_key(*db, "l", "reading the stats of series", read_page));
  return pages;
}

std::shared_ptr<const Database::Snapshot> Database::snapshot() const {
  return std::make_shared<DatabaseSnapshot>(*state_->handle);
}

Result<std::shared_ptr<const std::string>> Database::get(const std::string& key, const Snapshot* snapshot) const {
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  auto value = std::make_shared<std::string>();
  const auto* const at = snapshot == nullptr ? nullptr : static_cast<const DatabaseSnapshot*>(snapshot)->get();
  VARVE_ASSIGN_OR_RETURN(const bool is_there, read_value(*db, key, *value, "reading a block", at));
  if (!is_there) return fail(Code::corrupt, "a block that its run names is not in the database");
  return value;
}

Database::Draft::Draft(Database& database) : state_(std::make_unique<State>(*database.state_)) {}

Database::Draft::~Draft() {
  const MutexLock lock(state_->of.garbage_mutex);
  for (auto& [run, groups] : state_->begun) state_->of.garbage.push_back({run, std::move(groups), false});
}

Status Database::Draft::put_block(const RunKey& run, model::GroupId first_group, std::span<const std::byte> block) {
  auto& batch = state_->batch;
  const auto [at, is_new] = state_->begun.try_emplace(run);
  check(at->second.empty() || at->second.back() < model::to_int(first_group), "the blocks of a run ascend");
  at->second.push_back(model::to_int(first_group));
  if (is_new) batch.put(garbage_key(run), {});
  batch.put(block_key(block_prefix(run), first_group), {reinterpret_cast<const char*>(block.data()), block.size()});
  return batch.bytes() < kBatchBytes ? Status{} : batch.write({"blocks.write", "blocks.written"});
}

Status Database::Draft::flush() {
  auto& batch = state_->batch;
  if (!batch.empty()) VARVE_RETURN_IF_ERROR(batch.write({"blocks.write", "blocks.written"}));
  VARVE_RETURN_IF_ERROR(state_->of.step("blocks.flush"));
  return batch.flush();
}

Status Database::write(const Commit& commit, Draft& draft) {
  auto& batch = draft.state_->batch;
  for (const auto& run : commit.added) {
    batch.put(run_key(run->key), encode_run(*run));
    batch.erase(garbage_key(run->key));
  }
  for (const auto& run : commit.removed) {
    batch.erase(run_key(run->key));
    batch.put(garbage_key(run->key), {});
  }
  for (const Edited& edited : commit.edited) {
    batch.put(run_key(edited.run->key), encode_run(*edited.run));
    for (const auto& [group, block] : edited.blocks) {
      const std::string key = edited.run->block_key(group);
      block.empty() ? batch.erase(key) : batch.put(key, block);
    }
  }
  for (const auto& [slot, mark] : commit.marks) {
    if (mark == Mark{}) {
      batch.erase(mark_key(slot));
    } else {
      batch.put(mark_key(slot), encode_mark(mark));
    }
  }
  for (const auto& [number, page] : commit.stats) batch.put(stats_key(number), encode_stats_page(*page));
  const std::uint64_t number = state_->last_commit + 1;
  batch.put(kCheckpointKey, encode_checkpoint({commit.checkpoint, number}));
  VARVE_RETURN_IF_ERROR(state_->step("commit.write"));
  {
    const MutexLock lock(state_->texts_mutex);
    VARVE_RETURN_IF_ERROR(state_->know_texts());
    VARVE_RETURN_IF_ERROR(batch.belong_to(state_->texts_epoch));
    State::put_counts(batch, state_->texts, number);
    VARVE_RETURN_IF_ERROR(batch.write({}));
    state_->texts_commit = number;
  }
  check(!state_->open_commit, "one commit at a time is written and not flushed");
  state_->last_commit = number;
  state_->open_commit = number;
  state_->open_epoch = batch.epoch();
  for (const auto& run : commit.added) draft.state_->begun.erase(run->key);
  return {};
}

Result<bool> Database::flush() {
  VARVE_RETURN_IF_ERROR(state_->step("commit.flush"));
  VARVE_RETURN_IF_ERROR(state_->flush(0));
  VARVE_ASSIGN_OR_RETURN(const bool is_there, has_open_commit());
  state_->open_commit.reset();
  VARVE_RETURN_IF_ERROR(state_->step("commit.flushed"));
  return is_there;
}

Result<bool> Database::has_open_commit() const {
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  if (!state_->open_commit || state_->open_epoch == db.epoch()) return true;
  VARVE_ASSIGN_OR_RETURN(const StoredCheckpoint stored, read_checkpoint(*db));
  return stored.commit == *state_->open_commit;
}

void Database::discard(std::span<const std::shared_ptr<const Run>> runs) {
  const MutexLock lock(state_->garbage_mutex);
  for (const auto& run : runs) state_->garbage.push_back({run->key, run->first_groups, run->has_old_keys});
}

bool Database::takes_edits() const { return !state_->handle->has_stale_snapshots(); }

bool Database::has_garbage() const {
  if (state_->handle->has_stale_snapshots()) return false;  // it is looked at later
  const MutexLock lock(state_->garbage_mutex);
  return !state_->garbage.empty();
}

Status Database::erase_garbage() {
  if (state_->handle->has_stale_snapshots()) return {};
  std::vector<State::Garbage> found;
  {
    const MutexLock lock(state_->garbage_mutex);
    found.swap(state_->garbage);
  }
  std::size_t done = 0;
  const auto erase_some = [&]() -> Status {
    Batch batch(*state_);
    std::size_t next = done;
    while (next < found.size() && batch.bytes() < kBatchBytes) {
      VARVE_RETURN_IF_ERROR(state_->add_erasure(found[next++], batch));
    }
    VARVE_RETURN_IF_ERROR(batch.write({"garbage.write", "garbage.written"}));
    done = next;
    return {};
  };
  Status status;
  while (status && done < found.size()) status = erase_some();
  const MutexLock lock(state_->garbage_mutex);
  state_->garbage.insert(state_->garbage.end(), found.begin() + static_cast<std::ptrdiff_t>(done), found.end());
  return status;
}

std::uint64_t Database::copies_read() { return rocksdb::copies_read(); }

std::uint64_t Database::damaged_tables() const { return state_->handle->damaged_tables(); }

bool Database::compacts() const { return state_->handle->compacts(); }

Status Database::compact(std::span<const std::shared_ptr<const Run>> erased) {
  if (!compacts()) return {};
  VARVE_RETURN_IF_ERROR(state_->step("compact.begin"));
  std::map<std::string, std::pair<std::string, std::string>> ranges;  // least and most, of each kind of key
  for (const auto& run : erased) {
    std::string prefix = run->block_prefix();
    const auto [at, is_first] = ranges.try_emplace(prefix.substr(0, run->has_old_keys ? 1 : 2), prefix, prefix);
    auto& [least, most] = at->second;
    if (prefix < least) least = prefix;
    if (prefix > most) most = std::move(prefix);
  }
  ::rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  for (const auto& [_, range] : ranges) {
    const std::string last = block_key(range.second, model::kNoGroup);
    const ::rocksdb::Slice begin(range.first);
    const ::rocksdb::Slice end(last);
    const auto db = state_->handle->access();
    if (!db) return fail(DatabaseHandle::closed());
    VARVE_RETURN_IF_ERROR(outcome(db->CompactRange(options, &begin, &end), "giving back room of the database"));
  }
  return {};
}

Status Database::compact() {
  // What lies in the last level already is not written again: nothing below it can be erased.
  const ::rocksdb::CompactRangeOptions options;
  VARVE_RETURN_IF_ERROR(state_->step("compact.begin"));
  VARVE_RETURN_IF_ERROR(state_->flush(0));
  if (!compacts()) return {};
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  return outcome(db->CompactRange(options, nullptr, nullptr), "compacting the database");
}

std::uint64_t Database::bytes() const {
  std::uint64_t bytes = 0;
  const auto db = state_->handle->access();
  if (db) db->GetIntProperty(::rocksdb::DB::Properties::kTotalSstFilesSize, &bytes);
  return bytes;
}

std::uint64_t Database::memory_bytes() const {
  std::uint64_t tables = 0;
  std::uint64_t readers = 0;
  const auto db = state_->handle->access();
  if (!db) return 0;
  db->GetIntProperty(::rocksdb::DB::Properties::kCurSizeAllMemTables, &tables);
  db->GetIntProperty(::rocksdb::DB::Properties::kEstimateTableReadersMem, &readers);
  return tables + readers;
}

}  // namespace varve::engine::rocksdb
