// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/followed.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/analytics/ndjson_answer.h"
#include "api/shared/follow_meter.h"
#include "message/id.h"
#include "message/matches.h"

namespace varve::api {

codec::Hash128 identity_of(message::RowView row) {
  if (message::has_lasting_id(row)) {
    const message::Id id = message::id_of(row);
    std::string key(id.begin(), id.end());
    key.append(reinterpret_cast<const char*>(row.at) + 8, 8);  // time
    key += std::to_string(row.nanos());
    return codec::hash128(key);
  }
  std::string bytes(reinterpret_cast<const char*>(row.at), row.bytes());
  std::fill_n(bytes.begin() + 16, 8, '\0');  // the arrival
  return codec::hash128(bytes);
}

// ---- Follower

void Follower::wake(std::function<void()> ready) const {
  if (ready) ready();
}

bool Follower::wait(std::function<void()> ready) {
  const MutexLock lock(mutex_);
  if (!waiting_.empty() || ended_ || left_ == 0) return false;
  ready_ = std::move(ready);
  return true;
}

void Follower::append(std::string& piece, const FollowedLines& lines) {
  if (lines.first_us >= first_us_ && lines.lines.size() <= left_) {
    piece += lines.text;
    left_ -= lines.lines.size();
    return;
  }
  std::size_t begin = 0;
  for (const auto& line : lines.lines) {
    if (line.time_us >= first_us_ && left_ > 0) {
      piece.append(lines.text, begin, line.end - begin);
      --left_;
    }
    begin = line.end;
  }
}

bool Follower::take(std::string& piece) {
  const MutexLock lock(mutex_);
  while (!waiting_.empty() && left_ > 0 && piece.size() < http::kPieceBytes) {
    append(piece, *waiting_.front());
    bytes_ -= waiting_.front()->text.size();
    waiting_.pop_front();
  }
  if (left_ == 0) return false;
  if (!waiting_.empty() || !ended_) return true;
  piece += last_line_;
  return false;
}

bool Follower::give(const std::shared_ptr<const FollowedLines>& lines) {
  std::function<void()> ready;
  bool took = true;
  {
    const MutexLock lock(mutex_);
    if (ended_) return true;
    if (bytes_ > 0 && bytes_ + lines->text.size() > kWaitingBytesMax) {
      took = false;
      ended_ = true;
      append_error_line(last_line_, {Code::limit, "messages come faster than they are read: some are missing"});
    } else {
      waiting_.push_back(lines);
      bytes_ += lines->text.size();
    }
    ready.swap(ready_);
  }
  wake(std::move(ready));
  return took;
}

void Follower::fail_with(const Error& error) {
  std::function<void()> ready;
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    ended_ = true;
    append_error_line(last_line_, error);
    ready.swap(ready_);
  }
  wake(std::move(ready));
}

std::vector<codec::Hash128> Follower::waiting() const {
  std::vector<codec::Hash128> out;
  const MutexLock lock(mutex_);
  for (const auto& lines : waiting_) {
    for (const auto& line : lines->lines) {
      if (line.is_first && line.time_us >= first_us_) out.push_back(line.message);
    }
  }
  return out;
}

void Follower::limit(std::uint64_t lines) {
  const MutexLock lock(mutex_);
  left_ = lines;
}

// ---- Followed

Followed::Followed(language::analytics::AnalyticsQuery question, std::shared_ptr<MemoryLedger> ledger,
                   const Clock& clock, Counter& evaluations, Counter& dropped)
    : question_(std::move(question)),
      ledger_(std::move(ledger)),
      clock_(clock),
      evaluations_(evaluations),
      dropped_(dropped),
      rows_(question_) {}

void Followed::add(std::weak_ptr<Follower> follower) {
  const MutexLock lock(mutex_);
  std::erase_if(followers_, [](const auto& one) { return one.expired(); });
  followers_.push_back(std::move(follower));
}

std::vector<std::shared_ptr<Follower>> Followed::followers() {
  std::vector<std::shared_ptr<Follower>> out;
  const MutexLock lock(mutex_);
  for (const auto& one : followers_) {
    if (auto follower = one.lock()) out.push_back(std::move(follower));
  }
  return out;
}

Result<std::shared_ptr<const FollowedLines>> Followed::lines_of(std::span<const std::byte> rows) {
  auto out = std::make_shared<FollowedLines>(ledger_);
  out->first_us = std::numeric_limits<std::int64_t>::max();
  std::uint64_t seen = 0;
  const FollowMeter meter(clock_);
  for (const std::byte *at = rows.data(), *const stop = at + rows.size(); at != stop; ++seen) {
    const message::RowView row{at};
    at += row.bytes();
    const std::size_t count = message::matches(question_.condition, row) ? rows_.read(row) : 0;
    if (!meter.status()) return fail(meter.status().error());
    if (count == 0) continue;
    const codec::Hash128 identity = identity_of(row);
    if (message::has_lasting_id(row) && recent_.holds({identity.low, identity.high})) continue;
    for (std::size_t i = 0; i < count; ++i) {
      rows_.append_json(out->text, i);
      out->text += '\n';
      out->lines.push_back({out->text.size(), row.time_us(), identity, i == 0});
    }
    out->first_us = std::min(out->first_us, row.time_us());
    const std::size_t bytes = out->text.capacity() + out->lines.capacity() * sizeof(FollowedLines::Line);
    if (!out->held.resize(bytes)) return fail(Code::unavailable, "requests hold all the memory of limits.memory");
  }
  evaluations_.add(seen);
  return out;
}

void Followed::look_at(std::span<const std::byte> rows) {
  const auto lines = lines_of(rows);
  if (!lines) return fail_all(lines.error());
  if ((*lines)->lines.empty()) return;
  for (const auto& follower : followers()) {
    if (!follower->give(*lines)) dropped_.add();
  }
}

void Followed::fail_all(const Error& error) {
  for (const auto& follower : followers()) follower->fail_with(error);
}

}  // namespace varve::api
