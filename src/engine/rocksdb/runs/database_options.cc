// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_options.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/flush_block_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/thread_priority.h"
#include "engine/rocksdb/runs/database_env.h"
#include "engine/rocksdb/runs/database_reads.h"
#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kMemtableBytes = std::size_t{16} << 20;
constexpr std::size_t kTableCacheBytes = std::size_t{8} << 20;  // index blocks; chunks are cached decoded, above

constexpr int kLinesPerMinute = 10;

// What RocksDB says about itself goes into our log: errors only, and not more than a few a minute. It must not write
// the file LOG that it would make by itself: Debian's RocksDB is built with assertions, one of which is that nobody
// writes to a file that could not be written before, and its logger does. A full disk ended the process.
class DatabaseLog final : public ::rocksdb::Logger {
 public:
  DatabaseLog() : Logger(::rocksdb::InfoLogLevel::ERROR_LEVEL) {}
  using Logger::Logv;
  void Logv(::rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level >= ::rocksdb::InfoLogLevel::ERROR_LEVEL && level != ::rocksdb::InfoLogLevel::HEADER_LEVEL) {
      Logv(format, arguments);
    }
  }
  void Logv(const char* format, va_list arguments) override {
    const auto minute =
        std::chrono::duration_cast<std::chrono::minutes>(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (minute_.exchange(minute) != minute) lines_ = 0;
    if (++lines_ > kLinesPerMinute) return;
    char text[1024];
    std::vsnprintf(text, sizeof text, format, arguments);
    log::warn("RocksDB reports an error", {{"text", std::string(text)}});
  }

 private:
  std::atomic<std::int64_t> minute_{0};
  std::atomic<int> lines_{0};
};

// Notes every failure of a flush or a compaction. RocksDB is not to come back by itself: after that a flush may be said
// to be done that is not (docs/decisions/0032).
class FailureListener final : public ::rocksdb::EventListener {
 public:
  explicit FailureListener(std::shared_ptr<Failures> failures) : failures_(std::move(failures)) {}
  void OnBackgroundError(::rocksdb::BackgroundErrorReason reason, ::rocksdb::Status* status) override {
    if (reason != ::rocksdb::BackgroundErrorReason::kCompaction) return failures_->note();
    if (const Status failed = outcome(*status, "compacting the database"); !failed) {
      failures_->note_compaction(failed.error());
    }
  }
  // Called by the thread that compacts. What it does is as little urgent as maintenance (worker.h).
  void OnCompactionBegin(::rocksdb::DB*, const ::rocksdb::CompactionJobInfo&) override {
    thread_local bool is_low = false;
    if (!std::exchange(is_low, true)) lower_thread_priority();
  }
  void OnErrorRecoveryBegin(::rocksdb::BackgroundErrorReason, ::rocksdb::Status, bool* by_itself) override {
    *by_itself = false;
  }

 private:
  const std::shared_ptr<Failures> failures_;
};

// A block of a table has keys of one kind: what makes records unreadable is not to take their copies with it.
class BlockOfOneKind final : public ::rocksdb::FlushBlockPolicy {
 public:
  explicit BlockOfOneKind(::rocksdb::FlushBlockPolicy* by_size) : by_size_(by_size) {}
  bool Update(const ::rocksdb::Slice& key, const ::rocksdb::Slice& value) override {
    const bool is_full = by_size_->Update(key, value);
    const char kind = key[0];
    const bool is_other = kind_ && (*kind_ == kCopyPrefix[0]) != (kind == kCopyPrefix[0]);
    kind_ = kind;
    return is_full || is_other;
  }

 private:
  const std::unique_ptr<::rocksdb::FlushBlockPolicy> by_size_;
  std::optional<char> kind_;
};

class BlocksOfOneKind final : public ::rocksdb::FlushBlockPolicyFactory {
 public:
  const char* Name() const override { return "varve.BlocksOfOneKind"; }
  ::rocksdb::FlushBlockPolicy* NewFlushBlockPolicy(const ::rocksdb::BlockBasedTableOptions& options,
                                                   const ::rocksdb::BlockBuilder& block) const override {
    return new BlockOfOneKind(by_size_.NewFlushBlockPolicy(options, block));
  }

 private:
  const ::rocksdb::FlushBlockBySizePolicyFactory by_size_;
};

}  // namespace

::rocksdb::Options database_options(const std::shared_ptr<Failures>& failures) {
  ::rocksdb::Options options;
  options.compression = ::rocksdb::kNoCompression;
  options.write_buffer_size = kMemtableBytes;
  options.max_write_buffer_number = 2;
  options.max_background_jobs = 3;  // a flush, and two compactions: one of them may be of everything
  // Who writes is held up by the room in the head, not here: a compaction of everything must not keep a flush waiting.
  options.level0_slowdown_writes_trigger = 128;
  options.level0_stop_writes_trigger = 1024;
  // A commit is a table of its own, often a small one: each compaction of a few of them writes the first level again.
  options.level0_file_num_compaction_trigger = 16;
  // A table has keys of all kinds, so whatever is compacted into the first level meets all of that: it is kept small.
  // From there on tables are moved as they are, as blocks ascend as they are written (keys.h).
  options.target_file_size_base = 16ULL << 20;
  options.max_bytes_for_level_base = 64ULL << 20;
  options.level_compaction_dynamic_level_bytes = true;
  options.max_open_files = 512;
  options.env = env_with_synced_manifest();
  options.info_log = std::make_shared<DatabaseLog>();
  options.avoid_flush_during_shutdown = true;  // the log has what was not flushed
  options.max_bgerror_resume_count = 0;
  if (failures != nullptr) options.listeners.push_back(std::make_shared<FailureListener>(failures));
  ::rocksdb::BlockBasedTableOptions table;
  table.block_cache = ::rocksdb::NewLRUCache(kTableCacheBytes);
  table.block_size = 16 * 1024;
  table.format_version = 5;
  table.flush_block_policy_factory = std::make_shared<BlocksOfOneKind>();
  // Who reads a block need not look into every table that has not been compacted yet.
  table.filter_policy.reset(::rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace varve::engine::rocksdb
