// SPDX-License-Identifier: Apache-2.0
// Texts: the part of a window that summarizes samples which are not numbers; and the pool that owns parts of windows.
//
// Histograms are merged into one (model/histogram.h) at the lowest precision among them. Functions over the values of a
// window's histograms give the same result for the merged one.
#pragma once

#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/histogram.h"
#include "model/time.h"
#include "model/value.h"
#include "rollup/counter_part.h"

namespace varve::rollup {

// Maximum size of a window's histogram. Above it the precision is reduced; a histogram of precision 0 is always kept
// (at most 4094 bins, 45 kB). At precision 7, 16 KiB hold more than 4000 bins: 32 full octaves.
inline constexpr std::size_t kMergedBytesMax = std::size_t{16} * 1024;

struct TextPart {
  std::string_view last = {};  // the value of the last sample
  model::ValueType last_type = model::ValueType::string;
  // False: the precision of `merged` was reduced, or it lacks histograms (windows of older versions kept none), so the
  // samples say more.
  bool exact = true;
  std::uint64_t histograms = 0;          // number of samples that are histograms
  model::Timestamp first_histogram = 0;  // time of the first one
  std::string_view merged = {};          // all of them (model::encode); empty if there are none
};

// Owns parts of windows and their bytes. Addresses stay valid when it is moved. For one thread.
class PartPool {
 public:
  PartPool() = default;
  PartPool(PartPool&&) noexcept = default;
  PartPool& operator=(PartPool&&) noexcept = default;
  // Does not copy the bytes that `part` refers to.
  const TextPart* add(const TextPart& part);
  // Copies the part and its bytes. nullptr for nullptr.
  const TextPart* copy(const TextPart* part);
  std::string_view keep(std::string bytes);
  CounterPart* add(const CounterPart& part);
  CounterPart* add_counter();  // one as it is made
  // Approximate size of the contents.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // Invalidates the contents, and frees most of them.
  void clear();

 private:
  std::vector<CounterPart>& room();  // has room for one more

  std::forward_list<TextPart> parts_;
  std::forward_list<std::string> strings_;
  std::vector<std::vector<CounterPart>> counters_;  // none of them ever grows beyond its capacity
  std::size_t bytes_ = 0;
};

// Combines the texts of one window. Reusable, for one thread.
class TextSum {
 public:
  // Adds a sample; samples must be added in time order. The value must outlive the result of take().
  void add(model::Timestamp time, std::string_view value, model::ValueType type);
  // Adds the summary of a part of the window, with the time of its last sample; in any order. It must stay valid until
  // take().
  void add(const TextPart& part, model::Timestamp last_time);
  [[nodiscard]] bool empty() const { return !part_; }
  // Returns the result and starts over. Precondition: not empty().
  const TextPart* take(PartPool& pool);

 private:
  void add_histogram(std::string_view bytes);
  void take_last(std::string_view value, model::ValueType type, model::Timestamp time);

  std::optional<TextPart> part_;  // `merged`: of a single histogram; several are in all_
  model::Timestamp last_time_ = 0;
  std::optional<model::Histogram> all_;
};

}  // namespace varve::rollup
