// SPDX-License-Identifier: Apache-2.0
#include "query/read_count.h"

#include <algorithm>

#include "model/instant.h"

namespace varve::query {

void Read::add(const Read& other) {
  series += other.series;
  samples += other.samples;
  chunks += other.chunks;
  micros += other.micros;
  for (const auto& [width, count] : other.windows) {
    const auto at = std::ranges::lower_bound(windows, width, {}, &std::pair<std::int64_t, std::uint64_t>::first);
    if (at != windows.end() && at->first == width) {
      at->second += count;
    } else {
      windows.insert(at, {width, count});
    }
  }
}

std::uint64_t Read::windows_in_all() const {
  std::uint64_t sum = 0;
  for (const auto& [width, count] : windows) sum += count;
  return sum;
}

std::string width_text(std::int64_t width_ms) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {
      {86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}};
  for (const auto& [ms, name] : kUnits) {
    if (width_ms % ms == 0) return std::to_string(width_ms / ms) + name;
  }
  return std::to_string(width_ms) + "ms";
}

std::string text_of(const Read& read) {
  std::string out;
  const auto put = [&](const std::string& name, std::uint64_t count) {
    if (count != 0) out.append(name).append("=").append(std::to_string(count)).append(", ");
  };
  put("series", read.series);
  put("samples", read.samples);
  put("chunks", read.chunks);
  for (const auto& [width, count] : read.windows) put(width_text(width), count);
  out += "ms=" + std::to_string(read.micros / 1000) + '.';
  model::append_padded(out, read.micros % 1000, 3);
  return out;
}

ReadCount::Part& ReadCount::mine() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return parts_[number % kParts];
}

void ReadCount::windows(std::int64_t width_ms, std::uint64_t n) {
  auto& widths = mine().widths;
  for (OfWidth& of : widths) {
    std::int64_t width = of.width_ms.load(std::memory_order_relaxed);
    // On failure `width` is what another thread has put there meanwhile.
    if (width == 0 && of.width_ms.compare_exchange_strong(width, width_ms, std::memory_order_relaxed)) width = width_ms;
    if (width != width_ms && &of != &widths.back()) continue;
    of.windows.fetch_add(n, std::memory_order_relaxed);
    return;
  }
}

Read ReadCount::Part::so_far() const {
  Read read;
  read.series = series.load(std::memory_order_relaxed);
  read.samples = samples.load(std::memory_order_relaxed);
  read.chunks = chunks.load(std::memory_order_relaxed);
  for (const OfWidth& of : widths) {
    const auto width = of.width_ms.load(std::memory_order_relaxed);
    if (width != 0) read.windows.emplace_back(width, of.windows.load(std::memory_order_relaxed));
  }
  std::ranges::sort(read.windows);
  return read;
}

Read ReadCount::so_far() const {
  Read read;
  for (const Part& part : parts_) read.add(part.so_far());
  return read;
}

}  // namespace varve::query
