// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/follower.h"

#include <utility>

#include "api/analytics/ndjson_answer.h"

namespace varve::api {

bool Follower::wait(std::function<void()> ready) {
  const MutexLock lock(mutex_);
  if (!waiting_.empty() || ended_ || left_ == 0) return false;
  ready_ = std::move(ready);
  return true;
}

void Follower::append(std::string& piece, const query::Findings& found) {
  if (found.first_us >= first_us_ && found.lines.size() <= left_) {
    piece += found.text;
    left_ -= found.lines.size();
    return;
  }
  std::size_t begin = 0;
  for (const auto& line : found.lines) {
    if (line.time_us >= first_us_ && left_ > 0) {
      piece.append(found.text, begin, line.end - begin);
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

bool Follower::give(const std::shared_ptr<const query::Findings>& found) {
  std::function<void()> ready;
  bool took = true;
  {
    const MutexLock lock(mutex_);
    if (ended_) return true;
    if (bytes_ > 0 && bytes_ + found->text.size() > kWaitingBytesMax) {
      took = false;
      ended_ = true;
      append_error_line(last_line_, {Code::limit, "messages come faster than they are read: some are missing"});
    } else {
      waiting_.push_back(found);
      bytes_ += found->text.size();
    }
    ready.swap(ready_);
  }
  if (ready) ready();
  return took;
}

void Follower::fail_with(const Error& error, std::string_view /*missed*/) {
  std::function<void()> ready;
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
    ended_ = true;
    append_error_line(last_line_, error);
    ready.swap(ready_);
  }
  if (ready) ready();
}

void Follower::limit(std::uint64_t lines) {
  const MutexLock lock(mutex_);
  left_ = lines;
}

}  // namespace varve::api
