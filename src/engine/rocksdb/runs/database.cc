// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database.h"

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include <map>

#include "base/bytes.h"
#include "base/check.h"
#include "engine/rocksdb/runs/database_state.h"
#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kCheckpointBytes = 32;
constexpr std::size_t kCheckpointBytesOnce = 24;  // without the commit's number
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

std::string encode_checkpoint(const Checkpoint& checkpoint, std::uint64_t commit) {
  std::string value(kCheckpointBytes, '\0');
  store_be64(value.data(), checkpoint.next_run);
  store_be64(value.data() + 8, checkpoint.first_segment);
  store_be64(value.data() + 16, checkpoint.sequence);
  store_be64(value.data() + 24, commit);
  return value;
}

std::uint64_t commit_of(std::string_view checkpoint) {
  return checkpoint.size() == kCheckpointBytes ? load_be64(checkpoint.data() + 24) : 0;
}

class DatabaseSnapshot final : public Database::Snapshot {
 public:
  explicit DatabaseSnapshot(DatabaseHandle& handle) : snapshot_(handle) {}
  [[nodiscard]] const ::rocksdb::Snapshot* get() const { return snapshot_.get(); }

 private:
  const DatabaseHandle::Snapshot snapshot_;
};

}  // namespace

struct Database::Draft::State {
  explicit State(Database::State& database) : of(database) {}
  Database::State& of;
  ::rocksdb::WriteBatch batch;                         // not written yet
  std::uint64_t epoch = 0;                             // in which the blocks so far were written; 0: none was
  std::map<RunKey, std::vector<std::uint32_t>> begun;  // first groups of their blocks
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(const std::string& path, const AtStep& at_step) {
  auto state = std::make_unique<State>();
  VARVE_ASSIGN_OR_RETURN(state->handle, DatabaseHandle::open(path));
  state->at_step = at_step;
  return std::unique_ptr<Database>(new Database(std::move(state)));
}

Status Database::recover(Checkpoint& checkpoint, std::vector<Run>& runs, std::vector<std::pair<SlotKey, Mark>>& marks,
                         const std::function<Status(std::string_view)>& define) const {
  const auto db = state_->handle->access();
  ::rocksdb::ReadOptions options;
  options.fill_cache = false;
  std::string value;
  if (const auto status = db->Get(options, slice(kCheckpointKey), &value); status.ok()) {
    if (value.size() != kCheckpointBytes && value.size() != kCheckpointBytesOnce) {
      return fail(Code::corrupt, "the checkpoint record is malformed");
    }
    checkpoint = {load_be64(value.data()), load_be64(value.data() + 8), load_be64(value.data() + 16)};
    state_->last_commit = commit_of(value);
  } else if (!status.IsNotFound()) {
    return fail(translate(status, "reading the checkpoint"));
  }
  VARVE_ASSIGN_OR_RETURN(checkpoint.definitions, state_->read_definitions(*db.operator->(), define));
  const std::unique_ptr<::rocksdb::Iterator> at(db->NewIterator(options));
  for (at->Seek("r"); at->Valid() && at->key().starts_with("r"); at->Next()) {
    VARVE_ASSIGN_OR_RETURN(auto run, decode_run(at->key().ToStringView(), at->value().ToStringView()));
    checkpoint.next_run = std::max(checkpoint.next_run, run.key.run + 1);
    runs.push_back(std::move(run));
  }
  {
    const MutexLock lock(state_->garbage_mutex);
    VARVE_RETURN_IF_ERROR(state_->list_garbage(*db.operator->()));
    for (const auto& left : state_->garbage) checkpoint.next_run = std::max(checkpoint.next_run, left.run.run + 1);
  }
  for (at->Seek("s"); at->Valid() && at->key().starts_with("s"); at->Next()) {
    SlotKey slot;
    if (!parse_mark_key(at->key().ToStringView(), slot))
      return fail(Code::corrupt, "a slot's mark has a malformed key");
    VARVE_ASSIGN_OR_RETURN(auto mark, decode_mark(at->value().ToStringView()));
    marks.emplace_back(slot, std::move(mark));
  }
  if (!at->status().ok()) return fail(translate(at->status(), "reading the list of runs"));
  return {};
}

Result<StatsPages> Database::stats() const {
  ::rocksdb::ReadOptions options;
  options.fill_cache = false;
  StatsPages pages;
  const auto db = state_->handle->access();
  const std::unique_ptr<::rocksdb::Iterator> at(db->NewIterator(options));
  for (at->Seek("l"); at->Valid() && at->key().starts_with("l"); at->Next()) {
    std::uint32_t number = 0;
    if (!parse_stats_key(at->key().ToStringView(), number)) {
      return fail(Code::corrupt, "a page of series' stats has a malformed key");
    }
    VARVE_ASSIGN_OR_RETURN(auto page, decode_stats_page(at->value().ToStringView()));
    pages.emplace_back(number, std::move(page));
  }
  if (!at->status().ok()) return fail(translate(at->status(), "reading the stats of series"));
  return pages;
}

std::shared_ptr<const Database::Snapshot> Database::snapshot() const {
  return std::make_shared<DatabaseSnapshot>(*state_->handle);
}

Result<std::shared_ptr<const std::string>> Database::get(const std::string& key, const Snapshot* snapshot) const {
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  ::rocksdb::ReadOptions options;
  if (snapshot != nullptr) options.snapshot = static_cast<const DatabaseSnapshot*>(snapshot)->get();
  auto value = std::make_shared<std::string>();
  if (const auto status = db->Get(options, key, value.get()); !status.ok()) {
    if (status.IsNotFound()) return fail(Code::corrupt, "a block that its run names is not in the database");
    return fail(translate(status, "reading a block"));
  }
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
  if (is_new) batch.Put(garbage_key(run), {});
  const auto status =
      batch.Put(block_key(block_prefix(run), first_group), {reinterpret_cast<const char*>(block.data()), block.size()});
  if (!status.ok()) return fail(translate(status, "collecting blocks"));
  if (batch.GetDataSize() < kBatchBytes) return {};
  return state_->of.write(batch, {"blocks.write", "blocks.written"}, &state_->epoch);
}

Status Database::Draft::flush() {
  if (state_->batch.Count() > 0) {
    VARVE_RETURN_IF_ERROR(state_->of.write(state_->batch, {"blocks.write", "blocks.written"}, &state_->epoch));
  }
  VARVE_RETURN_IF_ERROR(state_->of.step("blocks.flush"));
  return state_->of.flush();
}

Status Database::write(const Commit& commit, Draft& draft) {
  auto& batch = draft.state_->batch;
  for (const auto& run : commit.added) {
    batch.Put(run_key(run->key), encode_run(*run));
    batch.Delete(garbage_key(run->key));
  }
  for (const auto& run : commit.removed) {
    batch.Delete(run_key(run->key));
    batch.Put(garbage_key(run->key), {});
  }
  for (const Edited& edited : commit.edited) {
    batch.Put(run_key(edited.run->key), encode_run(*edited.run));
    for (const auto& [group, block] : edited.blocks) {
      const std::string key = edited.run->block_key(group);
      block.empty() ? batch.Delete(key) : batch.Put(key, block);
    }
  }
  for (const auto& [slot, mark] : commit.marks) {
    if (mark == Mark{}) {
      batch.Delete(mark_key(slot));
    } else {
      batch.Put(mark_key(slot), encode_mark(mark));
    }
  }
  for (const auto& [number, page] : commit.stats) batch.Put(stats_key(number), encode_stats_page(*page));
  const std::uint64_t number = state_->last_commit + 1;
  batch.Put(slice(kCheckpointKey), encode_checkpoint(commit.checkpoint, number));
  VARVE_RETURN_IF_ERROR(state_->write(batch, {"commit.write", ""}, &draft.state_->epoch));
  check(!state_->open_commit, "one commit at a time is written and not flushed");
  state_->last_commit = number;
  state_->open_commit = number;
  state_->open_epoch = draft.state_->epoch;
  for (const auto& run : commit.added) draft.state_->begun.erase(run->key);
  return {};
}

Result<bool> Database::flush() {
  VARVE_RETURN_IF_ERROR(state_->step("commit.flush"));
  VARVE_RETURN_IF_ERROR(state_->flush());
  VARVE_ASSIGN_OR_RETURN(const bool is_there, has_open_commit());
  state_->open_commit.reset();
  VARVE_RETURN_IF_ERROR(state_->step("commit.flushed"));
  return is_there;
}

Result<bool> Database::has_open_commit() const {
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  if (!state_->open_commit || state_->open_epoch == db.epoch()) return true;
  std::string value;
  const auto status = db->Get({}, slice(kCheckpointKey), &value);
  if (status.IsNotFound()) return false;
  if (!status.ok()) return fail(translate(status, "reading the checkpoint"));
  return commit_of(value) == *state_->open_commit;
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
    ::rocksdb::WriteBatch batch;
    std::size_t next = done;
    while (next < found.size() && batch.GetDataSize() < kBatchBytes) {
      VARVE_RETURN_IF_ERROR(state_->add_erasure(found[next++], batch));
    }
    VARVE_RETURN_IF_ERROR(state_->write(batch, {"garbage.write", "garbage.written"}));
    done = next;
    return {};
  };
  Status status;
  while (status && done < found.size()) status = erase_some();
  const MutexLock lock(state_->garbage_mutex);
  state_->garbage.insert(state_->garbage.end(), found.begin() + static_cast<std::ptrdiff_t>(done), found.end());
  return status;
}

Status Database::compact(std::span<const std::shared_ptr<const Run>> erased) {
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
    if (const auto status = db->CompactRange(options, &begin, &end); !status.ok()) {
      return fail(translate(status, "giving back room of the database"));
    }
  }
  return {};
}

Status Database::compact() {
  // What lies in the last level already is not written again: nothing below it can be erased.
  const ::rocksdb::CompactRangeOptions options;
  VARVE_RETURN_IF_ERROR(state_->step("compact.begin"));
  VARVE_RETURN_IF_ERROR(state_->flush());
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  if (const auto status = db->CompactRange(options, nullptr, nullptr); !status.ok()) {
    return fail(translate(status, "compacting the database"));
  }
  return {};
}

Status Database::put_text(const std::string& key, std::string_view text) {
  ::rocksdb::WriteBatch batch;
  if (const auto status = batch.Put(key, slice(text)); !status.ok())
    return fail(translate(status, "collecting a text"));
  VARVE_RETURN_IF_ERROR(state_->write(batch, {"text.write", "text.written"}));
  return state_->flush();
}

Status Database::erase_text(const std::string& key) {
  ::rocksdb::WriteBatch batch;
  if (const auto status = batch.Delete(key); !status.ok()) return fail(translate(status, "erasing a text"));
  VARVE_RETURN_IF_ERROR(state_->write(batch, {"text.write", "text.written"}));
  return state_->flush();
}

Result<std::optional<std::string>> Database::text(const std::string& key) const {
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  std::string text;
  const auto status = db->Get({}, key, &text);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) return fail(translate(status, "reading a text"));
  return text;
}

Result<std::vector<std::string>> Database::text_keys(const std::string& prefix) const {
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  std::vector<std::string> keys;
  const std::unique_ptr<::rocksdb::Iterator> at(db->NewIterator({}));
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) keys.push_back(at->key().ToString());
  if (!at->status().ok()) return fail(translate(at->status(), "reading the names of texts"));
  return keys;
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
