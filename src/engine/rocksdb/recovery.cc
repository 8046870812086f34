// SPDX-License-Identifier: Apache-2.0
// Recovery: what a start finds in the database and in the log becomes the index, the runs and the head again.
#include "engine/rocksdb/recovery.h"

#include <filesystem>
#include <limits>
#include <optional>
#include <ranges>

#include "base/log.h"
#include "engine/rocksdb/log/definition_copies.h"
#include "engine/rocksdb/log/durable_file.h"
#include "engine/rocksdb/log/log_aside.h"
#include "engine/rocksdb/log/log_end.h"
#include "engine/rocksdb/log/log_replay.h"
#include "engine/rocksdb/replay.h"
#include "engine/rocksdb/runs/stored_time.h"

namespace varve::engine::rocksdb {
namespace {

// What is behind the end of the log is kept in a file if it can be read, and goes from the log.
Status cut(const std::string& directory, const LogReplay& log_replay, const LogReplayReport& found,
           std::uint64_t groups) {
  const LogReplay::End& end = *log_replay.end();
  const std::string path = log_path(directory, end.segment);
  if (found.lost_at_end > 0) {
    log::error("the end of the log cannot be read, and is cut off", {{"file", path},
                                                                     {"offset", end.offset},
                                                                     {"bytes", found.torn_bytes},
                                                                     {"files_behind", end.behind.size()},
                                                                     {"records_lost", found.lost_at_end}});
  } else if (found.aside_records == 0) {
    log::warn("the log ended in an unfinished record, which is cut off",
              {{"file", path}, {"offset", end.offset}, {"bytes", found.torn_bytes}});
  } else {
    log::warn(
        "a power cut left a hole in what the log had not synced yet: what was promised is there, what stands behind "
        "the hole is set aside; start with --storage.repair=true to take it in",
        {{"file", path},
         {"offset", end.offset},
         {"bytes", found.aside_bytes},
         {"records", found.aside_records},
         {"aside", aside_path(directory, end.segment)}});
    if (const auto status = write_aside(aside_path(directory, end.segment), groups, log_replay.behind()); !status) {
      log::error("what stands behind the hole cannot be kept", {{"error", status.error().message}});
    }
  }
  // From the last one on, so that a death between them leaves a log that ends in the same place.
  for (const std::uint64_t segment : end.behind | std::views::reverse) remove_segment(directory, segment);
  std::error_code error;
  std::filesystem::resize_file(path, end.offset, error);
  if (error) return fail(Code::io, "cannot cut " + path + ": " + error.message());
  return {};
}

// What the process before this one had not synced yet must not wait for longer than it would have let it.
Status sync_log(const std::string& directory, std::span<const std::uint64_t> segments) {
  for (const std::uint64_t segment : segments) {
    for (const std::string& path : {log_path(directory, segment), definitions_path(directory, segment)}) {
      if (std::filesystem::exists(path)) VARVE_RETURN_IF_ERROR(sync_path(path));
    }
  }
  return {};
}

// Of a segment that wal/END names, the head and the first mark were on disk.
bool is_whole(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return !error && bytes >= kSegmentHeadBytes + kMarkRecordBytesMax;
}

// Was there a start before this one that came as far as its log? Each stores the time behind it.
Result<bool> had_log(const Tables& tables, const Checkpoint& checkpoint) {
  if (checkpoint.first_segment > 1 || checkpoint.definitions > 0) return true;
  VARVE_ASSIGN_OR_RETURN(const auto stored, stored_time(tables.database(), kExpiryTimeKey));
  return stored.has_value();
}

// The name of a segment that was there and is gone, or empty, if that can be known. Where a power cut has taken the
// name of a live one, those before it are still there: they are removed when it is on disk.
std::optional<std::string> gone_segment(const std::string& directory, std::span<const std::uint64_t> all,
                                        const Checkpoint& checkpoint, const std::optional<LogEnd>& end, bool had_log) {
  const std::uint64_t last = all.empty() ? 0 : all.back();
  if (end && end->segment >= checkpoint.first_segment) {
    std::string named = log_path(directory, end->segment);
    if (end->segment > last || (std::ranges::binary_search(all, end->segment) && !is_whole(named))) return named;
  }
  if (had_log && all.empty()) return log_path(directory, checkpoint.first_segment);
  return std::nullopt;
}

// Under repair the log goes on without it.
Result<bool> look_for_gone(const std::string& directory, std::span<const std::uint64_t> all,
                           const Checkpoint& checkpoint, const std::optional<LogEnd>& end, bool had_log, bool repair) {
  if (had_log && !end && !all.empty()) {
    log::warn("wal/END is missing: if later files of the log went with it, that cannot be noticed");
  }
  const auto gone = gone_segment(directory, all, checkpoint, end, had_log);
  if (!gone) return false;
  if (!repair) {
    return fail(Code::corrupt, *gone +
                                   " is missing or cut off: it is a part of the log; put it back, or start with "
                                   "--storage.repair=true to go on without what was in it");
  }
  log::error("a segment of the log is missing or cut off: what was in it is lost", {{"file", *gone}});
  return true;
}

// What the database has is named below its checkpoint: it would be removed unread. Where something else has such a
// name, files were exchanged.
Status look_for_exchanged(const std::string& directory, std::span<const std::uint64_t> all,
                          const Checkpoint& checkpoint) {
  for (const std::uint64_t segment : all) {
    const std::string path = log_path(directory, segment);
    if (segment >= checkpoint.first_segment || !reaches_behind(path, checkpoint.sequence)) continue;
    return fail(Code::corrupt, path +
                                   " holds records that the database does not have, and has the name of a file of "
                                   "which it has all: files of the log were exchanged; give them back their names, or "
                                   "start with --storage.repair=true, which reads them in their order");
  }
  return {};
}

// What is lost under repair, over all. Where it is, was said.
void say_what_is_lost(const LogReplayReport& found) {
  if (found.lost_records == 0) return;
  log::error("records of the log are lost: what was in them is missing",
             {{"records", found.lost_records},
              {"of_these_at_the_end", found.lost_at_end},
              {"damaged_bytes", found.damaged_bytes + found.torn_bytes}});
}

// Numbers are used once, also those of what is gone: wal/END and the definitions that were handed over, which are kept
// by number, speak of them.
Result<std::unique_ptr<Log>> start_log(const Env& env, const std::string& wal, std::span<const std::uint64_t> live,
                                       const Checkpoint& checkpoint, const std::optional<LogEnd>& end,
                                       const LogReplayReport& found) {
  const LogEnd before = end.value_or(LogEnd{});
  const std::uint64_t next = live.empty() ? checkpoint.first_segment : live.back() + 1;
  const std::uint64_t given = checkpoint.definitions > 0 ? checkpoint.definitions + 1 : 0;
  auto log = std::make_unique<Log>(wal, env.options, env.clock);
  VARVE_RETURN_IF_ERROR(
      log->start(std::max(next, before.segment + 1), found.sequence, std::max(given, before.sequence)));
  VARVE_RETURN_IF_ERROR(sync_path(wal));  // the names of all segments, before anything speaks of them
  // Left by a process that died between a flush's commit and the removal of its log. Where names do not count, all goes
  // with the next flush.
  if (!found.misplaced) log->remove_before(checkpoint.first_segment);
  return log;
}

}  // namespace

Result<RecoveryReport> recover(const Env& env, const Directory& directory, Catalog& catalog, Visible& visible,
                               Tables& tables, Ingest& ingest) {
  RecoveryReport report;
  const std::string wal = directory.wal();
  const bool repair = env.options.repair;
  MutexLock lock(catalog.mutex);
  index::SeriesIndex& index = catalog.index;
  VARVE_ASSIGN_OR_RETURN(const auto tabled, tables.recover([known = &index](std::string_view definitions) {
    return known->replay(std::as_bytes(std::span(definitions)));
  }));
  const Checkpoint& checkpoint = tabled.checkpoint;
  const auto head = std::make_shared<Head>(ingest.slabs(), env.chunk_width_ms, &env.options.message_classes);
  visible.start({nullptr, head, tabled.runs, tabled.stats});

  VARVE_ASSIGN_OR_RETURN(auto segments, log_segments(wal));
  const std::optional<LogEnd> end = read_end(wal);
  VARVE_ASSIGN_OR_RETURN(const bool had_one, had_log(tables, checkpoint));
  VARVE_ASSIGN_OR_RETURN(report.has_lost_segment, look_for_gone(wal, segments, checkpoint, end, had_one, repair));
  std::optional<DefinitionCopies> copies;
  if (repair) {
    copies.emplace(wal, segments, checkpoint.sequence);
  } else {
    VARVE_RETURN_IF_ERROR(look_for_exchanged(wal, segments, checkpoint));
    std::erase_if(segments, [&](std::uint64_t segment) { return segment < checkpoint.first_segment; });
  }
  Replay replay(index, *head);
  const auto copies_up_to = [&](std::uint64_t sequence) {
    if (copies) copies->pass_on(sequence, [&](auto definitions) { static_cast<void>(replay.define(definitions)); });
  };
  LogReplay log_replay(wal, segments, checkpoint.sequence, repair,
                       {[&](std::uint64_t segment) {
                          replay.enter(segment);
                          return Status{};
                        },
                        [&](const LogRecord& record) {
                          copies_up_to(record.sequence);
                          replay.apply(record);
                          return Status{};
                        }});
  if (end) log_replay.expect(end->sequence);
  VARVE_ASSIGN_OR_RETURN(const auto found_log, log_replay.run());
  copies_up_to(std::numeric_limits<std::uint64_t>::max());
  say_what_is_lost(found_log);
  report.log_bytes = found_log.bytes;
  report.torn_bytes = found_log.torn_bytes;
  report.damaged_bytes = found_log.damaged_bytes;
  report.lost_records = found_log.lost_records;
  report.has_misplaced = found_log.misplaced;
  report.aside_bytes = found_log.aside_bytes;
  if (log_replay.end()) VARVE_RETURN_IF_ERROR(cut(wal, log_replay, found_log, index.group_count()));
  VARVE_RETURN_IF_ERROR(sync_log(wal, segments));
  replay.keep_rejected(wal);
  report.rejected_records = replay.rejected().records;
  lock.unlock();
  catalog.revive_written(*head);
  lock.lock();
  report.log_rows = head->rows();
  report.series = index.series_count();
  catalog.shared_groups.catch_up(index);
  catalog.row_check.catch_up(index);

  VARVE_ASSIGN_OR_RETURN(auto log, start_log(env, wal, segments, checkpoint, end, found_log));
  ingest.recovered(std::move(log), head, replay.take_definitions());
  // What was kept of a damaged log must get out of it before ids that were lost are given to others.
  const bool full = report.is_partial() || report.log_bytes > env.options.log_bytes_max;
  VARVE_RETURN_IF_ERROR(ingest.rotate(full ? Ingest::When::now : Ingest::When::full));
  return report;
}

}  // namespace varve::engine::rocksdb
