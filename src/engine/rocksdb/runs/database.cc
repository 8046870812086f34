// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include "base/bytes.h"
#include "codec/compression.h"
#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kMemtableBytes = std::size_t{16} << 20;
constexpr std::size_t kTableCacheBytes = std::size_t{8} << 20;  // index blocks; chunks are cached decoded, above
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
constexpr std::size_t kDefinitionsBytesMax = std::size_t{1} << 30;

Error translate(const ::rocksdb::Status& status, std::string_view doing) {
  Code code = Code::io;
  if (status.IsCorruption()) code = Code::corrupt;
  if (status.IsNoSpace()) code = Code::unavailable;
  if (status.IsIOError() && status.ToString().find("lock") != std::string::npos) code = Code::conflict;
  return {code, std::string(doing) + ": " + status.ToString()};
}

::rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  std::string value(24, '\0');
  store_be64(value.data(), checkpoint.next_run);
  store_be64(value.data() + 8, checkpoint.first_segment);
  store_be64(value.data() + 16, checkpoint.sequence);
  return value;
}

::rocksdb::Options database_options() {
  ::rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = ::rocksdb::kNoCompression;
  options.write_buffer_size = kMemtableBytes;
  options.max_write_buffer_number = 2;
  options.max_background_jobs = 2;
  options.target_file_size_base = 64ULL << 20;
  options.max_bytes_for_level_base = 512ULL << 20;
  options.level_compaction_dynamic_level_bytes = true;
  options.max_open_files = 512;
  options.info_log_level = ::rocksdb::ERROR_LEVEL;
  options.keep_log_file_num = 2;
  options.avoid_flush_during_shutdown = true;  // the log has what was not flushed
  ::rocksdb::BlockBasedTableOptions table;
  table.block_cache = ::rocksdb::NewLRUCache(kTableCacheBytes);
  table.block_size = 16 * 1024;
  table.format_version = 5;
  options.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

class DatabaseSnapshot final : public Database::Snapshot {
 public:
  explicit DatabaseSnapshot(::rocksdb::DB& db) : db_(db), snapshot_(db.GetSnapshot()) {}
  ~DatabaseSnapshot() override { db_.ReleaseSnapshot(snapshot_); }
  DatabaseSnapshot(const DatabaseSnapshot&) = delete;
  DatabaseSnapshot& operator=(const DatabaseSnapshot&) = delete;
  [[nodiscard]] const ::rocksdb::Snapshot* get() const { return snapshot_; }

 private:
  ::rocksdb::DB& db_;
  const ::rocksdb::Snapshot* snapshot_;
};

}  // namespace

struct Database::State {
  std::unique_ptr<::rocksdb::DB> db;
  ::rocksdb::WriteBatch batch;  // blocks not written yet

  enum class Log { none, synced };
  Status write(::rocksdb::WriteBatch& what, Log log = Log::none) {
    ::rocksdb::WriteOptions options;
    options.disableWAL = log == Log::none;
    options.sync = log == Log::synced;
    if (const auto status = db->Write(options, &what); !status.ok()) {
      (void)db->Resume();  // after a full disk RocksDB refuses writes until it is asked to go on
      if (const auto again = db->Write(options, &what); !again.ok()) {
        what.Clear();  // whoever tries again, says it all again
        return fail(translate(again, "writing to the database"));
      }
    }
    what.Clear();
    return {};
  }
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(const std::string& path) {
  auto state = std::make_unique<State>();
  ::rocksdb::DB* db = nullptr;
  if (const auto status = ::rocksdb::DB::Open(database_options(), path, &db); !status.ok()) {
    return fail(translate(status, "opening the database " + path));
  }
  state->db.reset(db);
  return std::unique_ptr<Database>(new Database(std::move(state)));
}

Status Database::recover(Checkpoint& checkpoint, std::vector<Run>& runs, std::vector<std::pair<SlotKey, Mark>>& marks,
                         const std::function<Status(std::string_view)>& define) const {
  ::rocksdb::ReadOptions options;
  options.fill_cache = false;
  std::string value;
  if (const auto status = state_->db->Get(options, slice(kCheckpointKey), &value); status.ok()) {
    if (value.size() != 24) return fail(Code::corrupt, "the checkpoint record is malformed");
    checkpoint = {load_be64(value.data()), load_be64(value.data() + 8), load_be64(value.data() + 16)};
  } else if (!status.IsNotFound()) {
    return fail(translate(status, "reading the checkpoint"));
  }
  const std::unique_ptr<::rocksdb::Iterator> at(state_->db->NewIterator(options));
  std::string definitions;
  for (at->Seek("d"); at->Valid() && at->key().starts_with("d"); at->Next()) {
    VARVE_CHECK_OK(
        codec::decompress(codec::Coding::zstd, at->value().ToStringView(), kDefinitionsBytesMax, definitions));
    VARVE_CHECK_OK(define(definitions));
  }
  for (at->Seek("r"); at->Valid() && at->key().starts_with("r"); at->Next()) {
    VARVE_TRY(auto run, decode_run(at->key().ToStringView(), at->value().ToStringView()));
    runs.push_back(std::move(run));
  }
  for (at->Seek("s"); at->Valid() && at->key().starts_with("s"); at->Next()) {
    SlotKey slot;
    if (!parse_mark_key(at->key().ToStringView(), slot))
      return fail(Code::corrupt, "a slot's mark has a malformed key");
    VARVE_TRY(auto mark, decode_mark(at->value().ToStringView()));
    marks.emplace_back(slot, std::move(mark));
  }
  if (!at->status().ok()) return fail(translate(at->status(), "reading the list of runs"));
  return {};
}

Result<LifePages> Database::lives() const {
  ::rocksdb::ReadOptions options;
  options.fill_cache = false;
  LifePages pages;
  const std::unique_ptr<::rocksdb::Iterator> at(state_->db->NewIterator(options));
  for (at->Seek("l"); at->Valid() && at->key().starts_with("l"); at->Next()) {
    std::uint32_t number = 0;
    if (!parse_life_key(at->key().ToStringView(), number)) {
      return fail(Code::corrupt, "a page of series' lives has a malformed key");
    }
    VARVE_TRY(auto page, decode_life_page(at->value().ToStringView()));
    pages.emplace_back(number, std::move(page));
  }
  if (!at->status().ok()) return fail(translate(at->status(), "reading the lives of series"));
  return pages;
}

std::shared_ptr<const Database::Snapshot> Database::snapshot() const {
  return std::make_shared<DatabaseSnapshot>(*state_->db);
}

Result<std::shared_ptr<const std::string>> Database::get(const std::string& key, const Snapshot* snapshot) const {
  ::rocksdb::ReadOptions options;
  if (snapshot != nullptr) options.snapshot = static_cast<const DatabaseSnapshot*>(snapshot)->get();
  auto value = std::make_shared<std::string>();
  if (const auto status = state_->db->Get(options, key, value.get()); !status.ok()) {
    if (status.IsNotFound()) return fail(Code::corrupt, "a block that its run names is not in the database");
    return fail(translate(status, "reading a block"));
  }
  return value;
}

Status Database::put_block(const std::string& key, std::span<const std::byte> block) {
  const auto status = state_->batch.Put(key, {reinterpret_cast<const char*>(block.data()), block.size()});
  if (!status.ok()) return fail(translate(status, "collecting blocks"));
  if (state_->batch.GetDataSize() < kBatchBytes) return {};
  return state_->write(state_->batch);
}

Status Database::put_definitions(std::uint64_t sequence, std::string_view definitions) {
  std::string packed;
  VARVE_CHECK_OK(codec::compress(codec::Coding::zstd, definitions, packed));
  ::rocksdb::WriteBatch batch;
  if (const auto status = batch.Put(definitions_key(sequence), packed); !status.ok()) {
    return fail(translate(status, "collecting definitions"));
  }
  return state_->write(batch);
}

Status Database::commit(const Commit& commit) {
  auto& batch = state_->batch;
  for (const auto& run : commit.added) batch.Put(run_key(run->key), encode_run(*run));
  for (const auto& run : commit.removed) batch.Delete(run_key(run->key));
  for (const auto& [slot, mark] : commit.marks) {
    if (mark == Mark{}) {
      batch.Delete(mark_key(slot));
    } else {
      batch.Put(mark_key(slot), encode_mark(mark));
    }
  }
  for (const auto& [number, page] : commit.lives) batch.Put(life_key(number), encode_life_page(*page));
  batch.Put(slice(kCheckpointKey), encode_checkpoint(commit.checkpoint));
  return flush();
}

Status Database::flush() {
  if (state_->batch.Count() > 0) VARVE_CHECK_OK(state_->write(state_->batch));
  ::rocksdb::FlushOptions options;
  options.allow_write_stall = true;
  if (const auto status = state_->db->Flush(options); !status.ok()) {
    return fail(translate(status, "flushing the database"));
  }
  return {};
}

Status Database::compact(const SlotKey& first, const SlotKey& last) {
  ::rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  const std::string from = block_key({first, 0}, model::GroupId{0});
  const std::string to = block_key({last, ~std::uint64_t{0}}, model::kNoGroup);
  const ::rocksdb::Slice begin(from);
  const ::rocksdb::Slice end(to);
  if (const auto status = state_->db->CompactRange(options, &begin, &end); !status.ok()) {
    return fail(translate(status, "giving back room of the database"));
  }
  return {};
}

Status Database::erase_blocks(std::span<const std::shared_ptr<const Run>> runs) {
  ::rocksdb::WriteBatch batch;
  for (const auto& run : runs) {
    for (const std::uint32_t group : run->first_groups) batch.Delete(block_key(run->key, model::GroupId{group}));
  }
  return state_->write(batch);
}

Status Database::compact() {
  ::rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = ::rocksdb::BottommostLevelCompaction::kForceOptimized;
  if (const auto flushed = state_->db->Flush({}); !flushed.ok()) return fail(translate(flushed, "flushing"));
  if (const auto status = state_->db->CompactRange(options, nullptr, nullptr); !status.ok()) {
    return fail(translate(status, "compacting the database"));
  }
  return {};
}

Status Database::put_text(const std::string& key, std::string_view text) {
  ::rocksdb::WriteBatch batch;
  if (const auto status = batch.Put(key, slice(text)); !status.ok())
    return fail(translate(status, "collecting a text"));
  return state_->write(batch, State::Log::synced);
}

Status Database::erase_text(const std::string& key) {
  ::rocksdb::WriteBatch batch;
  if (const auto status = batch.Delete(key); !status.ok()) return fail(translate(status, "erasing a text"));
  return state_->write(batch, State::Log::synced);
}

Result<std::optional<std::string>> Database::text(const std::string& key) const {
  std::string text;
  const auto status = state_->db->Get({}, key, &text);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) return fail(translate(status, "reading a text"));
  return text;
}

Result<std::vector<std::string>> Database::text_keys(const std::string& prefix) const {
  std::vector<std::string> keys;
  const std::unique_ptr<::rocksdb::Iterator> at(state_->db->NewIterator({}));
  for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) keys.push_back(at->key().ToString());
  if (!at->status().ok()) return fail(translate(at->status(), "reading the names of texts"));
  return keys;
}

std::uint64_t Database::bytes() const {
  std::uint64_t bytes = 0;
  state_->db->GetIntProperty(::rocksdb::DB::Properties::kTotalSstFilesSize, &bytes);
  return bytes;
}

std::uint64_t Database::memory_bytes() const {
  std::uint64_t tables = 0;
  std::uint64_t readers = 0;
  state_->db->GetIntProperty(::rocksdb::DB::Properties::kCurSizeAllMemTables, &tables);
  state_->db->GetIntProperty(::rocksdb::DB::Properties::kEstimateTableReadersMem, &readers);
  return tables + readers;
}

}  // namespace varve::engine::rocksdb
