// SPDX-License-Identifier: Apache-2.0
// Texts: what a window keeps of samples that are not numbers, and who owns the bytes.
//
// Histograms are merged into one (model/histogram.h): bins are added at the lowest precision among them. Functions over
// the values of a window's histograms give the same result from the merged one.
#pragma once

#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>

#include "model/histogram.h"
#include "model/time.h"
#include "model/value.h"

namespace varve::rollup {

// Largest histogram of a window, in bytes: beyond it the precision is reduced, but a histogram of precision 0 is always
// kept (it has at most 4094 bins, and 45 kB). At precision 7, 16 KiB is the room of more than 4000 bins: 32
// octaves, all of them full.
inline constexpr std::size_t kMergedBytesMax = std::size_t{16} * 1024;

struct TextPart {
  std::string_view last = {};  // the value of the last sample
  model::ValueType last_type = model::ValueType::string;
  // Was the precision of `merged` reduced to stay within the bound, or does it lack histograms (windows of older
  // versions kept none)? Then the samples are more precise.
  bool exact = true;
  std::uint64_t histograms = 0;          // how many of the samples are histograms
  model::Timestamp first_histogram = 0;  // the time of the first of them
  std::string_view merged = {};          // them as one, model::encode; empty without them
};

// Owns parts and the bytes made for them. Moving it does not move these. One thread.
class TextPool {
 public:
  TextPool() = default;
  TextPool(TextPool&&) noexcept = default;
  TextPool& operator=(TextPool&&) noexcept = default;
  // The views of `part` stay what they are: views of a block, or of this pool.
  const TextPart* add(const TextPart& part);
  // With its bytes: nothing else need live on. nullptr: the same.
  const TextPart* copy(const TextPart* part);
  std::string_view keep(std::string bytes);
  // Approximate size of what is kept.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // Invalidates everything in it.
  void clear();

 private:
  std::forward_list<TextPart> parts_;
  std::forward_list<std::string> strings_;
  std::size_t bytes_ = 0;
};

// Adds up the texts of one window. Reusable, one thread.
class TextSum {
 public:
  // A sample; they come in order of time. The value must outlive the use of what take() gives.
  void add(model::Timestamp time, std::string_view value, model::ValueType type);
  // What part of the window knew, with its last sample's time; parts come in any order. It must outlive take().
  void add(const TextPart& part, model::Timestamp last_time);
  [[nodiscard]] bool empty() const { return !part_; }
  // Not empty. Leaves nothing.
  const TextPart* take(TextPool& pool);

 private:
  void add_histogram(std::string_view bytes);
  void take_last(std::string_view value, model::ValueType type, model::Timestamp time);

  std::optional<TextPart> part_;  // `merged`: of one histogram; of several there is `all_`
  model::Timestamp last_time_ = 0;
  std::optional<model::Histogram> all_;
};

}  // namespace varve::rollup
