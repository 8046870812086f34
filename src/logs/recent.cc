// SPDX-License-Identifier: Apache-2.0
#include "logs/recent.h"

#include <algorithm>
#include <functional>

namespace varve::logs {

bool Recent::is_new(std::int64_t time_us, std::string_view json) {
  const std::uint64_t hash = std::hash<std::string_view>()(json);
  if (const auto found = repeated_.find(hash); found != repeated_.end()) {
    if (--found->second == 0) repeated_.erase(found);
    return false;
  }
  // A sender whose clock is ahead does not hide what others send.
  time_us = std::min(time_us, clock_.now_ms() * 1000);
  begin_us_ = std::max(begin_us_, time_us - kWidthUs);
  rows_.emplace_back(time_us, hash);
  forget_old();
  return true;
}

void Recent::forget_old() {
  while (!rows_.empty() && (rows_.front().first < begin_us_ || rows_.size() > kRowsMax)) rows_.pop_front();
}

std::int64_t Recent::start_again() {
  repeated_.clear();
  for (const auto& [time_us, hash] : rows_) {
    if (time_us >= begin_us_) ++repeated_[hash];
  }
  return begin_us_;
}

}  // namespace varve::logs
