// SPDX-License-Identifier: Apache-2.0
// Database: the engine's RocksDB, behind an interface of its own terms. Only runs/database*.cc include RocksDB.
//
// RocksDB's own log is not written: what counts is committed by a batch that is flushed before the
// write-ahead log lets go of the same samples. Compresses nothing: blocks are compressed already, and would be again at
// every compaction.
//
// A commit has two halves. write() puts it into RocksDB's memory: all of it or, with an error, nothing. flush() makes
// it durable; when that fails the outcome is not known, for RocksDB may write its memory out at any time. So whoever
// commits goes on to call flush() until it is well, and neither shows the commit to anybody nor writes another one
// before. After errors that RocksDB does not come back from, the next write or flush opens it again
// (database_handle.h): then flush() knows whether the commit is there, drafts of before are refused, and definitions
// that had been put are put again.
//
// Blocks are written before the commit that names their run. A record says of each run that is being written, and of
// each that a commit removes, that it may have blocks and no run: what a failure or the end of the process left behind
// is found by these, after a start too, and erased.
//
// Thread-safe but for what is said.
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
#include "engine/rocksdb/options.h"
#include "engine/rocksdb/runs/run.h"
#include "engine/rocksdb/series/stats_table.h"

namespace varve::engine::rocksdb {

struct Checkpoint {
  std::uint64_t next_run = 1;
  std::uint64_t first_segment = 1;  // of the log: older ones are in the database
  std::uint64_t sequence = 0;       // of the last record that is in the database
  std::uint64_t definitions = 0;    // of the newest definitions there; found by a start, not part of the record
};

class Database {
 public:
  // Keeps what was there when it was made readable.
  class Snapshot {
   public:
    virtual ~Snapshot() = default;
  };

  // Errors: conflict (another process has it), io, corrupt.
  static Result<std::unique_ptr<Database>> open(const std::string& path, const AtStep& at_step = {});
  ~Database();

  // The blocks that one piece of work writes. They are invisible until a commit names their runs; those of runs that no
  // commit has named when the draft goes are garbage. One thread. The database outlives it.
  class Draft {
   public:
    explicit Draft(Database& database);
    ~Draft();
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    Status put_block(const RunKey& run, model::GroupId first_group, std::span<const std::byte> block);
    // Puts the blocks so far into files: a full disk shows here, before a commit.
    Status flush();

   private:
    friend class Database;
    struct State;
    std::unique_ptr<State> state_;
  };

  // What a start needs: definitions in order of writing, every run and mark, the checkpoint, whose next run is above
  // the numbers of all runs and of what was left behind.
  Status recover(Checkpoint& checkpoint, std::vector<Run>& runs, std::vector<std::pair<SlotKey, Mark>>& marks,
                 const std::function<Status(std::string_view definitions)>& define) const;

  Result<StatsPages> stats() const;

  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
  Result<std::shared_ptr<const std::string>> get(const std::string& key, const Snapshot* snapshot) const;

  // Definition records that follow, in the index's order, those put before. Durable with the next commit; the log keeps
  // them until then. `sequence` of the log's last record, ascending from call to call.
  Status put_definitions(std::uint64_t sequence, std::string_view definitions);

  // One atomic step.
  struct Commit {
    std::vector<std::shared_ptr<const Run>> added;
    std::vector<std::shared_ptr<const Run>> removed;  // only their run records; see discard()
    std::vector<std::pair<SlotKey, Mark>> marks;      // a mark like Mark{} is removed
    StatsPages stats;                                 // that changed
    Checkpoint checkpoint;
  };
  // Not durable before flush(). `draft` has the blocks of the added runs. Error: nothing of it was written.
  Status write(const Commit& commit, Draft& draft);

  // Puts what was written into files, durable when it returns. Error: what was written may be durable or not. False:
  // the database had to be opened again, and nothing of the last commit is there.
  Result<bool> flush();

  // These runs, which a commit removed, are in no list that a reader may still take: their blocks are garbage.
  void discard(std::span<const std::shared_ptr<const Run>> runs);

  // Blocks without a run: erased, as far as no error comes; the rest remains garbage.
  Status erase_garbage();
  [[nodiscard]] bool has_garbage() const;

  // Gives back the room of erased blocks of these slots, from the first one to the last one.
  Status compact(const SlotKey& first, const SlotKey& last);

  // Rewrites what is needed to give back the room of all erased blocks.
  Status compact();

  // Texts, by their keys (keys.h). A write is durable when it returns: it is in a table of the database. Those that
  // come at once share one.
  Status put_text(const std::string& key, std::string_view text);
  Status erase_text(const std::string& key);
  [[nodiscard]] Result<std::optional<std::string>> text(const std::string& key) const;
  [[nodiscard]] Result<std::vector<std::string>> text_keys(const std::string& prefix) const;  // in order

  [[nodiscard]] std::uint64_t bytes() const;         // of its table files
  [[nodiscard]] std::uint64_t memory_bytes() const;  // memtables and table readers

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  Result<bool> has_open_commit() const;
  std::unique_ptr<State> state_;
};

}  // namespace varve::engine::rocksdb
