// SPDX-License-Identifier: Apache-2.0
// Row: the samples of one line group at one timestamp, packed. The same bytes go into the write-ahead log and the head.
//
//   row    := group:u32 shape:u16 count:u16 time:i64 values          (little endian, 16 bytes before the values)
//   shape  := bits 0..1 log2 of the value width (1, 2, 4, 8 bytes); bits 2..4 kind; bits 8..12 decimals
//   values := count × width bytes                kind long:    signed integers
//           | count × width bytes                kind decimal: signed m; the value is the double m / 10^decimals
//           | count × type:u8, count × bits:u64  kind typed:   ValueType long or double, value bit for bit
//           | bytes:u32, text                    kind text, complex, histogram: one of them; count is 1
//           | nothing                            kind stale_marker: one for each series of the group
//
// m / 10^decimals with |m| < 2^53 and decimals ≤ 22 is the correctly rounded double, so what was parsed from such a
// decimal text comes back bit for bit. −0, NaN, infinities and longer texts are kept as typed. docs/formats/row.md.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "model/ids.h"
#include "model/kept_group.h"
#include "model/line_group.h"
#include "model/time.h"
#include "model/value.h"

namespace varve::model {

// Stored in the log: DO NOT CHANGE THE NUMBERS.
enum class RowKind : std::uint8_t {
  long_ = 0,
  decimal = 1,
  typed = 2,
  text = 3,
  complex = 4,
  histogram = 5,
  stale_marker = 6
};
inline constexpr unsigned kRowKindLast = 6;
// Is the value stored as bytes, with their length?
constexpr bool in_text(RowKind kind) { return kind >= RowKind::text && kind <= RowKind::histogram; }

inline constexpr std::size_t kRowHeadBytes = 16;
inline constexpr unsigned kRowDecimalsMax = 15;

// 10^0 … 10^22: the powers of ten that a double represents exactly.
inline constexpr double kPowerOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct RowView {
  const std::byte* at = nullptr;

  [[nodiscard]] GroupId group() const { return GroupId{load_le<std::uint32_t>(at)}; }
  [[nodiscard]] std::uint16_t shape() const { return load_le<std::uint16_t>(at + 4); }
  [[nodiscard]] std::uint16_t count() const { return load_le<std::uint16_t>(at + 6); }
  [[nodiscard]] Timestamp time() const { return load_le<std::int64_t>(at + 8); }
  [[nodiscard]] const std::byte* values() const { return at + kRowHeadBytes; }
  [[nodiscard]] RowKind kind() const { return static_cast<RowKind>(shape() >> 2 & 7); }
  // How many of its cells are samples with a value: all, or, of markers, none.
  [[nodiscard]] std::size_t samples() const { return kind() == RowKind::stale_marker ? 0 : count(); }
  [[nodiscard]] unsigned width() const { return 1U << (shape() & 3); }
  [[nodiscard]] unsigned decimals() const { return shape() >> 8 & 31; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(values()) + 4, load_le<std::uint32_t>(values())};
  }
  // Size of the whole row, which must be well-formed: see check_row() for untrusted bytes.
  [[nodiscard]] std::size_t bytes() const {
    switch (kind()) {
      case RowKind::typed: return kRowHeadBytes + std::size_t{count()} * 9;
      case RowKind::text:
      case RowKind::complex:
      case RowKind::histogram: return kRowHeadBytes + 4 + load_le<std::uint32_t>(values());
      case RowKind::stale_marker: return kRowHeadBytes;
      default: return kRowHeadBytes + std::size_t{count()} * width();
    }
  }
  // The value of the series at `index` < count().
  [[nodiscard]] Value value(unsigned index) const;
};

// Size of the row at `at`, or 0 if [at, end) does not hold a complete, well-formed row.
std::size_t check_row(const std::byte* at, const std::byte* end);

// A decimal number as parsed: value = mantissa / 10^decimals.
struct Decimal {
  std::int64_t mantissa;
  unsigned decimals;
};

// The rows of one request, in the order of its lines, all of one tenant. Reused between requests (clear() keeps the
// memory). For one thread.
class RowBatch {
 public:
  void clear() {
    used_ = 0;
    rows_ = samples_ = markers_ = 0;
    mortal_.clear();
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_.get(), used_}; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t samples() const { return samples_; }  // with a value
  [[nodiscard]] std::size_t markers() const { return markers_; }
  [[nodiscard]] bool empty() const { return rows_ == 0; }

  // Rows of groups that have a TTL. regroup() moves a row to another group of the same series.
  struct Mortal {
    std::size_t at;  // in bytes()
    std::uint32_t ttl_s;
  };
  [[nodiscard]] std::span<const Mortal> mortal_rows() const { return mortal_; }
  [[nodiscard]] RowView row_at(std::size_t at) const { return {data_.get() + at}; }
  void regroup(std::size_t at, GroupId group) { store_le(data_.get() + at, to_int(group)); }

  // Samples before this are beyond every retention: parsers refuse them (model/too_old.h).
  [[nodiscard]] Timestamp kept_from() const { return kept_from_; }
  // Likewise, of a group: its series may be kept for less than others.
  [[nodiscard]] Timestamp kept_from(const KeptGroup& group) const { return kept_from(group.kept); }
  // `kept`: KeptGroup::kept, of GroupSource::kept().
  [[nodiscard]] Timestamp kept_from(std::uint8_t kept) const {
    return kept == 0 ? kept_from_ : kept_from_of_[kept - std::size_t{1}];
  }
  // From here on samples are kept whatever group they are of: a fast way need not ask for each.
  [[nodiscard]] Timestamp sure_from() const { return sure_from_; }
  // `of_groups`: of those with KeptGroup::kept 1, 2, …
  void set_kept_from(Timestamp time, std::span<const Timestamp> of_groups = {}) {
    kept_from_ = sure_from_ = time;
    kept_from_of_.assign(of_groups.begin(), of_groups.end());
    for (const Timestamp one : of_groups) sure_from_ = std::max(sure_from_, one);
  }

  // Adds any values, in the smallest kind and width. values.size() == group.count. Values in Value::text only in groups
  // of one series; no markers.
  void add(const KeptGroup& group, Timestamp time, std::span<const Value> values);
  void add(const KeptGroup& group, Timestamp time, const Value& value) { add(group, time, {&value, 1}); }

  // Adds a staleness marker of each series of the group.
  void add_stale_markers(const KeptGroup& group, Timestamp time) {
    start_row(group, time, RowKind::stale_marker, 0, 0, 0);
    samples_ -= group.count;
    markers_ += group.count;
  }

  // Adds a row of another batch as it is; it must be well-formed.
  void add(RowView row);

  // Fast path of parsers: all longs, or all doubles with |mantissa| < 2^53 and common `decimals` ≤ 15.
  void add_longs(const KeptGroup& group, Timestamp time, std::span<const std::int64_t> values) {
    add_longs(group, time, values, magnitudes_of(values));
  }
  void add_decimals(const KeptGroup& group, Timestamp time, std::span<const std::int64_t> mantissas,
                    unsigned decimals) {
    add_decimals(group, time, mantissas, decimals, magnitudes_of(mantissas));
  }
  // For who has just written the values one by one, and would wait to read them: `magnitudes` is the OR of
  // magnitude_bits() of all.
  void add_longs(const KeptGroup& group, Timestamp time, std::span<const std::int64_t> values,
                 std::uint64_t magnitudes) {
    add_packed(group, time, values, RowKind::long_, 0, magnitudes);
  }
  void add_decimals(const KeptGroup& group, Timestamp time, std::span<const std::int64_t> mantissas, unsigned decimals,
                    std::uint64_t magnitudes) {
    add_packed(group, time, mantissas, RowKind::decimal, decimals, magnitudes);
  }
  // As wide as the value.
  static std::uint64_t magnitude_bits(std::int64_t value) { return static_cast<std::uint64_t>(value ^ (value >> 63)); }

  // rollback() removes everything added since mark(), for example after a malformed line.
  struct Mark {
    std::size_t used, rows, samples, markers;
  };
  [[nodiscard]] Mark mark() const { return {used_, rows_, samples_, markers_}; }
  void rollback(Mark mark) {
    used_ = mark.used;
    rows_ = mark.rows;
    samples_ = mark.samples;
    markers_ = mark.markers;
    while (!mortal_.empty() && mortal_.back().at >= used_) mortal_.pop_back();
  }

 private:
  void add_packed(const KeptGroup& group, Timestamp time, std::span<const std::int64_t> values, RowKind kind,
                  unsigned decimals, std::uint64_t magnitudes);
  static std::uint64_t magnitudes_of(std::span<const std::int64_t> values) {
    std::uint64_t bits = 0;
    for (const std::int64_t v : values) bits |= magnitude_bits(v);
    return bits;
  }
  std::byte* reserve(std::size_t bytes) {
    if (used_ + bytes > size_) [[unlikely]]
      grow(bytes);
    return data_.get() + used_;
  }
  void grow(std::size_t bytes);
  std::byte* start_row(const KeptGroup& group, Timestamp time, RowKind kind, unsigned log2_width, unsigned decimals,
                       std::size_t value_bytes);

  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
  std::size_t rows_ = 0;
  std::size_t samples_ = 0;
  std::size_t markers_ = 0;
  Timestamp kept_from_ = kTimestampMin;
  Timestamp sure_from_ = kTimestampMin;
  std::vector<Timestamp> kept_from_of_;
  std::vector<Mortal> mortal_;
};

}  // namespace varve::model
