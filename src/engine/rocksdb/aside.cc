// SPDX-License-Identifier: Apache-2.0
// What a start has set aside of the log after a power cut is taken in by a later one with storage.repair. It is older
// than all that was written since: where a series has a sample at the same time by now, that one stays.
#include <filesystem>
#include <map>
#include <set>

#include "base/log.h"
#include "engine/rocksdb/log/log_aside.h"
#include "engine/rocksdb/recovery.h"
#include "engine/rocksdb/replay.h"

namespace varve::engine::rocksdb {
namespace {

using RowBytes = std::vector<std::byte>;

constexpr std::size_t kAsideBatchBytes = std::size_t{1} << 20;

// Whole rows of line groups whose numbers mean today what they meant then, by group, in the order of the log.
struct Aside {
  std::vector<RowBytes> messages;  // whole records of tenants whose numbers mean today what they meant then
  std::map<std::uint32_t, std::vector<RowBytes>> rows;
  std::uint64_t foreign_rows = 0;  // of groups that were defined behind the hole
};

// Returns false where the rows cannot be read on.
bool add_row(const index::SeriesIndex& index, const std::byte*& at, const std::byte* end, std::uint64_t groups,
             Aside& aside) {
  const std::size_t bytes = model::check_row(at, end);
  if (bytes == 0) return false;
  const model::RowView row{at};
  const bool known = model::to_int(row.group()) < groups && row_fits(index, row);
  if (known) aside.rows[model::to_int(row.group())].emplace_back(at, at + bytes);
  if (!known) ++aside.foreign_rows;
  at += bytes;
  return true;
}

// Nothing has to give way to them: messages are not written over.
Status add_messages(const index::SeriesIndex& index, std::span<const std::byte> rows, Aside& aside) {
  const bool known = messages_fit(index, decode_messages(rows));
  if (known) aside.messages.emplace_back(rows.begin(), rows.end());
  if (!known) ++aside.foreign_rows;
  return {};
}

// Times at which any of the series has a sample, be it a marker.
class Times final : public storage::PieceSink {
 public:
  [[nodiscard]] bool takes_markers() const override { return true; }
  bool takes_stats(const storage::ChunkStats&) override { return false; }
  void stats(const storage::ChunkStats&) override {}
  Status piece(const storage::Piece& piece) override {
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < piece.size(); ++i) times_.insert(piece.times[i]);
    return {};
  }
  [[nodiscard]] bool has(model::Timestamp time) {
    const MutexLock lock(mutex_);
    return times_.contains(time);
  }

 private:
  Mutex mutex_;
  std::set<model::Timestamp> times_ VARVE_GUARDED_BY(mutex_);
};

// It is in the runs, and its log is gone.
Status flush_aside(Ingest& ingest, Flush& flush) {
  const MutexLock alone(flush.mutex);
  VARVE_RETURN_IF_ERROR(flush.immutable());
  VARVE_RETURN_IF_ERROR(ingest.rotate(Ingest::When::now));
  return flush.immutable();
}

Status take_in_rows(Catalog& catalog, Ingest& ingest, Flush& flush, Store& store, model::GroupId group,
                    std::span<const RowBytes> rows, std::uint64_t& taken) {
  storage::ScanOptions scan;
  scan.windows = false;
  scan.range = {model::kTimestampMax, model::kTimestampMin};
  for (const RowBytes& bytes : rows) {
    const model::Timestamp time = model::RowView{bytes.data()}.time();
    scan.range.first = std::min(scan.range.first, time);
    scan.range.last = std::max(scan.range.last, time);
  }
  std::span<const model::SeriesId> series;
  model::TenantId tenant{};
  {
    const ReaderLock lock(catalog.mutex);
    series = catalog.index.group_series(group);
    tenant = catalog.index.group_tenant(group);
  }
  Times times;
  VARVE_RETURN_IF_ERROR(store.scan(tenant, series, scan, times));
  std::vector<std::byte> batch;
  const auto write = [&]() -> Status {
    if (batch.empty()) return {};
    VARVE_RETURN_IF_ERROR(catalog.revive(batch));
    VARVE_ASSIGN_OR_RETURN(const bool full, ingest.take_in(batch));
    batch.clear();
    return full ? flush_aside(ingest, flush) : Status{};
  };
  for (const RowBytes& bytes : rows) {
    if (times.has(model::RowView{bytes.data()}.time())) continue;
    batch.insert(batch.end(), bytes.begin(), bytes.end());
    ++taken;
    if (batch.size() > kAsideBatchBytes) VARVE_RETURN_IF_ERROR(write());
  }
  return write();
}

}  // namespace

Result<std::uint64_t> take_in_aside(const Directory& directory, Catalog& catalog, Ingest& ingest, Flush& flush,
                                    Store& store) {
  std::uint64_t all_taken = 0;
  for (const std::string& path : aside_files(directory.wal())) {
    Aside aside;
    const Status read = read_aside(path, [&](const LogRecord& record, std::uint64_t groups) -> Status {
      const ReaderLock lock(catalog.mutex);
      if (holds_messages(record.rows)) return add_messages(catalog.index, record.rows, aside);
      const std::byte* at = record.rows.data();
      const std::byte* const end = at + record.rows.size();
      while (at != end && add_row(catalog.index, at, end, groups, aside)) continue;
      return {};
    });
    if (!read) {
      log::error("what was set aside of the log cannot be read, and stays", {{"error", read.error().message}});
      continue;
    }
    std::uint64_t taken = 0;
    for (auto& [group, rows] : aside.rows)
      VARVE_RETURN_IF_ERROR(take_in_rows(catalog, ingest, flush, store, model::GroupId{group}, rows, taken));
    for (const RowBytes& bytes : aside.messages) {
      VARVE_ASSIGN_OR_RETURN(const bool full, ingest.take_in(bytes));
      if (full) VARVE_RETURN_IF_ERROR(flush_aside(ingest, flush));
    }
    VARVE_RETURN_IF_ERROR(flush_aside(ingest, flush));
    all_taken += taken;
    log::info("what was set aside of the log is taken in", {{"file", path},
                                                            {"rows", taken},
                                                            {"records_of_messages", aside.messages.size()},
                                                            {"rows_of_unknown_series", aside.foreign_rows}});
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) return fail(Code::io, "cannot remove " + path + ": " + error.message());
  }
  return all_taken;
}

}  // namespace varve::engine::rocksdb
