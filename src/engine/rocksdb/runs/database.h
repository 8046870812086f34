// SPDX-License-Identifier: Apache-2.0
// Database: wraps the engine's RocksDB behind an interface in terms of the engine. Only runs/database*.cc include
// RocksDB.
//
// RocksDB's own log is off: a commit is flushed before the engine's log drops the samples in it. Compression is off,
// because blocks are compressed already, and would be again at every compaction.
//
// A commit has two steps. write() puts it into RocksDB's memory: all of it or, with an error, nothing. flush() makes it
// durable; if that fails the outcome is unknown, because RocksDB may write its memory out at any time. So the caller
// repeats flush() until it succeeds, and before that neither publishes the commit nor writes another one. After errors
// from which RocksDB does not recover, the next write or flush reopens it (database_handle.h): then flush() knows
// whether the commit is there, drafts begun earlier are refused, and definitions are written again.
//
// Blocks are written before the commit that names their run. A garbage record names each run that is being written, and
// each that a commit removes: there may be blocks without a run. So blocks left behind by a failure or a crash are
// found, also after a restart, and erased.
//
// Thread-safe unless noted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/rocksdb/env/options.h"
#include "engine/rocksdb/runs/checkpoint.h"
#include "engine/rocksdb/runs/run.h"
#include "engine/rocksdb/series/stats_page.h"

namespace varve::engine::rocksdb {

class Database {
 public:
  // Keeps the state at its creation readable.
  class Snapshot {
   public:
    virtual ~Snapshot() = default;
  };

  struct Opening {
    bool is_new = true;                           // it is made if it does not exist; nothing is looked at before
    bool repair = false;                          // if it is damaged
    std::optional<std::uint64_t> oldest_segment;  // of the log
  };
  // Errors: conflict (another process has it), io, corrupt; then nothing has changed (database_start.h).
  static Result<std::unique_ptr<Database>> open(const std::string& path, const AtStep& at_step, const Opening& opening);
  static Result<std::unique_ptr<Database>> open(const std::string& path, const AtStep& at_step = {}) {
    return open(path, at_step, Opening{});
  }
  ~Database();

  // Blocks that one job writes. They are invisible until a commit names their runs; if none has done so when the draft
  // is destroyed, they are garbage. For one thread. The database must outlive it.
  class Draft {
   public:
    explicit Draft(Database& database);
    ~Draft();
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    Status put_block(const RunKey& run, model::GroupId first_group, std::span<const std::byte> block);
    // Writes the blocks to files, so that a full disk is noticed before the commit.
    Status flush();

   private:
    friend class Database;
    struct State;
    std::unique_ptr<State> state_;
  };

  // At start: reads the definitions in order of writing, all runs and marks, and the checkpoint, whose next_run is
  // above the numbers of all runs and of all garbage. Error: corrupt, also if there are other runs or marks than the
  // checkpoint counted.
  Status recover(Checkpoint& checkpoint, std::vector<Run>& runs, std::vector<std::pair<SlotKey, Mark>>& marks,
                 const std::function<Status(std::string_view definitions)>& define) const;

  Result<StatsPages> stats() const;

  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
  Result<std::shared_ptr<const std::string>> get(const std::string& key, const Snapshot* snapshot) const;

  // Writes definition records, in the order of the index. Durable with the next commit; the log keeps them until then.
  // `sequence`: of the last record in the log; must ascend from call to call.
  Status put_definitions(std::uint64_t sequence, std::string_view definitions);

  // Definitions are written anew, as a next generation, while others go on to put some. One caller. In this order:
  // erases what is left of others; from now on put_definitions(), of which none is under way, writes both; then all of
  // the index up to some time since, under the `sequence` of before it. True: it is done and durable. False: nothing
  // has changed, as a write failed. Error: which of both counts is not known; both are whole, and clear_…() finds out.
  // The old ones stay until drop_old_definitions() or clear_…().
  Status clear_next_definitions();
  void begin_next_definitions();
  void give_up_next_definitions();  // instead of the last step
  Result<bool> replace_definitions(std::uint64_t sequence, std::string_view definitions);
  // To be called at start, when all that recover() has found has proved to be whole.
  void drop_old_definitions();
  // Likewise: makes the copies of what was written by a version that made none.
  void complete_copies();
  // How often a copy was read since the process began, because what it is a copy of cannot be read.
  [[nodiscard]] static std::uint64_t copies_read();

  // A run of which some blocks are exchanged, with the commit itself. Who reads without a snapshot (jobs) must not run
  // meanwhile; others have one from before (Visible::pin).
  struct Edited {
    std::shared_ptr<const Run> run;                               // as it is then, of a higher edition
    std::vector<std::pair<std::uint32_t, std::string>> blocks{};  // by first group; empty: the block goes
  };
  // Written atomically.
  struct Commit {
    std::vector<std::shared_ptr<const Run>> added;
    std::vector<std::shared_ptr<const Run>> removed;  // only the run records; blocks: discard()
    std::vector<Edited> edited;
    std::vector<std::pair<SlotKey, Mark>> marks;  // Mark{}: the mark is removed
    StatsPages stats;                             // the changed pages
    Checkpoint checkpoint;
  };
  // Not durable before flush(). `draft` holds the blocks of the added runs. Error: nothing was written.
  Status write(const Commit& commit, Draft& draft);

  // Makes all writes durable. Error: they may be durable or not. False: the database had to be reopened, and nothing of
  // the last commit is there.
  Result<bool> flush();

  // Marks the blocks of these runs as garbage. A commit has removed the runs, and no new reader can find them.
  void discard(std::span<const std::shared_ptr<const Run>> runs);

  // Erases blocks without a run. After an error the rest remains garbage.
  Status erase_garbage();
  [[nodiscard]] bool has_garbage() const;
  // May blocks be exchanged? Not while there are readers that have lost their snapshots.
  [[nodiscard]] bool takes_edits() const;

  // False after a compaction that failed: then the following two do nothing (compaction_switch.h).
  [[nodiscard]] bool compacts() const;
  [[nodiscard]] std::uint64_t damaged_tables() const;  // that compactions have met

  // Reclaims the disk space of these runs, whose blocks were erased.
  Status compact(std::span<const std::shared_ptr<const Run>> erased);

  // Reclaims the disk space of all erased blocks.
  Status compact();

  // Texts by key (keys.h). A write is durable when it returns. Concurrent writes share one flush.
  Status put_text(const std::string& key, std::string_view text);
  Status erase_text(const std::string& key);
  [[nodiscard]] Result<std::optional<std::string>> text(const std::string& key) const;
  [[nodiscard]] Result<std::vector<std::string>> text_keys(const std::string& prefix) const;  // sorted

  [[nodiscard]] std::uint64_t bytes() const;         // of its table files
  [[nodiscard]] std::uint64_t memory_bytes() const;  // memtables and table readers

 private:
  class Batch;
  struct State;
  explicit Database(std::unique_ptr<State> state);
  Result<bool> has_open_commit() const;
  std::unique_ptr<State> state_;
};

}  // namespace varve::engine::rocksdb
