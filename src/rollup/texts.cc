// SPDX-License-Identifier: Apache-2.0
#include "rollup/texts.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace varve::rollup {
namespace {

void set_mean(model::Histogram& histogram) {
  if (const std::uint64_t count = histogram.count(); count != 0) {
    histogram.mean = histogram.sum / static_cast<double>(count);
  }
}

// Within the bound, and whether it had to be coarsened for that.
std::pair<std::string, bool> encoded(model::Histogram& histogram) {
  std::string bytes = model::encode(histogram);
  bool coarsened = false;
  while (bytes.size() > kMergedBytesMax && histogram.precision > 0) {
    model::coarsen(histogram, histogram.precision - 1);
    bytes = model::encode(histogram);
    coarsened = true;
  }
  return {std::move(bytes), coarsened};
}

}  // namespace

// --- PartPool

namespace {
constexpr std::size_t kBlockMin = 8, kBlockMax = 1024;  // parts of counters
}

std::vector<CounterPart>& PartPool::room() {
  bytes_ += sizeof(CounterPart);
  if (counters_.empty() || counters_.back().size() == counters_.back().capacity()) {
    const std::size_t last = counters_.empty() ? 0 : counters_.back().capacity();
    counters_.emplace_back().reserve(std::clamp(2 * last, kBlockMin, kBlockMax));
  }
  return counters_.back();
}

CounterPart* PartPool::add(const CounterPart& part) { return &room().emplace_back(part); }

CounterPart* PartPool::add_counter() { return &room().emplace_back(); }

const TextPart* PartPool::add(const TextPart& part) {
  bytes_ += sizeof part;
  return &parts_.emplace_front(part);
}

const TextPart* PartPool::copy(const TextPart* part) {
  if (part == nullptr) return nullptr;
  TextPart own = *part;
  own.last = keep(std::string(own.last));
  own.merged = keep(std::string(own.merged));
  return add(own);
}

std::string_view PartPool::keep(std::string bytes) {
  if (bytes.empty()) return {};
  bytes_ += sizeof bytes + bytes.size();
  return strings_.emplace_front(std::move(bytes));
}

void PartPool::clear() {
  parts_.clear();
  strings_.clear();
  if (!counters_.empty()) {
    // The largest is used again.
    std::swap(counters_.front(), counters_.back());
    counters_.resize(1);
    counters_.front().clear();
  }
  bytes_ = 0;
}

// --- TextSum

void TextSum::take_last(std::string_view value, model::ValueType type, model::Timestamp time) {
  last_time_ = time;
  part_->last = value;
  part_->last_type = type;
}

void TextSum::add_histogram(std::string_view bytes) {
  if (!all_ && part_->merged.empty()) {
    part_->merged = bytes;  // there may be no other
    return;
  }
  if (!all_) all_ = model::decode_histogram(part_->merged);
  const auto more = model::decode_histogram(bytes);
  // What was kept as a histogram is one, unless a block was damaged in a way that its checksum does not show.
  if (!all_ || !more) {
    part_->exact = false;
    if (!all_) all_ = more;
  } else {
    model::merge(*all_, *more);
  }
}

void TextSum::add(model::Timestamp time, std::string_view value, model::ValueType type) {
  if (!part_) part_.emplace();
  take_last(value, type, time);
  if (type != model::ValueType::histogram) return;
  auto one = model::decode_histogram(value);
  if (!one) return;  // foreign bytes
  if (part_->histograms++ == 0) part_->first_histogram = time;
  if (!all_) {
    set_mean(*one);
    all_ = std::move(one);
  } else {
    model::merge(*all_, *one);
  }
}

void TextSum::add(const TextPart& part, model::Timestamp last_time) {
  if (!part_) {
    part_ = part;
    last_time_ = last_time;
  } else {
    if (part.histograms != 0) {
      const bool first = part_->histograms == 0;
      part_->first_histogram = first ? part.first_histogram : std::min(part_->first_histogram, part.first_histogram);
      part_->histograms += part.histograms;
      add_histogram(part.merged);
    }
    part_->exact = part_->exact && part.exact;
    if (last_time >= last_time_) take_last(part.last, part.last_type, last_time);
  }
  // A histogram that was not counted: the window is of a version that did not.
  if (part.histograms == 0 && part.last_type == model::ValueType::histogram) part_->exact = false;
}

const TextPart* TextSum::take(PartPool& pool) {
  check(part_.has_value(), "something was added");
  if (all_) {
    auto [bytes, coarsened] = encoded(*all_);
    part_->merged = pool.keep(std::move(bytes));
    part_->exact = part_->exact && !coarsened;
  }
  const TextPart* const taken = pool.add(*part_);
  part_.reset();
  all_.reset();
  return taken;
}

}  // namespace varve::rollup
