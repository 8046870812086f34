// SPDX-License-Identifier: Apache-2.0
#include "write/refusals.h"

#include "base/log.h"

namespace varve::write {
namespace {

constexpr double kNsPerSecond = 1e9;

bool is_of_all(Code code) { return code == Code::unavailable || code == Code::timeout || code == Code::io; }

}  // namespace

void Refusals::note(const Status& status, std::size_t bytes) {
  if (status) return taken(bytes);
  if (is_of_all(status.error().code)) refused(status.error().message, bytes);
}

void Refusals::refused(std::string_view why, std::size_t bytes) {
  if (stopped_) return;
  const std::int64_t now_ns = clock_.steady_ns();
  const MutexLock lock(mutex_);
  const bool begins = !refusing_;
  if (begins) {
    count_ = 0;
    began_ns_ = now_ns;
    smallest_ = bytes;
  }
  ++count_;
  last_ns_ = now_ns;
  why_ = why;
  smallest_ = std::min(smallest_, bytes);
  taken_ = false;
  largest_ = 0;
  refusing_ = true;
  if (begins) log::warn("writes are refused", {{"reason", why_}});
}

// Usually nothing is refused, and all that it costs is a look.
void Refusals::taken(std::size_t bytes) {
  if (!refusing_.load(std::memory_order_relaxed)) return;
  const MutexLock lock(mutex_);
  taken_ = true;
  largest_ = std::max(largest_, bytes);
}

void Refusals::look() {
  if (!refusing_) return;
  const std::int64_t now_ns = clock_.steady_ns();
  const MutexLock lock(mutex_);
  const std::int64_t quiet_ns = now_ns - last_ns_;
  if (!taken_ || quiet_ns < (largest_ >= smallest_ ? kQuietNs : kLongNs)) return;
  refusing_ = false;
  log::info(
      "writes go on again",
      {{"reason", why_}, {"refused", count_}, {"seconds", static_cast<double>(last_ns_ - began_ns_) / kNsPerSecond}});
}

std::string Refusals::told() const {
  if (!refusing_) return {};
  const MutexLock lock(mutex_);
  return "writes are refused: " + why_;
}

}  // namespace varve::write
