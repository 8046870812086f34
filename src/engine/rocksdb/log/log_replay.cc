// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log_replay.h"

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "engine/rocksdb/log/log.h"

namespace varve::engine::rocksdb {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// The sequence before the first valid record.
std::uint64_t before_first(SegmentReader reader) {
  do {
    if (const auto record = reader.next()) return record->mark ? record->sequence : record->sequence - 1;
  } while (reader.left() > 0 && reader.skip());
  return kNoLimit;
}

// The highest sequence of a valid record or mark. 0: there is none.
std::uint64_t last_of(SegmentReader reader) {
  std::uint64_t last = 0;
  do {
    while (const auto record = reader.next()) last = std::max(last, record->sequence);
  } while (reader.left() > 0 && reader.skip());
  return last;
}

}  // namespace

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
  VARVE_RETURN_IF_ERROR(look_for_more());
  report_.sequence = next_ - 1;
  return report_;
}

// Did the log go on behind what is there?
Status LogReplay::look_for_more() {
  const std::uint64_t reached = std::max(reached_, promised_);
  if (reached < next_) return {};
  if (!repair_) {
    const std::string last = segments_.empty() ? directory_ : segments_.back().path;
    return fail(Code::corrupt, last + " is damaged: it ends with record " + std::to_string(next_ - 1) +
                                   " of the log, and records up to " + std::to_string(reached) +
                                   " had been stored; put back what is missing, or start with --storage.repair=true to "
                                   "go on without it");
  }
  report_.lost_records += reached + 1 - next_;
  return {};
}

Status LogReplay::open_segments() {
  for (const std::uint64_t number : numbers_) {
    const std::string path = log_path(directory_, number);
    VARVE_ASSIGN_OR_RETURN(auto file, MappedFile::open(path));
    const auto bytes = file->bytes();
    VARVE_ASSIGN_OR_RETURN(const SegmentReader begin, open_segment(path, bytes));
    segments_.push_back({number, path, std::move(file), begin, {}});
    SegmentReader reader = begin;
    if (const auto first = reader.next(); first && first->mark && first->mark->file) {
      segments_.back().opening = first->mark;
    }
    report_.bytes += bytes.size();
  }
  // Under repair names do not count: files may have been exchanged.
  if (repair_) std::ranges::stable_sort(segments_, {}, [](const Segment& s) { return before_first(s.begin); });
  return {};
}

Result<SegmentReader> LogReplay::open_segment(const std::string& path, std::span<const std::byte> bytes) {
  auto reader = SegmentReader::open(bytes);
  if (reader) return reader;
  if (!repair_ || reader.error().code != Code::corrupt) {
    return fail(reader.error().code, path + ": " + reader.error().message);
  }
  log::warn("the head of a log segment is damaged", {{"file", path}});
  report_.damaged_bytes += kSegmentHeadBytes;
  return SegmentReader::behind_head(bytes);
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
    next_ = std::max(next_, record.mark->next);
    promised_ = std::max(promised_, record.mark->synced);
    return {};
  }
  next_ = record.sequence + 1;
  return calls_.apply(record);
}

Status LogReplay::read(std::size_t i) {
  const Segment& segment = segments_[i];
  SegmentReader reader = segment.begin;
  std::uint64_t limit = limit_of(i);
  VARVE_RETURN_IF_ERROR(calls_.enter(segment.number));
  while (!end_) {
    const SegmentReader here = reader;
    const auto record = reader.next();
    if (record && follows(*record, limit)) {
      if (const auto status = take(*record); !status) {
        return fail(status.error().code, segment.path + ": " + status.error().message);
      }
      continue;
    }
    if (here.left() == 0) return {};
    reader = here;
    // A failed write leaves no whole record: if there is one, the next segment does not belong behind this one.
    if (limit != kNoLimit && last_of(here) > limit) {
      limit = kNoLimit;
      continue;
    }
    if (next_ - 1 == limit) {
      log::info("what a failed write has left behind the end of a log segment is passed over",
                {{"file", segment.path}, {"offset", here.offset()}, {"bytes", here.left()}});
      return {};
    }
    if (!repair_) return stop_at(i, here);
    skip_damage(i, reader, limit);
  }
  return {};
}

// Under repair: goes to a record behind `reader` that may be taken, or to the end of the segment, or ends the log.
void LogReplay::skip_damage(std::size_t i, SegmentReader& reader, std::uint64_t limit) {
  const Segment& segment = segments_[i];
  const SegmentReader begin = reader;
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
  if (!good) {
    if (const Rest rest = look_behind(i, begin); rest.records == 0) {
      report_.torn_bytes += begin.left();
      reached_ = rest.reached;
      return end_at(i, begin);
    }
    while (reader.skip()) continue;
  }
  const std::size_t skipped = reader.offset() - begin.offset();
  report_.damaged_bytes += skipped;
  log::warn(skipped > 0 ? "a damaged part of the log is left out" : "records are missing in the log",
            {{"file", segment.path}, {"offset", begin.offset()}, {"bytes", skipped}});
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
    reader = segments_[i].begin;
  }
}

// Not by a bad disk: the kernel that has it now is not the one it was written through, or nothing was written there.
bool LogReplay::lost_by_power_cut(const Segment& segment, const SegmentReader& reader) const {
  if (segment.begin.version() == 1) return false;
  if (reader.blank()) return true;
  if (segment.opening) return *segment.opening->file != segment.file->identity();
  // Without it nothing is known of the file, but that a mark which ends as it was written is damaged, not unfinished.
  return !SegmentReader::has_whole_opening(segment.file->bytes());
}

std::string LogReplay::damage(const Segment& segment, std::size_t offset, const Rest& rest) const {
  const std::string from = std::to_string(next_);
  return segment.path + " is damaged at offset " + std::to_string(offset) + ": record " + from +
         " of the log should be there, and there were records up to " +
         std::to_string(std::max(rest.reached, rest.promised)) +
         "; start with --storage.repair=true to keep what is readable";
}

// The log does not go on where `reader` is.
Status LogReplay::stop_at(std::size_t i, const SegmentReader& reader) {
  const Segment& segment = segments_[i];
  const Rest rest = look_behind(i, reader);
  const bool all_there = std::max(rest.reached, rest.promised) < next_;
  if (!all_there && (rest.promised >= next_ || !lost_by_power_cut(segment, reader))) {
    return fail(Code::corrupt, damage(segment, reader.offset(), rest));
  }
  end_at(i, reader);
  if (rest.records == 0) {
    report_.torn_bytes = reader.left();
    return {};
  }
  report_.aside_records = rest.records;
  for (const auto& bytes : behind()) report_.aside_bytes += bytes.size();
  return {};
}

void LogReplay::end_at(std::size_t i, const SegmentReader& reader) {
  end_ = End{segments_[i].number, reader.offset()};
  while (++i < segments_.size()) end_->behind.push_back(segments_[i].number);
}

std::vector<std::span<const std::byte>> LogReplay::behind() const {
  std::vector<std::span<const std::byte>> out;
  if (!end_) return out;
  for (std::size_t i = segments_.size() - end_->behind.size() - 1; i < segments_.size(); ++i) {
    const auto bytes = segments_[i].file->bytes();
    out.push_back(out.empty() ? bytes.subspan(end_->offset) : bytes);
  }
  return out;
}

}  // namespace varve::engine::rocksdb
