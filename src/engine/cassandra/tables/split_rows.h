// SPDX-License-Identifier: Apache-2.0
// SplitRows: rows of sealed samples and of windows, also where their chunk is larger than Cassandra takes. Such a chunk
// is cut into pieces, which stand in a partition of their own, and the row has a note of them in its place
// (docs/formats/cluster.md). Who writes and reads through this store does not notice.
//
// A row is written when its pieces stand, under names that no other version of it has: who finds a note finds all
// pieces, or meanwhile another version of the row. Pieces of a version that was replaced are deleted, as far as this
// process has seen it; others expire.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "engine/cassandra/tables/row_store.h"

namespace varve::engine::cassandra {

// Thread-safe. Stays until all writes have called back. Everything that has no chunk is passed on as it is.
class SplitRows final : public RowStore {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{8} << 20;  // half of what Cassandra takes as one change

  explicit SplitRows(RowStore& below, std::size_t piece_bytes = kPieceBytes)
      : below_(below), piece_bytes_(piece_bytes) {}

  void write(std::vector<RowWrite> rows, Done done) override;
  void erase(std::vector<RowDelete> rows, Done done) override { below_.erase(std::move(rows), std::move(done)); }
  // Rows that are in pieces come last. Errors also: corrupt, unavailable (a row is replaced again and again).
  Status read(std::span<const RowRead> reads, const ReadLimits& limits, const Each& each) override;
  // Notes come as they are.
  Status read_all(const Table& table, std::span<const std::string> values, const EachOfAll& each) override {
    return below_.read_all(table, values, each);
  }

 private:
  struct Writing;
  // A row that was found with a note in it.
  struct Noted {
    std::size_t read = 0;
    std::vector<std::string> cells;
    std::size_t chunk = 0;  // which of the cells
  };
  void write_pieces(const std::shared_ptr<Writing>& writing);
  void write_rows(const std::shared_ptr<Writing>& writing);
  void forget(std::span<const RowDelete> pieces);
  void split(RowWrite& row, std::vector<RowWrite>& pieces) const;
  Status give(const RowRead& read, Noted& noted, const ReadLimits& limits, const Each& each);
  Result<bool> join(const RowRead& read, Noted& noted, const ReadLimits& limits);
  Result<bool> read_again(const RowRead& read, Noted& noted, const ReadLimits& limits);

  using Place = std::pair<const Table*, Cells>;  // its pieces' partition
  RowStore& below_;
  const std::size_t piece_bytes_;
  Mutex mutex_;
  std::set<Place> seen_ VARVE_GUARDED_BY(mutex_);  // of rows that were found in pieces
};

}  // namespace varve::engine::cassandra
