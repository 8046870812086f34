// SPDX-License-Identifier: Apache-2.0
// Database: the engine's RocksDB, behind an interface of its own terms. The only place that includes RocksDB.
//
// Samples are written without RocksDB's own log: what counts is committed by a batch that is flushed before the
// write-ahead log lets go of the same samples. Compresses nothing: blocks are compressed already, and would be again at
// every compaction. Reading methods and those of texts are thread-safe; writing ones belong to the maintenance thread.
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
#include "engine/rocksdb/runs/run.h"
#include "engine/rocksdb/series/life.h"

namespace varve::engine::rocksdb {

struct Checkpoint {
  std::uint64_t next_run = 1;
  std::uint64_t first_segment = 1;  // of the log: older ones are in the database
  std::uint64_t sequence = 0;       // of the last record that is in the database
};

class Database {
 public:
  // Keeps what was there when it was made readable.
  class Snapshot {
   public:
    virtual ~Snapshot() = default;
  };

  // Errors: conflict (another process has it), io, corrupt.
  static Result<std::unique_ptr<Database>> open(const std::string& path);
  ~Database();

  // What a start needs: definitions in order of writing, every run and mark, the checkpoint.
  Status recover(Checkpoint& checkpoint, std::vector<Run>& runs, std::vector<std::pair<SlotKey, Mark>>& marks,
                 const std::function<Status(std::string_view definitions)>& define) const;

  Result<LifePages> lives() const;

  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const;
  Result<std::shared_ptr<const std::string>> get(const std::string& key, const Snapshot* snapshot) const;

  // Blocks are invisible until a commit names their run.
  Status put_block(const std::string& key, std::span<const std::byte> block);

  // Definition records that follow, in the index's order, those put before. Durable with the next commit; the log keeps
  // them until then. `sequence` of the log's last record, ascending from call to call.
  Status put_definitions(std::uint64_t sequence, std::string_view definitions);

  // One atomic step, durable when it returns.
  struct Commit {
    std::vector<std::shared_ptr<const Run>> added;
    std::vector<std::shared_ptr<const Run>> removed;  // only their run records; see erase_blocks
    std::vector<std::pair<SlotKey, Mark>> marks;      // a mark like Mark{} is removed
    LifePages lives;                                  // that changed
    Checkpoint checkpoint;
  };
  Status commit(const Commit& commit);

  // Blocks of runs that no new snapshot can reach any more.
  Status erase_blocks(std::span<const std::shared_ptr<const Run>> runs);

  // Puts what was written into files: a full disk shows here, before a commit. Durable when it returns.
  Status flush();

  // Gives back the room of erased blocks of these slots, from the first one to the last one. Thread-safe.
  Status compact(const SlotKey& first, const SlotKey& last);

  // Rewrites what is needed to give back the room of erased blocks.
  Status compact();

  // Texts, by their keys (keys.h). A write is durable when it returns: RocksDB's own log has it.
  Status put_text(const std::string& key, std::string_view text);
  Status erase_text(const std::string& key);
  [[nodiscard]] Result<std::optional<std::string>> text(const std::string& key) const;
  [[nodiscard]] Result<std::vector<std::string>> text_keys(const std::string& prefix) const;  // in order

  [[nodiscard]] std::uint64_t bytes() const;         // of its table files
  [[nodiscard]] std::uint64_t memory_bytes() const;  // memtables and table readers

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace varve::engine::rocksdb
