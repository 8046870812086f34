// SPDX-License-Identifier: Apache-2.0
// MemoryTrim: gives the machine back what a load, a settle or a wide question needed. The C library's allocator keeps
// freed memory for what comes next; after a wide question that can be several times of what is in use.
#pragma once

#include <cstdint>
#include <optional>

namespace varve::server {

// Before there are threads. Each arena of the allocator has free memory at its end: it gives back what is more than a
// threshold, which grows up to 64 MiB by itself, and malloc_trim() leaves the ends of all arenas but the first alone.
void set_malloc_thresholds();

// What is known of the process at some moment.
struct MemoryLook {
  std::int64_t steady_ns = 0;
  std::int64_t cpu_ns = 0;       // of all threads, since the start
  std::uint64_t resident = 0;    // bytes in RAM
  std::uint64_t used_bytes = 0;  // that the allocator has given away
};

// When it is time. Trimming holds up those who allocate, for some milliseconds in a GiB: it waits until the process has
// little to do, and gives up for a while if it was for nothing, unless much more has become free. For one thread.
class TrimPolicy {
 public:
  bool is_due(const MemoryLook& now);
  // After it was done.
  void note_gain(const MemoryLook& before, std::uint64_t resident_after);

 private:
  std::optional<MemoryLook> last_;
  std::int64_t not_before_ns_ = 0;
  std::uint64_t in_vain_ = 0;  // bytes that seemed free then, and were not given back
};

// Looks at the process, and trims its memory if that is due. For one thread; call it every few seconds.
class MemoryTrim {
 public:
  void look(std::int64_t steady_ns);

 private:
  TrimPolicy policy_;
};

}  // namespace varve::server
