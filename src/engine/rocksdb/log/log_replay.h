// SPDX-License-Identifier: Apache-2.0
// LogReplay: reads the records of the log in sequence at start, and decides what to do where the sequence breaks.
// docs/formats/log.md, "Reading".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/rocksdb/log/log_format.h"
#include "engine/rocksdb/log/mapped_file.h"
#include "engine/rocksdb/log/segment_reader.h"

namespace varve::engine::rocksdb {

struct LogReplayReport {
  std::uint64_t sequence = 0;       // of the last record
  std::uint64_t bytes = 0;          // of all segments
  std::uint64_t torn_bytes = 0;     // of an unfinished record at the end, to the end of the last segment
  std::uint64_t damaged_bytes = 0;  // skipped, with repair
  std::uint64_t lost_records = 0;   // skipped or missing, with repair
  std::uint64_t lost_at_end = 0;    // of these, behind the last record that is there
  // With repair: segments were read in another order than that of their names, or left out.
  bool misplaced = false;
  // After the end of the log; not 0: to be kept in the file aside_path() (log_aside.h).
  std::uint64_t aside_bytes = 0;
  std::uint64_t aside_records = 0;
};

class LogReplay {
 public:
  struct Calls {
    std::function<Status(std::uint64_t segment)> enter;    // before the first record of each segment
    std::function<Status(const LogRecord& record)> apply;  // no marks
  };

  // `segments` ascending; `after`: sequence of the last record that is in the database. With `repair` all that there
  // are: what is in a segment says whether the database has it.
  LogReplay(std::string directory, std::vector<std::uint64_t> segments, std::uint64_t after, bool repair, Calls calls);

  // Records up to this one had been synced (wal/END). Before run().
  void expect(std::uint64_t sequence) { promised_ = sequence; }

  // Always ends: each step is further in a segment, or in the next one. Errors: corrupt (damage, with file and offset,
  // unless `repair`; a version of the log that this build does not read), io, or the error of `apply`.
  Result<LogReplayReport> run();

  // Where the log ends, if bytes follow that do not belong to it.
  struct End {
    std::uint64_t segment;
    std::uint64_t offset;
    std::vector<std::uint64_t> behind = {};  // the segments that follow, in their order
  };
  [[nodiscard]] const std::optional<End>& end() const { return end_; }
  // The bytes after the end, one span per segment. Valid as long as this object.
  [[nodiscard]] std::vector<std::span<const std::byte>> behind() const;

 private:
  struct Segment {
    std::uint64_t number;
    std::string path;
    std::unique_ptr<MappedFile> file;
    SegmentReader begin;             // in front of the first record
    std::optional<LogMark> opening;  // the first record, if it is a mark
    // With repair: the sequences in front of what is in it and of the last that is, by which segments are sorted; where
    // nothing can be read those of the segment before it.
    bool readable = false;
    std::uint64_t before = 0;
    std::uint64_t last = 0;
  };
  // What was found after a place where the sequence breaks.
  struct Rest {
    std::uint64_t records = 0;   // valid ones
    std::uint64_t reached = 0;   // the highest sequence that a record or mark mentions
    std::uint64_t promised = 0;  // the highest sequence that a mark calls synced
  };
  Status open_segments();
  [[nodiscard]] Status check_order() const;
  void order_by_content();
  void say_order();
  void leave_out_old();
  Status look_for_more();
  Result<SegmentReader> open_segment(const std::string& path, std::span<const std::byte> bytes);
  Status read(std::size_t i);
  [[nodiscard]] bool follows(const LogRecord& record, std::uint64_t limit) const;
  Status take(const LogRecord& record);
  Status stop_at(std::size_t i, const SegmentReader& reader);
  void end_at(std::size_t i, const SegmentReader& reader);
  void skip_damage(std::size_t i, SegmentReader& reader, std::uint64_t limit);
  void cut_tail(std::size_t i, const SegmentReader& reader);
  [[nodiscard]] std::uint64_t limit_of(std::size_t i) const;
  [[nodiscard]] Rest look_behind(std::size_t i, SegmentReader reader) const;
  [[nodiscard]] bool lost_by_power_cut(const Segment& segment, const SegmentReader& reader) const;
  [[nodiscard]] std::string damage(const Segment& segment, std::size_t offset, const Rest& rest) const;

  const std::string directory_;
  const std::vector<std::uint64_t> numbers_;
  const bool repair_;
  const Calls calls_;
  std::vector<Segment> segments_;
  std::uint64_t next_;          // the expected sequence of the next record
  std::uint64_t promised_ = 0;  // records up to this one had been synced
  std::uint64_t reached_ = 0;   // records up to this one were there, with repair
  std::optional<End> end_;
  LogReplayReport report_;
};

// Does a segment hold a record or mark behind this sequence? False also if it cannot be read.
bool reaches_behind(const std::string& path, std::uint64_t sequence);

}  // namespace varve::engine::rocksdb
