// SPDX-License-Identifier: Apache-2.0
#include "server/memory_trim.h"

#include <malloc.h>

#include <algorithm>

#include "server/process.h"

namespace varve::server {
namespace {

constexpr std::uint64_t kExcessBytes = std::uint64_t{16} << 20;  // less is not worth it
constexpr std::uint64_t kExcessPart = 8;                         // nor less than one in so many of what is used
constexpr std::int64_t kIdlePart = 5;                            // idle: at most one in so many of a core is used
constexpr std::uint64_t kGainPart = 4;                           // of the excess; with less it was for nothing
constexpr std::int64_t kPauseNs = 600'000'000'000;

constexpr int kKeptAtEnd = 4 << 20;
// The most that can be said. Any threshold that is set keeps this one from growing, and what is larger is mapped, and
// its pages faulted in, each time.
constexpr int kMappedFrom = 32 << 20;

std::uint64_t excess(const MemoryLook& look) {
  return look.resident > look.used_bytes ? look.resident - look.used_bytes : 0;
}

}  // namespace

void set_malloc_thresholds() {
  ::mallopt(M_TRIM_THRESHOLD, kKeptAtEnd);
  ::mallopt(M_MMAP_THRESHOLD, kMappedFrom);
}

bool TrimPolicy::is_due(const MemoryLook& now) {
  const auto last = last_;
  last_ = now;
  if (!last || (now.steady_ns < not_before_ns_ && excess(now) < 2 * in_vain_)) return false;
  const bool is_idle = (now.cpu_ns - last->cpu_ns) * kIdlePart <= now.steady_ns - last->steady_ns;
  return is_idle && excess(now) >= kExcessBytes && excess(now) * kExcessPart >= now.used_bytes;
}

void TrimPolicy::note_gain(const MemoryLook& before, std::uint64_t resident_after) {
  const std::uint64_t gain = before.resident > resident_after ? before.resident - resident_after : 0;
  if (gain * kGainPart >= excess(before)) return;
  not_before_ns_ = before.steady_ns + kPauseNs;
  in_vain_ = excess(before) - std::min(gain, excess(before));
}

void MemoryTrim::look(std::int64_t steady_ns) {
  const struct mallinfo2 heap = ::mallinfo2();
  const MemoryLook now{steady_ns, cpu_ns(), resident_bytes(), heap.uordblks + heap.hblkhd};
  if (!policy_.is_due(now)) return;
  ::malloc_trim(0);
  policy_.note_gain(now, resident_bytes());
}

}  // namespace varve::server
