// SPDX-License-Identifier: Apache-2.0
#include "rollup/counter_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>
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

// Is nothing irregular, as mostly?
template <Increase I>
bool is_regular(const Summary<I>& s, const Regular<I>& regular, const Window& window, bool exact) {
  return exact && s.first.time == window.first_time && is_regular_increase(s) && s.covered_ms == regular.covered_ms &&
         s.head.covered_ms == regular.head_ms && s.tail.covered_ms == regular.tail_ms &&
         s.least.covered_ms == regular.between_ms && s.greatest.covered_ms == regular.between_ms &&
         !s.terms.rules.max_wrap_per_second;
}

template <Increase I>
std::string irregular_in(const Summary<I>& s, const Regular<I>& regular, const Window& window, bool exact) {
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
  if (s.terms.rules.max_wrap_per_second) {
    which |= kMaxPerSecond;
    put_bits(fields, std::bit_cast<std::uint64_t>(*s.terms.rules.max_wrap_per_second));
  }
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

// What of a summary is read without its base bins; `fields` are then at those of the bins.
template <Increase I>
struct Ends {
  std::uint64_t which = 0;  // is irregular
  counter::Point<I> first, last;
  I increase{};
  std::int64_t covered_ms = 0;
};

struct EndCells {
  model::Timestamp start = 0;
  std::uint64_t first_offset = 0, first = 0, last_offset = 0, last = 0;
  std::string_view irregular = {};
};

// Is it possible? Not a Result: what is copied right after it was written costs more than all the rest.
template <Increase I>
[[gnu::always_inline]] inline bool read_ends(const EndCells& cells, Fields& fields, Ends<I>& out) {
  if (!cells.irregular.empty()) out.which = fields.varint();
  if ((out.which & ~kIrregulars) != 0) return false;
  out.first = {after(cells.start, cells.first_offset), std::bit_cast<I>(cells.first)};
  if ((out.which & kFirstTime) != 0) {
    out.first.time = after(cells.start, static_cast<std::uint64_t>(codec::unzigzag(fields.varint())));
  }
  out.last = {after(cells.start, cells.last_offset), std::bit_cast<I>(cells.last)};
  if constexpr (std::same_as<I, std::uint64_t>) {
    out.last.value += out.first.value;
  } else {
    if (!std::isfinite(out.first.value) || !std::isfinite(out.last.value)) return false;  // nobody writes such samples
  }
  if (!is_time(out.first.time) || !is_time(out.last.time) || out.last.time < out.first.time) return false;
  const std::int64_t length_ms = out.last.time - out.first.time;
  out.increase =
      (out.which & kIncrease) != 0 ? std::bit_cast<I>(fields.bits()) : static_cast<I>(out.last.value - out.first.value);
  out.covered_ms = (out.which & kCovered) != 0 ? static_cast<std::int64_t>(fields.varint()) : length_ms;
  const bool is_cut = !cells.irregular.empty() && !fields.good();
  return !is_cut && out.covered_ms >= 0 && out.covered_ms <= length_ms;
}

template <Increase I>
Result<CounterPart> read_part(const CounterCells& cells, const counter::Terms& terms) {
  const auto value = [&](CounterColumns::Column column) { return std::bit_cast<I>(cells.values[column]); };
  Fields fields(cells.irregular);
  Ends<I> ends;
  const EndCells of_ends{cells.start,
                         static_cast<std::uint64_t>(cells.first_time - cells.start),
                         cells.values[CounterColumns::first],
                         cells.values[CounterColumns::last_offset],
                         cells.values[CounterColumns::last],
                         cells.irregular};
  if (!read_ends(of_ends, fields, ends)) return wrong();
  const std::uint64_t which = ends.which;
  Summary<I> s;
  s.terms = terms;
  s.first = ends.first;
  s.last = ends.last;
  s.increase = ends.increase;
  s.covered_ms = ends.covered_ms;
  s.head.start = model::window_start(s.first.time, terms.base_ms);
  s.tail.start = model::window_start(s.last.time, terms.base_ms);
  const Regular<I> regular(s);
  const auto covered = [&](Irregular bit, std::int64_t regular_ms) {
    return (which & bit) != 0 ? static_cast<std::int64_t>(fields.varint()) : regular_ms;
  };
  s.head.covered_ms = covered(kHeadCovered, regular.head_ms);
  s.tail.covered_ms = covered(kTailCovered, regular.tail_ms);
  s.least.covered_ms = covered(kLeastCovered, regular.between_ms);
  s.greatest.covered_ms = covered(kGreatestCovered, regular.between_ms);
  if ((which & kMaxPerSecond) != 0) s.terms.rules.max_wrap_per_second = std::bit_cast<double>(fields.bits());
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
  const auto& ceiling = s.terms.rules.max_wrap_per_second;
  const bool good = (!ceiling || *ceiling >= 0) && is_within(s, s.head) && is_within(s, s.tail) &&
                    is_within(s, s.least) && is_within(s, s.greatest) && is_between(s, s.least) &&
                    is_between(s, s.greatest);
  if (!good) return wrong();
  return CounterPart{s, (which & kInexact) == 0};
}

template <Increase I>
[[gnu::always_inline]] inline bool read_stretch(const EndCells& cells, CounterStretch& out) {
  Fields fields(cells.irregular);
  Ends<I> ends;
  if (!read_ends(cells, fields, ends)) return false;
  counter::Stretch& stretch = out.stretch;
  stretch.first_time = ends.first.time;
  stretch.last_time = ends.last.time;
  stretch.first = std::bit_cast<std::uint64_t>(ends.first.value);
  stretch.last = std::bit_cast<std::uint64_t>(ends.last.value);
  stretch.increase = std::bit_cast<std::uint64_t>(ends.increase);
  stretch.covered_ms = ends.covered_ms;
  out.exact = (ends.which & kInexact) == 0;
  return true;
}

// Is it a rule?
bool read_rule(std::uint64_t rule, std::int64_t& base_ms, counter::Rules& out) {
  base_ms = static_cast<std::int64_t>(rule >> kBaseShift);
  const std::uint64_t fall = rule >> kFallShift & 3;
  constexpr std::int64_t kBaseMax = std::numeric_limits<std::int32_t>::max() * std::int64_t{1000};
  if (base_ms <= 0 || base_ms > kBaseMax || fall > 2) return false;
  out.gap_ms = counter::kGapBins * base_ms;
  out.fall = static_cast<counter::Fall>(fall);
  out.is_unsigned = (rule & kUnsigned) != 0;
  return true;
}

template <Increase I>
void pack_one(const Window& window, const Summary<I>& s, bool exact, PackedCounter& out, PartPool& texts) {
  using enum CounterColumns::Column;
  check(s.terms.rules.gap_ms == counter::kGapBins * s.terms.base_ms, "the gap limit of a rollup is not stored");
  constexpr bool kWhole = std::same_as<I, std::uint64_t>;
  const Regular<I> regular(s);
  const auto bins = static_cast<std::uint64_t>(std::max<std::int64_t>(regular.bins, 1));
  const auto place = [&](const Bin<I>& bin) -> std::uint64_t {
    return bin.covered_ms == 0 ? 0 : static_cast<std::uint64_t>((bin.start - s.head.start) / s.terms.base_ms);
  };
  const auto value = [&](CounterColumns::Column column, I v) { out.values[column] = std::bit_cast<std::uint64_t>(v); };
  out.type = kWhole ? ValueType::long_ : ValueType::double_;
  out.values[rule] = rule_of(s.terms);
  value(first, s.first.value);
  out.values[last_offset] = static_cast<std::uint64_t>(s.last.time - window.start);
  value(last, kWhole ? grown(s) : s.last.value);
  value(least, s.least.increase);
  value(greatest, s.greatest.increase);
  out.values[places] = place(s.least) * bins + place(s.greatest);
  value(head, s.head.increase);
  value(tail, s.tail.increase);
  if (!is_regular(s, regular, window, exact)) out.irregular = texts.keep(irregular_in(s, regular, window, exact));
}

}  // namespace

bool any_of_counter(std::span<const Window> windows) {
  return std::ranges::any_of(windows, [](const Window& w) { return w.counter != nullptr; });
}

void pack(std::span<const Window> windows, std::vector<PackedCounter>& out, PartPool& texts) {
  std::size_t at = out.size();
  out.resize(at + windows.size());
  for (const Window& window : windows) {
    PackedCounter& one = out[at++];
    if (window.counter == nullptr || window.count == 0) continue;
    std::visit([&](const auto& summary) { pack_one(window, summary, window.counter->exact, one, texts); },
               window.counter->summary);
  }
}

void CounterColumns::clear() {
  for (auto& column : bits) column.clear();
  types.clear();
  irregular.clear();
  texts_.clear();
  has_any_ = has_irregular_ = false;
  all_whole_ = true;
}

// Those of gauges have none, and are many.
void CounterColumns::add_none(std::size_t count) {
  const std::size_t size = types.size() + count;
  types.resize(size, ValueType::long_);
  if (has_irregular_) irregular.resize(size);
  if (!has_any_) return;
  for (auto& column : bits) column.resize(size, 0);
}

void CounterColumns::add(std::span<const Window> windows) {
  if (!any_of_counter(windows)) return add_none(windows.size());
  packed_.clear();
  pack(windows, packed_, texts_);
  add(packed_);
}

void CounterColumns::add(std::span<const PackedCounter> packed) {
  has_any_ = true;
  const std::size_t before = types.size();
  add_none(packed.size());
  std::array<std::uint64_t*, kCounterColumns> to;
  for (std::size_t column = 0; column < kCounterColumns; ++column) to[column] = bits[column].data() + before;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    for (std::size_t column = 0; column < kCounterColumns; ++column) to[column][i] = packed[i].values[column];
    types[before + i] = packed[i].type;
    all_whole_ = all_whole_ && packed[i].type == ValueType::long_;
    if (packed[i].irregular.empty()) continue;
    has_irregular_ = true;
    irregular.resize(types.size());
    irregular[before + i] = packed[i].irregular;
  }
}

Result<CounterPart> counter_part(const CounterCells& cells) {
  counter::Terms terms;
  if (!read_rule(cells.values[CounterColumns::rule], terms.base_ms, terms.rules)) return wrong();
  return cells.type == ValueType::double_ ? read_part<double>(cells, terms) : read_part<std::uint64_t>(cells, terms);
}

Status counter_stretches(const StretchColumns& columns, std::vector<CounterStretch>& out) {
  const std::size_t n = columns.starts.size();
  check(columns.first_offsets.size() == n && columns.rules.size() == n && columns.firsts.size() == n &&
            columns.last_offsets.size() == n && columns.lasts.size() == n,
        "a column has a cell for each window");
  out.assign(n, {});
  for (std::size_t i = 0; i < n; ++i) {
    if (columns.rules[i] == 0) continue;
    CounterStretch& one = out[i];
    std::int64_t base_ms = 0;
    if (!read_rule(columns.rules[i], base_ms, one.stretch.rules)) return wrong();
    const EndCells cells{columns.starts[i], columns.first_offsets[i],
                         columns.firsts[i], columns.last_offsets[i],
                         columns.lasts[i],  columns.irregular.empty() ? std::string_view() : columns.irregular[i]};
    one.stretch.type = columns.types.empty() ? columns.type : columns.types[i];
    const bool is_real = one.stretch.type == ValueType::double_;
    if (!(is_real ? read_stretch<double>(cells, one) : read_stretch<std::uint64_t>(cells, one))) return wrong();
    one.is_there = true;
  }
  return {};
}

}  // namespace varve::rollup
