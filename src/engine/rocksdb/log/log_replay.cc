// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log_replay.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

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
  report_.lost_at_end = reached + 1 - next_;
  report_.lost_records += report_.lost_at_end;
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
  if (!repair_) return check_order();
  order_by_content();
  return {};
}

// No power cut exchanges files.
Status LogReplay::check_order() const {
  const Segment* before = nullptr;
  for (const Segment& segment : segments_) {
    if (!segment.opening) continue;
    if (before != nullptr && segment.opening->after < before->opening->after) {
      return fail(Code::corrupt, segment.path + " holds what comes in front of " + before->path +
                                     ": files of the log were exchanged; give them back their names, or start with " +
                                     "--storage.repair=true, which reads them in their order");
    }
    before = &segment;
  }
  return {};
}

// Under repair names do not count: files may have been exchanged. One in which nothing can be read stays behind the one
// before it.
void LogReplay::order_by_content() {
  std::pair<std::uint64_t, std::uint64_t> place;
  for (Segment& segment : segments_) {
    const std::uint64_t own = before_first(segment.begin);
    segment.readable = own != kNoLimit;
    if (segment.readable) place = {own, last_of(segment.begin)};
    std::tie(segment.before, segment.last) = place;
  }
  std::ranges::stable_sort(segments_, {}, [](const Segment& s) { return std::pair(s.before, s.last); });
  if (!std::ranges::is_sorted(segments_, {}, &Segment::number)) say_order();
  leave_out_old();
}

void LogReplay::say_order() {
  report_.misplaced = true;
  std::string files;
  for (const Segment& segment : segments_) files += (files.empty() ? "" : " ") + segment.path;
  log::warn("files of the log have been exchanged: they are read in the order of what is in them", {{"files", files}});
}

// What a segment holds says whether the database has it, whatever its name is.
void LogReplay::leave_out_old() {
  std::erase_if(segments_, [&](const Segment& segment) {
    if (!segment.readable || segment.last >= next_ || segment.before + 1 >= next_) return false;
    report_.misplaced = true;
    log::warn("a segment of the log is left out: the database has all records in it",
              {{"file", segment.path},
               {"bytes", segment.file->bytes().size()},
               {"from", segment.before + 1},
               {"to", segment.last}});
    return true;
  });
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
  const std::uint64_t expected = next_;
  std::uint64_t known = 0;  // records that came before
  bool good = false;
  for (SegmentReader at = reader; !good;) {
    reader = at;  // stays in front of what is taken
    const auto record = at.next();
    if (!record && !at.skip()) break;
    if (!record) continue;
    const std::uint64_t follows = record->mark ? record->sequence + 1 : record->sequence;
    good = follows >= next_ && (record->mark || record->sequence <= limit);
    if (good) {
      report_.lost_records += follows - next_;
      next_ = follows;
    } else if (!record->mark && record->sequence < next_) {
      ++known;
    }
  }
  if (!good) {
    const Rest rest = look_behind(i, begin);
    if (rest.records == 0) reached_ = rest.reached;
    if (rest.records == 0 && known == 0) return cut_tail(i, begin);
    while (reader.skip()) continue;
  }
  const std::size_t skipped = reader.offset() - begin.offset();
  report_.damaged_bytes += skipped;
  const char* const what = known > 0     ? "a part of the log is left out: the records in it came before"
                           : skipped > 0 ? "a damaged part of the log is left out"
                                         : "records are missing in the log";
  log::warn(what, {{"file", segment.path},
                   {"offset", begin.offset()},
                   {"bytes", skipped},
                   {"records_known", known},
                   {"first_record", expected},
                   {"records_lost", good ? std::to_string(next_ - expected) : "those up to the next file"}});
}

// Nothing that is behind `reader` can be read.
void LogReplay::cut_tail(std::size_t i, const SegmentReader& reader) {
  end_at(i, reader);
  for (const auto& bytes : behind()) report_.torn_bytes += bytes.size();
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
  report_.aside_records = rest.records;
  std::uint64_t& of_rest = rest.records == 0 ? report_.torn_bytes : report_.aside_bytes;
  for (const auto& bytes : behind()) of_rest += bytes.size();
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

bool reaches_behind(const std::string& path, std::uint64_t sequence) {
  const auto file = MappedFile::open(path);
  if (!file) return false;
  const auto reader = SegmentReader::open((*file)->bytes());
  return reader && last_of(*reader) > sequence;
}

}  // namespace varve::engine::rocksdb
