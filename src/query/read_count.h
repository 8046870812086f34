// SPDX-License-Identifier: Apache-2.0
// What a query read: samples, statistics of chunks that stood for their samples, and windows of each granularity.
// Counted by piece and by chunk, never by sample.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace varve::query {

struct Read {
  std::uint64_t series = 0;  // looked at
  std::uint64_t samples = 0;
  std::uint64_t chunks = 0;                                     // whose statistics were taken
  std::vector<std::pair<std::int64_t, std::uint64_t>> windows;  // by width in ms, ascending
  std::int64_t micros = 0;                                      // that the query took

  void add(const Read& other);
  [[nodiscard]] std::uint64_t windows_in_all() const;
};

// "series=5, samples=1200, chunks=3, 5m=288, 1h=24, ms=1.204": what is not 0, always with the time.
std::string text_of(const Read& read);
// "5m", "36h", "250ms": the largest unit of which the width is a multiple, days at most.
std::string width_text(std::int64_t width_ms);

// Counts for one query. Thread-safe; threads count apart, or the counts would cost more than small pieces do.
class ReadCount {
 public:
  void series(std::uint64_t n) { mine().series.fetch_add(n, std::memory_order_relaxed); }
  // The same question is answered another way: its series are counted then. What was read has been read. Nobody else
  // counts meanwhile.
  void begin_again() {
    for (Part& part : parts_) part.series.store(0, std::memory_order_relaxed);
  }
  void samples(std::uint64_t n) { mine().samples.fetch_add(n, std::memory_order_relaxed); }
  void chunk() { mine().chunks.fetch_add(1, std::memory_order_relaxed); }
  void windows(std::int64_t width_ms, std::uint64_t n);
  [[nodiscard]] Read so_far() const;

 private:
  struct OfWidth {
    std::atomic<std::int64_t> width_ms{0};  // 0: free
    std::atomic<std::uint64_t> windows{0};
  };
  // Cache lines of its own.
  struct alignas(64) Part {
    std::atomic<std::uint64_t> series{0};
    std::atomic<std::uint64_t> samples{0};
    std::atomic<std::uint64_t> chunks{0};
    std::array<OfWidth, 16> widths;  // more granularities share the last
    [[nodiscard]] Read so_far() const;
  };
  static constexpr std::size_t kParts = 4;
  Part& mine();

  std::array<Part, kParts> parts_;
};

}  // namespace varve::query
