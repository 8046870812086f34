// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log_replay.h"

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "engine/rocksdb/log/log.h"

namespace varve::engine::rocksdb {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

LogReplay::LogReplay(std::string directory, std::vector<std::uint64_t> segments, std::uint64_t after, bool repair,
                     Calls calls)
    : directory_(std::move(directory)),
      numbers_(std::move(segments)),
      repair_(repair),
      calls_(std::move(calls)),
      next_(after + 1) {}

Result<LogReplayReport> LogReplay::run() {
  VARVE_RETURN_IF_ERROR(open_segments());
  for (std::size_t i = 0; i < segments_.size() && !end_; ++i) VARVE_RETURN_IF_ERROR(read(i));
  report_.sequence = next_ - 1;
  return report_;
}

Status LogReplay::open_segments() {
  for (const std::uint64_t number : numbers_) {
    Segment segment{number, log_path(directory_, number), nullptr, 0, {}};
    VARVE_ASSIGN_OR_RETURN(segment.file, MappedFile::open(segment.path));
    auto reader = SegmentReader::open(segment.file->bytes());
    if (!reader) return fail(reader.error().code, segment.path + ": " + reader.error().message);
    segment.version = reader->version();
    if (const auto first = reader->next(); first && first->mark && first->mark->file) segment.opening = first->mark;
    report_.bytes += segment.file->bytes().size();
    segments_.push_back(std::move(segment));
  }
  return {};
}

// The last record that counts in a segment: the next one says so. What stands behind it was refused when it was
// written.
std::uint64_t LogReplay::limit_of(std::size_t i) const {
  for (++i; i < segments_.size(); ++i) {
    if (segments_[i].opening) return segments_[i].opening->after;
  }
  return kNoLimit;
}

bool LogReplay::follows(const LogRecord& record, std::uint64_t limit) const {
  if (record.mark) return record.sequence + 1 == next_;
  return record.sequence == next_ && record.sequence <= limit;
}

Status LogReplay::take(const LogRecord& record) {
  if (record.mark) {
    next_ = record.mark->next;
    promised_ = std::max(promised_, record.mark->synced);
    return {};
  }
  next_ = record.sequence + 1;
  return calls_.apply(record);
}

Status LogReplay::read(std::size_t i) {
  const Segment& segment = segments_[i];
  VARVE_ASSIGN_OR_RETURN(auto reader, SegmentReader::open(segment.file->bytes()));
  const std::uint64_t limit = limit_of(i);
  VARVE_RETURN_IF_ERROR(calls_.enter(segment.number));
  while (true) {
    const SegmentReader here = reader;
    const auto record = reader.next();
    if (record && follows(*record, limit)) {
      if (const auto status = take(*record); !status) {
        return fail(status.error().code, segment.path + ": " + status.error().message);
      }
      continue;
    }
    if (here.left() == 0) return {};
    if (next_ - 1 == limit) {
      log::info("what a failed write has left behind the end of a log segment is passed over",
                {{"file", segment.path}, {"offset", here.offset()}, {"bytes", here.left()}});
      return {};
    }
    if (!repair_) return stop_at(i, here);
    reader = here;
    VARVE_RETURN_IF_ERROR(skip_damage(i, reader, limit));
  }
}

// Under repair: goes to a record behind `reader` that may be taken, or to the end.
Status LogReplay::skip_damage(std::size_t i, SegmentReader& reader, std::uint64_t limit) {
  const Segment& segment = segments_[i];
  const SegmentReader begin = reader;
  const Rest rest = look_behind(i, begin);
  bool good = false;
  for (SegmentReader at = reader; !good;) {
    reader = at;  // stays in front of what is taken
    const auto record = at.next();
    if (!record && !at.skip()) break;
    if (!record) continue;
    const std::uint64_t follows = record->mark ? record->sequence + 1 : record->sequence;
    good = follows >= next_ && (record->mark || record->sequence <= limit);
    if (!good) continue;
    report_.lost_records += follows - next_;
    next_ = follows;
  }
  if (!good && rest.records == 0) {
    report_.torn_bytes += begin.left();
    report_.lost_records += rest.reached + 1 - next_;
    end_ = End{segment.number, begin.offset()};
    return {};
  }
  while (!good && reader.skip()) continue;
  const std::size_t skipped = reader.offset() - begin.offset();
  report_.damaged_bytes += skipped;
  log::warn(skipped > 0 ? "a damaged part of the log is left out" : "records are missing in the log",
            {{"file", segment.path}, {"offset", begin.offset()}, {"bytes", skipped}});
  return {};
}

LogReplay::Rest LogReplay::look_behind(std::size_t i, SegmentReader reader) const {
  Rest rest{0, next_ - 1, promised_};
  while (true) {
    if (const auto record = reader.next()) {
      if (record->mark) rest.promised = std::max(rest.promised, record->mark->synced);
      if (!record->mark && record->sequence >= next_) ++rest.records;
      rest.reached = std::max(rest.reached, record->sequence);
      continue;
    }
    if (reader.left() > 0 && reader.skip()) continue;
    if (++i == segments_.size()) return rest;
    reader = *SegmentReader::open(segments_[i].file->bytes());
  }
}

// Not by a bad disk: the kernel that has it now is not the one it was written through, or nothing was written there.
bool LogReplay::lost_by_power_cut(const Segment& segment, const SegmentReader& reader) const {
  if (segment.version == 1) return false;
  // Without an opening mark its very first write is not there as a whole, and the disk keeps that as one piece.
  return reader.blank() || !segment.opening || *segment.opening->file != segment.file->identity();
}

std::string LogReplay::damage(const Segment& segment, std::size_t offset, const Rest& rest) const {
  const std::string from = std::to_string(next_);
  return segment.path + " is damaged at offset " + std::to_string(offset) + ": record " + from +
         " of the log should be there, and there were records up to " + std::to_string(rest.reached) +
         "; start with --storage.repair=true to keep what is readable";
}

// The log does not go on where `reader` is.
Status LogReplay::stop_at(std::size_t i, const SegmentReader& reader) {
  const Segment& segment = segments_[i];
  const Rest rest = look_behind(i, reader);
  const bool all_there = rest.reached < next_;
  if (!all_there && (rest.promised >= next_ || !lost_by_power_cut(segment, reader))) {
    return fail(Code::corrupt, damage(segment, reader.offset(), rest));
  }
  end_ = End{segment.number, reader.offset()};
  if (rest.records == 0) {
    report_.torn_bytes = reader.left();
    return {};
  }
  report_.aside_records = rest.records;
  for (const auto& bytes : behind()) report_.aside_bytes += bytes.size();
  return {};
}

std::vector<std::span<const std::byte>> LogReplay::behind() const {
  std::vector<std::span<const std::byte>> out;
  for (const Segment& segment : segments_) {
    if (!end_ || segment.number < end_->segment) continue;
    const auto bytes = segment.file->bytes();
    out.push_back(segment.number == end_->segment ? bytes.subspan(end_->offset) : bytes);
  }
  return out;
}

}  // namespace varve::engine::rocksdb
