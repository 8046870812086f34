// SPDX-License-Identifier: Apache-2.0
#include "model/row.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace varve::model {
namespace {

unsigned log2_width_of(std::uint64_t bits) {
  if (bits < 0x80) return 0;
  if (bits < 0x8000) return 1;
  return bits < 0x8000'0000 ? 2 : 3;
}

template <class T>
void narrow(std::byte* to, std::span<const std::int64_t> values) {
  for (std::size_t i = 0; i < values.size(); ++i) store_le(to + i * sizeof(T), static_cast<T>(values[i]));
}

std::int64_t widen(const std::byte* values, unsigned width, unsigned index) {
  switch (width) {
    case 1: return load_le<std::int8_t>(values + index);
    case 2: return load_le<std::int16_t>(values + index * 2);
    case 4: return load_le<std::int32_t>(values + index * 4);
    default: return load_le<std::int64_t>(values + index * 8);
  }
}

RowKind text_kind_of(ValueType type) {
  if (type == ValueType::complex) return RowKind::complex;
  return type == ValueType::histogram ? RowKind::histogram : RowKind::text;
}

// A double that is a whole number of a few digits, and not −0.
bool is_small_whole(double v, std::int64_t& whole) {
  if (!(v > -2147483648.0 && v < 2147483648.0)) return false;
  whole = static_cast<std::int64_t>(v);
  return std::bit_cast<std::uint64_t>(static_cast<double>(whole)) == std::bit_cast<std::uint64_t>(v);
}

}  // namespace

Value RowView::value(unsigned index) const {
  switch (kind()) {
    case RowKind::long_: return Value::of_long(widen(values(), width(), index));
    case RowKind::decimal:
      return Value::of_double(static_cast<double>(widen(values(), width(), index)) / kPowerOfTen[decimals()]);
    case RowKind::typed: {
      Value v;
      v.type = static_cast<ValueType>(values()[index]);
      v.bits = load_le<std::uint64_t>(values() + count() + std::size_t{index} * 8);
      return v;
    }
    case RowKind::text: return Value::of_string(text());
    case RowKind::complex: return Value::of_complex(text());
    case RowKind::histogram: return Value::of_histogram(text());
    case RowKind::stale_marker: return Value::of_stale_marker();
  }
  return {};
}

std::size_t check_row(const std::byte* at, const std::byte* end) {
  const auto left = static_cast<std::size_t>(end - at);
  if (left < kRowHeadBytes) return 0;
  const RowView row{at};
  if (row.count() == 0 || static_cast<unsigned>(row.kind()) > kRowKindLast) return 0;
  if (row.decimals() > 22 || (row.shape() & 0xe0e0) != 0) return 0;
  if (in_text(row.kind()) && (row.count() != 1 || left < kRowHeadBytes + 4)) return 0;
  const std::size_t bytes = row.bytes();
  if (bytes > left) return 0;
  if (row.kind() == RowKind::typed) {
    for (unsigned i = 0; i < row.count(); ++i) {
      const auto type = static_cast<ValueType>(row.values()[i]);
      if (type != ValueType::long_ && type != ValueType::double_) return 0;
    }
  }
  return bytes;
}

void RowBatch::grow(std::size_t bytes) {
  const std::size_t size = std::max<std::size_t>({size_ * 2, used_ + bytes, 4096});
  auto data = std::make_unique_for_overwrite<std::byte[]>(size);
  if (used_ > 0) std::memcpy(data.get(), data_.get(), used_);
  data_ = std::move(data);
  size_ = size;
}

std::byte* RowBatch::start_row(const KeptGroup& group, Timestamp time, RowKind kind, unsigned log2_width,
                               unsigned decimals, std::size_t value_bytes) {
  std::byte* at = reserve(kRowHeadBytes + value_bytes);
  if (group.ttl_s != 0) [[unlikely]]
    mortal_.push_back({used_, group.ttl_s});
  store_le(at, to_int(group.id));
  store_le(at + 4, static_cast<std::uint16_t>(log2_width | static_cast<unsigned>(kind) << 2 | decimals << 8));
  store_le(at + 6, group.count);
  store_le(at + 8, time);
  used_ += kRowHeadBytes + value_bytes;
  ++rows_;
  samples_ += group.count;
  return at + kRowHeadBytes;
}

void RowBatch::add_packed(const KeptGroup& group, Timestamp time, std::span<const std::int64_t> values, RowKind kind,
                          unsigned decimals, std::uint64_t magnitudes) {
  const unsigned log2_width = log2_width_of(magnitudes);
  std::byte* to = start_row(group, time, kind, log2_width, decimals, values.size() << log2_width);
  switch (log2_width) {
    case 0: narrow<std::int8_t>(to, values); break;
    case 1: narrow<std::int16_t>(to, values); break;
    case 2: narrow<std::int32_t>(to, values); break;
    default: std::memcpy(to, values.data(), values.size() * 8);
  }
}

void RowBatch::add(RowView row) {
  const std::size_t bytes = row.bytes();
  std::memcpy(reserve(bytes), row.at, bytes);
  used_ += bytes;
  ++rows_;
  samples_ += row.samples();
  markers_ += row.count() - row.samples();
}

void RowBatch::add(const KeptGroup& group, Timestamp time, std::span<const Value> values) {
  check(values.size() == group.count, "a row has one value for each series of its group");
  if (in_text(values[0].type)) {
    check(values.size() == 1, "a string, complex number or histogram stands alone in its group");
    const auto text = values[0].text;
    std::byte* to = start_row(group, time, text_kind_of(values[0].type), 0, 0, 4 + text.size());
    store_le(to, static_cast<std::uint32_t>(text.size()));
    if (!text.empty()) std::memcpy(to + 4, text.data(), text.size());
    return;
  }
  std::array<std::int64_t, 64> whole;
  bool longs = values.size() <= whole.size();
  bool doubles = longs;
  for (std::size_t i = 0; i < values.size() && (longs || doubles); ++i) {
    if (values[i].type == ValueType::long_) {
      doubles = false;
      if (longs) whole[i] = values[i].as_long();
    } else {
      longs = false;
      doubles = doubles && is_small_whole(values[i].as_double(), whole[i]);
    }
  }
  if (longs) return add_longs(group, time, {whole.data(), values.size()});
  if (doubles) return add_decimals(group, time, {whole.data(), values.size()}, 0);
  std::byte* to = start_row(group, time, RowKind::typed, 3, 0, values.size() * 9);
  for (std::size_t i = 0; i < values.size(); ++i) {
    to[i] = static_cast<std::byte>(values[i].type);
    store_le(to + values.size() + i * 8, values[i].bits);
  }
}

}  // namespace varve::model
