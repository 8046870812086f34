// SPDX-License-Identifier: Apache-2.0
// Recovery: what a start finds in the database and in the log becomes the index, the runs and the head again.
#include <filesystem>

#include "base/log.h"
#include "engine/rocksdb/log/durable_file.h"
#include "engine/rocksdb/log/log_aside.h"
#include "engine/rocksdb/log/log_replay.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

// Puts the log's records into the index and the head.
class Replay {
 public:
  Replay(index::SeriesIndex& index, Head& head, std::string& definitions, bool repair)
      : index_(index), head_(head), definitions_(definitions), repair_(repair) {}

  Status apply(const LogRecord& record) {
    VARVE_CHECK_OK(define(record.definitions));
    VARVE_CHECK_OK(check(record.rows));
    head_.append(record.rows.first(good_));
    return {};
  }

  // Under repair, what follows a gap that the copy does not fill is left out with the rows that need it.
  Status define(std::span<const std::byte> records) {
    if (records.empty()) return {};
    if (auto status = index_.replay(records); !status) {
      if (!repair_) return status;
      dropped_bytes += records.size();
      return {};
    }
    definitions_.append(reinterpret_cast<const char*>(records.data()), records.size());
    return {};
  }

  std::uint64_t dropped_bytes = 0;

 private:
  // The checksum held, so what does not parse was written so, or follows a gap that repair was told to accept.
  Status check(std::span<const std::byte> rows) {
    const std::byte* at = rows.data();
    const std::byte* const end = at + rows.size();
    const std::size_t groups = index_.group_count();
    while (at != end) {
      const std::size_t bytes = model::check_row(at, end);
      const model::RowView row{at};
      const bool known =
          bytes > 0 && model::to_int(row.group()) < groups && row.count() == index_.group_series(row.group()).size();
      if (!known) break;
      at += bytes;
    }
    good_ = static_cast<std::size_t>(at - rows.data());
    if (at == end) return {};
    if (!repair_) return fail(Code::corrupt, "a row does not fit its line group");
    dropped_bytes += rows.size() - good_;
    return {};
  }

  index::SeriesIndex& index_;
  Head& head_;
  std::string& definitions_;
  const bool repair_;
  std::size_t good_ = 0;
};

// The copy of a segment's definitions, as far as it can be read.
Status replay_copy(const std::string& path, Replay& replay) {
  if (!std::filesystem::exists(path)) return {};
  VARVE_TRY(const auto file, MappedFile::open(path));
  auto reader = SegmentReader::open(file->bytes());
  if (!reader) {
    log::warn("the copy of the log's definitions cannot be read", {{"file", path}, {"error", reader.error().message}});
    return {};
  }
  do {
    while (const auto record = reader->next()) VARVE_CHECK_OK(replay.define(record->definitions));
  } while (reader->left() > 0 && reader->skip());
  return {};
}

// What is behind the end of the log is kept in a file if it can be read, and goes from the log.
Status cut(const std::string& directory, std::span<const std::uint64_t> segments, const LogReplay& log_replay,
           const LogReplayReport& found, std::uint64_t groups) {
  const LogReplay::End end = *log_replay.end();
  const std::string path = log_path(directory, end.segment);
  if (found.aside_records == 0) {
    log::warn("the log ended in an unfinished record, which is cut off",
              {{"file", path}, {"offset", end.offset}, {"bytes", found.torn_bytes}});
  } else {
    log::warn(
        "a power cut left a hole in what the log had not synced yet: what was promised is there, what stands behind "
        "the "
        "hole is set aside; start with --storage.repair=true to take it in",
        {{"file", path},
         {"offset", end.offset},
         {"bytes", found.aside_bytes},
         {"records", found.aside_records},
         {"aside", aside_path(directory, end.segment)}});
    if (const auto status = write_aside(directory, end.segment, groups, log_replay.behind()); !status) {
      log::error("what stands behind the hole cannot be kept", {{"error", status.error().message}});
    }
  }
  // From the last one on, so that a death between them leaves a log that ends in the same place.
  for (std::size_t i = segments.size(); i > 0 && segments[i - 1] > end.segment; --i) {
    remove_segment(directory, segments[i - 1]);
  }
  std::error_code error;
  std::filesystem::resize_file(path, end.offset, error);
  if (error) return fail(Code::io, "cannot cut " + path + ": " + error.message());
  return {};
}

// What the process before this one had not synced yet must not wait for longer than it would have let it.
Status sync_log(const std::string& directory, std::span<const std::uint64_t> segments) {
  for (const std::uint64_t segment : segments) {
    for (const std::string& path : {log_path(directory, segment), definitions_path(directory, segment)}) {
      if (std::filesystem::exists(path)) VARVE_CHECK_OK(sync_path(path));
    }
  }
  return sync_path(directory);
}

}  // namespace

Status Store::State::recover() {
  // A start is busy enough: what was left pending waits one quiet time more.
  last_round_ms = last_retention_ms = clock.now_ms();
  std::vector<Run> found;
  std::vector<std::pair<SlotKey, Mark>> marks;
  VARVE_CHECK_OK(database->recover(checkpoint, found, marks, [this](std::string_view definitions) {
    return index.replay(std::as_bytes(std::span(definitions)));
  }));
  numbers.start(checkpoint.next_run);
  VARVE_CHECK_OK(recover_reclaimed());
  VARVE_TRY(const auto pages, database->lives());
  lives.replace(pages);
  auto loaded = std::make_shared<Runs>(plan());
  for (Run& run : found) loaded->add(std::make_shared<const Run>(std::move(run)), clock.steady_ns());
  for (auto& [slot, mark] : marks) loaded->set_mark(slot, std::move(mark));
  runs = std::move(loaded);

  head = std::make_shared<Head>(slabs, chunk_width);
  VARVE_TRY(auto segments, log_segments(directory.wal()));
  for (const std::uint64_t segment : segments) {
    // Left by a process that died between a spill's commit and the removal of its log.
    if (segment < checkpoint.first_segment) remove_segment(directory.wal(), segment);
  }
  std::erase_if(segments, [this](std::uint64_t segment) { return segment < checkpoint.first_segment; });
  Replay replay(index, *head, logged_definitions, options.repair);
  LogReplay log_replay(directory.wal(), segments, checkpoint.sequence, options.repair,
                       {[&](std::uint64_t segment) {
                          return options.repair ? replay_copy(definitions_path(directory.wal(), segment), replay)
                                                : Status{};
                        },
                        [&](const LogRecord& record) { return replay.apply(record); }});
  VARVE_TRY(const auto found_log, log_replay.run());
  recovery.log_bytes = found_log.bytes;
  recovery.torn_bytes = found_log.torn_bytes;
  recovery.damaged_bytes = found_log.damaged_bytes;
  recovery.lost_records = found_log.lost_records;
  recovery.aside_bytes = found_log.aside_bytes;
  if (log_replay.end()) {
    VARVE_CHECK_OK(cut(directory.wal(), segments, log_replay, found_log, index.group_count()));
  }
  VARVE_CHECK_OK(sync_log(directory.wal(), segments));
  if (replay.dropped_bytes > 0) {
    log::warn("rows are left out because the definition of their series is lost", {{"bytes", replay.dropped_bytes}});
    logged_definitions.clear();
    index.dump(logged_definitions);
  }
  recovery.damaged_bytes += replay.dropped_bytes;
  revive_heads();
  recovery.log_rows = head->rows();
  recovery.series = index.series_count();
  shared_groups.catch_up(index);

  const std::uint64_t next = segments.empty() ? checkpoint.first_segment : segments.back() + 1;
  log = std::make_unique<Log>(directory.wal(), options);
  // Definitions are kept by number: those that were handed over must not be written over.
  const std::uint64_t given = checkpoint.definitions > 0 ? checkpoint.definitions + 1 : 0;
  VARVE_CHECK_OK(log->start(next, found_log.sequence, given));
  std::unique_lock lock(append_mutex);
  // After a repair what was kept must get out of the damaged log before anything new refers to it.
  const bool repaired = recovery.damaged_bytes > 0 || recovery.lost_records > 0;
  if (repaired || head_over(1) || recovery.log_bytes > options.log_bytes_max) VARVE_CHECK_OK(freeze());
  lock.unlock();
  return repaired ? spill_frozen() : Status{};
}

}  // namespace varve::engine::rocksdb
