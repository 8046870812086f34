// SPDX-License-Identifier: Apache-2.0
#include "rollup/counter_columns.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <limits>
#include <variant>

#include "base/check.h"
#include "codec/varint.h"

namespace varve::rollup {
namespace {

using counter::Bin;
using counter::Increase;
using counter::Summary;
using model::ValueType;

// What is irregular. On disk: DO NOT CHANGE THE NUMBERS.
enum Irregular : std::uint64_t {
  kInexact = 1,
  kFirstTime = 2,
  kIncrease = 4,
  kCovered = 8,
  kHeadCovered = 16,
  kTailCovered = 32,
  kLeastCovered = 64,
  kGreatestCovered = 128,
  kMaxPerSecond = 256,
};
constexpr std::uint64_t kIrregulars = 511;

constexpr std::uint64_t kUnsigned = 1;
constexpr unsigned kFallShift = 1, kBaseShift = 3;

std::uint64_t rule_of(const counter::Terms& terms) {
  return static_cast<std::uint64_t>(terms.base_ms) << kBaseShift |
         static_cast<std::uint64_t>(terms.rules.fall) << kFallShift | (terms.rules.is_unsigned ? kUnsigned : 0);
}

// Of a summary whose samples are all there are, with intervals that all count.
template <Increase I>
struct Regular {
  explicit Regular(const Summary<I>& s)
      : bins((s.tail.start - s.head.start) / s.terms.base_ms),
        covered_ms(s.last.time - s.first.time),
        head_ms(bins == 0 ? covered_ms : s.head.start + s.terms.base_ms - s.first.time),
        tail_ms(bins == 0 ? 0 : s.last.time - s.tail.start),
        between_ms(bins > 1 ? s.terms.base_ms : 0) {}

  std::int64_t bins;  // from that of the first sample to that of the last one
  std::int64_t covered_ms, head_ms, tail_ms;
  std::int64_t between_ms;  // in the least and in the greatest of the bins between
};

template <Increase I>
I grown(const Summary<I>& s) {
  return s.last.value - s.first.value;  // modulo 2^64
}

// Real increases are a sum of differences, which is less exact than the difference of the ends.
template <Increase I>
bool is_regular_increase(const Summary<I>& s) {
  if constexpr (std::same_as<I, double>) {
    if (s.covered_ms == s.last.time - s.first.time && s.terms.rules.fall == counter::Fall::unknown) return true;
  }
  return s.increase == grown(s);
}

void put_bits(std::string& to, std::uint64_t bits) {
  for (unsigned byte = 0; byte < 8; ++byte) to += static_cast<char>(bits >> (8 * byte));
}

template <Increase I>
std::string irregular_in(const Summary<I>& s, const Window& window, bool exact) {
  const Regular<I> regular(s);
  std::uint64_t which = 0;
  std::string fields;
  const auto varint = [&](Irregular bit, std::uint64_t value) {
    which |= bit;
    codec::append_varint(fields, value);
  };
  const auto covered = [&](Irregular bit, std::int64_t is, std::int64_t regular_ms) {
    if (is != regular_ms) varint(bit, static_cast<std::uint64_t>(is));
  };
  if (!exact) which |= kInexact;
  if (s.first.time != window.first_time) varint(kFirstTime, codec::zigzag(s.first.time - window.start));
  if (!is_regular_increase(s)) {
    which |= kIncrease;
    put_bits(fields, std::bit_cast<std::uint64_t>(s.increase));
  }
  covered(kCovered, s.covered_ms, regular.covered_ms);
  covered(kHeadCovered, s.head.covered_ms, regular.head_ms);
  covered(kTailCovered, s.tail.covered_ms, regular.tail_ms);
  covered(kLeastCovered, s.least.covered_ms, regular.between_ms);
  covered(kGreatestCovered, s.greatest.covered_ms, regular.between_ms);
  if (s.terms.rules.max_per_second) {
    which |= kMaxPerSecond;
    put_bits(fields, std::bit_cast<std::uint64_t>(*s.terms.rules.max_per_second));
  }
  if (which == 0) return {};
  std::string out;
  codec::append_varint(out, which);
  return out + fields;
}

std::unexpected<Error> wrong() { return fail(Code::corrupt, "a window of a counter has impossible values"); }

// Reads what irregular_in() wrote.
class Fields {
 public:
  explicit Fields(std::string_view bytes)
      : at_(reinterpret_cast<const std::byte*>(bytes.data())), end_(at_ + bytes.size()) {}

  [[nodiscard]] bool good() const { return at_ != nullptr; }
  [[nodiscard]] bool done() const { return at_ == end_; }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    if (at_ != nullptr) at_ = codec::get_varint(at_, end_, value);
    return value;
  }
  std::uint64_t bits() {
    std::uint64_t value = 0;
    if (at_ == nullptr || end_ - at_ < 8) {
      at_ = nullptr;
      return 0;
    }
    for (unsigned byte = 0; byte < 8; ++byte) value |= std::to_integer<std::uint64_t>(*at_++) << (8 * byte);
    return value;
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
};

// Of damaged bytes, too: those are looked at afterwards.
model::Timestamp after(model::Timestamp start, std::uint64_t ms) {
  return static_cast<model::Timestamp>(static_cast<std::uint64_t>(start) + ms);
}
bool is_time(model::Timestamp time) { return time >= model::kTimestampMin && time <= model::kTimestampMax; }

// A bin between head and tail: those are counted from that of the head.
template <Increase I>
bool is_between(const Summary<I>& s, const Bin<I>& bin) {
  return bin.covered_ms == 0 || (bin.start > s.head.start && bin.start < s.tail.start);
}
template <Increase I>
bool is_within(const Summary<I>& s, const Bin<I>& bin) {
  return bin.covered_ms >= 0 && bin.covered_ms <= s.terms.base_ms;
}

template <Increase I>
Result<CounterPart> read_part(const CounterCells& cells, const counter::Terms& terms) {
  const auto value = [&](CounterColumns::Column column) { return std::bit_cast<I>(cells.values[column]); };
  Fields fields(cells.irregular);
  const std::uint64_t which = cells.irregular.empty() ? 0 : fields.varint();
  if ((which & ~kIrregulars) != 0) return wrong();
  Summary<I> s;
  s.terms = terms;
  s.first = {cells.first_time, value(CounterColumns::first)};
  if ((which & kFirstTime) != 0) {
    s.first.time = after(cells.start, static_cast<std::uint64_t>(codec::unzigzag(fields.varint())));
  }
  s.last.time = after(cells.start, cells.values[CounterColumns::last_offset]);
  s.last.value = value(CounterColumns::last);
  if constexpr (std::same_as<I, std::uint64_t>) s.last.value += s.first.value;
  if (!is_time(s.first.time) || !is_time(s.last.time) || s.last.time < s.first.time) return wrong();
  s.head.start = model::window_start(s.first.time, terms.base_ms);
  s.tail.start = model::window_start(s.last.time, terms.base_ms);
  const Regular<I> regular(s);
  s.increase = (which & kIncrease) != 0 ? std::bit_cast<I>(fields.bits()) : grown(s);
  const auto covered = [&](Irregular bit, std::int64_t regular_ms) {
    return (which & bit) != 0 ? static_cast<std::int64_t>(fields.varint()) : regular_ms;
  };
  s.covered_ms = covered(kCovered, regular.covered_ms);
  s.head.covered_ms = covered(kHeadCovered, regular.head_ms);
  s.tail.covered_ms = covered(kTailCovered, regular.tail_ms);
  s.least.covered_ms = covered(kLeastCovered, regular.between_ms);
  s.greatest.covered_ms = covered(kGreatestCovered, regular.between_ms);
  if ((which & kMaxPerSecond) != 0) s.terms.rules.max_per_second = std::bit_cast<double>(fields.bits());
  if (!cells.irregular.empty() && (!fields.good() || !fields.done())) return wrong();
  s.head.increase = value(CounterColumns::head);
  s.tail.increase = value(CounterColumns::tail);
  const std::uint64_t places = cells.values[CounterColumns::places];
  const auto bins = static_cast<std::uint64_t>(std::max<std::int64_t>(regular.bins, 1));
  const auto start_of = [&](std::uint64_t place) {
    return s.head.start + static_cast<std::int64_t>(place % bins) * terms.base_ms;
  };
  if (s.least.covered_ms != 0) s.least = {start_of(places / bins), value(CounterColumns::least), s.least.covered_ms};
  if (s.greatest.covered_ms != 0)
    s.greatest = {start_of(places), value(CounterColumns::greatest), s.greatest.covered_ms};
  const auto& ceiling = s.terms.rules.max_per_second;
  const bool good = (!ceiling || *ceiling >= 0) && s.covered_ms >= 0 && s.covered_ms <= regular.covered_ms &&
                    is_within(s, s.head) && is_within(s, s.tail) && is_within(s, s.least) && is_within(s, s.greatest) &&
                    is_between(s, s.least) && is_between(s, s.greatest);
  if (!good) return wrong();
  return CounterPart{s, (which & kInexact) == 0};
}

}  // namespace

void CounterColumns::clear() {
  for (auto& column : bits) column.clear();
  types.clear();
  irregular.clear();
  texts_.clear();
  has_any_ = has_irregular_ = false;
  all_whole_ = true;
}

void CounterColumns::add(std::span<const Window> windows) {
  if (!has_any_ && std::ranges::none_of(windows, [](const Window& w) { return w.counter != nullptr; })) {
    // Those of gauges have none, and are many.
    types.resize(types.size() + windows.size(), ValueType::long_);
    return;
  }
  has_any_ = true;
  std::size_t at = types.size();
  types.resize(at + windows.size(), ValueType::long_);
  for (auto& column : bits) column.resize(types.size(), 0);
  texts_.resize(types.size());
  for (const Window& window : windows) {
    if (window.counter != nullptr && window.count != 0) {
      std::visit([&](const auto& summary) { put(at, window, summary, window.counter->exact); },
                 window.counter->summary);
    }
    ++at;
  }
  if (has_irregular_) irregular.assign(texts_.begin(), texts_.end());
}

template <Increase I>
void CounterColumns::put(std::size_t at, const Window& window, const Summary<I>& s, bool exact) {
  check(s.terms.rules.gap_ms == counter::kGapBins * s.terms.base_ms, "the gap limit of a rollup is not stored");
  constexpr bool kWhole = std::same_as<I, std::uint64_t>;
  types[at] = kWhole ? ValueType::long_ : ValueType::double_;
  all_whole_ = all_whole_ && kWhole;
  const std::uint64_t bins = static_cast<std::uint64_t>(std::max<std::int64_t>(Regular<I>(s).bins, 1));
  const auto place = [&](const Bin<I>& bin) -> std::uint64_t {
    return bin.covered_ms == 0 ? 0 : static_cast<std::uint64_t>((bin.start - s.head.start) / s.terms.base_ms);
  };
  const auto value = [&](Column column, I v) { bits[column][at] = std::bit_cast<std::uint64_t>(v); };
  bits[rule][at] = rule_of(s.terms);
  value(first, s.first.value);
  bits[last_offset][at] = static_cast<std::uint64_t>(s.last.time - window.start);
  value(last, kWhole ? grown(s) : s.last.value);
  value(least, s.least.increase);
  value(greatest, s.greatest.increase);
  bits[places][at] = place(s.least) * bins + place(s.greatest);
  value(head, s.head.increase);
  value(tail, s.tail.increase);
  texts_[at] = irregular_in(s, window, exact);
  has_irregular_ = has_irregular_ || !texts_[at].empty();
}

Result<CounterPart> counter_part(const CounterCells& cells) {
  const std::uint64_t rule = cells.values[CounterColumns::rule];
  counter::Terms terms{static_cast<std::int64_t>(rule >> kBaseShift), {}};
  const std::uint64_t fall = rule >> kFallShift & 3;
  constexpr std::int64_t kBaseMax = std::numeric_limits<std::int32_t>::max() * std::int64_t{1000};
  if (terms.base_ms <= 0 || terms.base_ms > kBaseMax || fall > 2) return wrong();
  terms.rules.gap_ms = counter::kGapBins * terms.base_ms;
  terms.rules.fall = static_cast<counter::Fall>(fall);
  terms.rules.is_unsigned = (rule & kUnsigned) != 0;
  return cells.type == ValueType::double_ ? read_part<double>(cells, terms) : read_part<std::uint64_t>(cells, terms);
}

}  // namespace varve::rollup
