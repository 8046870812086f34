// SPDX-License-Identifier: Apache-2.0
// Recovery: what a start finds in the database and in the log becomes the index, the runs and the head again.
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/rocksdb/log/log_format.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

// A file mapped for reading.
class MappedFile {
 public:
  static Result<std::unique_ptr<MappedFile>> open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(Code::io, "cannot open " + path + ": " + std::strerror(errno));
    struct stat status{};
    void* at = nullptr;
    if (::fstat(fd, &status) == 0 && status.st_size > 0) {
      at = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    }
    const int error = errno;
    ::close(fd);
    if (at == MAP_FAILED) return fail(Code::io, "cannot read " + path + ": " + std::strerror(error));
    return std::unique_ptr<MappedFile>(
        new MappedFile(static_cast<const std::byte*>(at), static_cast<std::size_t>(status.st_size)));
  }
  ~MappedFile() {
    if (at_ != nullptr) ::munmap(const_cast<std::byte*>(at_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  [[nodiscard]] std::span<const std::byte> bytes() const { return {at_, size_}; }

 private:
  MappedFile(const std::byte* at, std::size_t size) : at_(at), size_(size) {}
  const std::byte* at_;
  std::size_t size_;
};

std::uint64_t file_size(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

// Puts the log's records into the index and the head.
class Replay {
 public:
  Replay(index::SeriesIndex& index, Head& head, std::string& definitions, bool repair)
      : index_(index), head_(head), definitions_(definitions), repair_(repair) {}

  Status apply(const LogRecord& record) {
    VARVE_CHECK_OK(define(record.definitions));
    VARVE_CHECK_OK(check(record.rows));
    head_.append(record.rows.first(good_));
    sequence = record.sequence;
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

  std::uint64_t sequence = 0;
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

std::string damage(const std::string& path, std::uint64_t offset, std::uint64_t bytes) {
  return path + " is damaged at offset " + std::to_string(offset) + " (" + std::to_string(bytes) +
         " bytes or more); start with --storage.repair=true to keep what is readable";
}

Status cut(const std::string& path, const SegmentReport& report) {
  log::warn("the log ended in an unfinished record, which is cut off",
            {{"file", path}, {"offset", report.bytes_read}, {"bytes", report.torn_bytes}});
  if (::truncate(path.c_str(), static_cast<off_t>(report.bytes_read)) != 0) {
    return fail(Code::io, "cannot cut " + path + ": " + std::strerror(errno));
  }
  return {};
}

Status replay_segment(const std::string& path, bool last, bool repair, Replay& replay, RecoveryReport& report) {
  VARVE_TRY(const auto file, MappedFile::open(path));
  const auto bytes = file->bytes();
  const auto result = read_segment(bytes, repair, [&](const LogRecord& record) { return replay.apply(record); });
  if (!result) return fail(result.error().code, path + ": " + result.error().message);
  report.log_bytes += bytes.size();
  const bool torn_inside = result->torn_bytes > 0 && !last;  // something must have followed it
  if ((result->damaged || torn_inside) && !repair) {
    return result->damaged ? fail(Code::corrupt, damage(path, result->damage_offset, result->damaged_bytes))
                           : fail(Code::corrupt, damage(path, result->bytes_read, result->torn_bytes));
  }
  if (result->damaged) {
    log::warn("a damaged part of the log is left out",
              {{"file", path}, {"offset", result->damage_offset}, {"bytes", result->damaged_bytes}});
    report.damaged_bytes += result->damaged_bytes;
  }
  if (result->torn_bytes == 0) return {};
  if (torn_inside) {
    report.damaged_bytes += result->torn_bytes;
    log::warn("a damaged part of the log is left out",
              {{"file", path}, {"offset", result->bytes_read}, {"bytes", result->torn_bytes}});
    return {};
  }
  report.torn_bytes += result->torn_bytes;
  return cut(path, *result);
}

// The copy of a segment's definitions, as far as it can be read.
Status replay_copy(const std::string& path, Replay& replay) {
  if (!std::filesystem::exists(path)) return {};
  VARVE_TRY(const auto file, MappedFile::open(path));
  const auto result =
      read_segment(file->bytes(), true, [&](const LogRecord& record) { return replay.define(record.definitions); });
  if (!result)
    log::warn("the copy of the log's definitions cannot be read", {{"file", path}, {"error", result.error().message}});
  return {};
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
  replay.sequence = checkpoint.sequence;
  // A power cut may tear the end of what was written last, although an empty segment follows it.
  std::size_t last = segments.size();
  while (last > 0 && file_size(log_path(directory.wal(), segments[last - 1])) <= kSegmentHeadBytes) --last;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::string path = log_path(directory.wal(), segments[i]);
    if (options.repair) VARVE_CHECK_OK(replay_copy(definitions_path(directory.wal(), segments[i]), replay));
    VARVE_CHECK_OK(replay_segment(path, i + 1 >= last, options.repair, replay, recovery));
  }
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
  VARVE_CHECK_OK(log->start(next, replay.sequence));
  std::unique_lock lock(append_mutex);
  // After a repair what was kept must get out of the damaged log before anything new refers to it.
  if (recovery.damaged_bytes > 0 || head_over(1) || recovery.log_bytes > options.log_bytes_max)
    VARVE_CHECK_OK(freeze());
  lock.unlock();
  return recovery.damaged_bytes > 0 ? spill_frozen() : Status{};
}

}  // namespace varve::engine::rocksdb
