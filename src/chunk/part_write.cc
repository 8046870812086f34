// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "chunk/part.h"
#include "model/row.h"

namespace varve::chunk {
namespace {

using model::ValueType;

static_assert(model::kRowDecimalsMax < 16, "decimals fit into the four bits of a form's detail");

unsigned form_byte(Form form, unsigned detail) {
  check(detail < 16, "a form's detail has four bits");
  return static_cast<unsigned>(form) | detail << 4;
}

std::uint64_t sum_over(std::span<const std::int64_t> ints, std::int64_t min) {
  std::uint64_t sum = 0;
  for (const std::int64_t v : ints) sum += static_cast<std::uint64_t>(v);
  return sum - ints.size() * static_cast<std::uint64_t>(min);
}

double sum_of_longs(std::span<const std::int64_t> ints) {
  Wide sum = 0;
  for (const std::int64_t v : ints) sum += v;
  return static_cast<double>(sum);
}

double sum_of_doubles(std::span<const std::uint64_t> bits) {
  double sum = 0;
  for (const std::uint64_t b : bits) sum += std::bit_cast<double>(b);
  return sum;
}

bool differ(std::span<const ValueType> types) {
  return std::ranges::any_of(types, [&](ValueType type) { return type != types[0]; });
}

}  // namespace

bool ColumnWriter::write(const Column& column, std::size_t rows, SequenceWriter& sequences, Sections& out) {
  const bool typed = column.form == Column::Form::typed;
  check((typed ? column.types.size() : column.ints.size()) == rows, "a column has a cell in each row");
  const bool mixed = typed && differ(column.types);
  // One look at each cell answers it for nearly all columns, as they have one type.
  const bool marked = typed && (mixed ? std::ranges::find(column.types, ValueType::stale_marker) != column.types.end()
                                      : column.types[0] == ValueType::stale_marker);
  marked ? write_marked(column, sequences, out) : write_values(column, mixed, sequences, out);
  return marked;
}

void ColumnWriter::write_values(const Column& column, bool mixed, SequenceWriter& sequences, Sections& out) {
  switch (column.form) {
    case Column::Form::longs: write_ints(Form::longs, 0, column.ints, true, sequences, out); return;
    case Column::Form::decimals: write_ints(Form::decimals, column.decimals, column.ints, true, sequences, out); return;
    case Column::Form::typed: break;
  }
  const ValueType type = column.types[0];
  const std::size_t rows = column.types.size();
  if (mixed || !(model::is_number(type) || type == ValueType::string)) {
    write_mixed(column, sequences, out);
  } else if (type == ValueType::string) {
    write_texts(column.texts, sequences, out);
  } else if (type == ValueType::double_) {
    check(column.bits.size() == rows, "a column has a cell in each row");
    write_doubles(column.bits, sequences, out);
  } else {
    check(column.bits.size() == rows, "a column has a cell in each row");
    // Signed and unsigned of one width may stand for each other.
    const auto* const longs = reinterpret_cast<const std::int64_t*>(column.bits.data());
    write_ints(Form::longs, 0, {longs, rows}, true, sequences, out);
  }
}

void ColumnWriter::write_ints(Form form, unsigned detail, std::span<const std::int64_t> ints, bool stats,
                              SequenceWriter& sequences, Sections& out) {
  out.heads().byte(form_byte(form, detail));
  const Range range = range_of(ints);
  // A sparse sequence is decoded in no time, so it needs no statistics.
  if (sequences.write(ints, range, 0, out) || !stats) return;
  const std::uint64_t width = static_cast<std::uint64_t>(range.max) - static_cast<std::uint64_t>(range.min);
  out.params().varint(width);
  if (width >> 40 != 0) {
    out.params().fixed(sum_of_longs(ints));
  } else {
    out.params().varint(sum_over(ints, range.min));
  }
}

void ColumnWriter::write_doubles(std::span<const std::uint64_t> bits, SequenceWriter& sequences, Sections& out) {
  if (find_decimals(bits, decimals_)) {
    if (decimals_.patches.empty()) {
      write_ints(Form::decimals, decimals_.decimals, decimals_.mantissas, true, sequences, out);
    } else {
      write_patched(bits, sequences, out);
    }
    return;
  }
  ints_.resize(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) ints_[i] = as_signed(ordered(bits[i]));
  const double sum = sum_of_doubles(bits);  // not finite if any value is not
  const bool numeric = std::isfinite(sum);
  out.heads().byte(form_byte(Form::doubles, numeric ? kNumeric : 0));
  const Range range = range_of(ints_);
  if (sequences.write(ints_, range, 0, out) || !numeric) return;
  out.params().varint(static_cast<std::uint64_t>(range.max) - static_cast<std::uint64_t>(range.min));
  out.params().fixed(sum);
}

void ColumnWriter::write_patched(std::span<const std::uint64_t> bits, SequenceWriter& sequences, Sections& out) {
  check(decimals_.mantissas.size() == bits.size() && decimals_.patches.back() < bits.size(),
        "each double has a mantissa, and patches are among them");
  write_ints(Form::patched, decimals_.decimals, decimals_.mantissas, false, sequences, out);
  Bytes& side = out.side();
  const std::size_t before = side.size();
  std::uint32_t next = 0;
  for (const std::uint32_t i : decimals_.patches) {
    side.varint(i - next);
    side.fixed(bits[i]);
    next = i + 1;
  }
  out.params().varint(side.size() - before);
}

void ColumnWriter::write_texts(std::span<const std::string_view> texts, SequenceWriter& sequences, Sections& out) {
  check(!texts.empty(), "a column of texts has some");
  dictionary_.clear();
  strings_.clear();
  ints_.resize(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [entry, is_new] = dictionary_.try_emplace(texts[i], static_cast<std::int64_t>(strings_.size()));
    if (is_new) strings_.push_back(texts[i]);
    ints_[i] = entry->second;
  }
  write_ints(Form::texts, 0, ints_, false, sequences, out);
  Bytes& to = out.texts();
  const std::size_t before = to.size();
  for (const std::string_view text : strings_) to.varint(text.size());
  for (const std::string_view text : strings_) to.add(std::as_bytes(std::span(text)));
  out.params().varint(strings_.size());
  out.params().varint(to.size() - before);
}

// The values stand as if the markers were not there, so that they are coded as well as without, and have statistics.
void ColumnWriter::write_marked(const Column& column, SequenceWriter& sequences, Sections& out) {
  check(column.bits.size() == column.types.size() || column.texts.size() == column.types.size(), "a cell has a value");
  value_types_.clear();
  value_bits_.clear();
  value_texts_.clear();
  fresh_markers_.clear();
  for (std::size_t i = 0; i < column.types.size(); ++i) {
    if (column.types[i] == ValueType::stale_marker) {
      fresh_markers_.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    value_types_.push_back(column.types[i]);
    if (!column.bits.empty()) value_bits_.push_back(column.bits[i]);
    if (!column.texts.empty()) value_texts_.push_back(column.texts[i]);
  }
  if (value_types_.empty()) return out.heads().byte(form_byte(Form::marked, kOnlyMarkers));
  // A target that goes away takes all its series along.
  const bool same = fresh_markers_ == markers_ && marked_rows_ == column.types.size();
  out.heads().byte(form_byte(Form::marked, same ? kSameMarkers : 0));
  if (!same) {
    std::swap(markers_, fresh_markers_);
    marked_rows_ = column.types.size();
    Bytes& side = out.side();
    const std::size_t before = side.size();
    std::uint32_t next = 0;
    for (const std::uint32_t i : markers_) {
      side.varint(i - next);
      next = i + 1;
    }
    const std::size_t more_bytes = side.size() - before - markers_.size();
    out.params().varint(markers_.size() << 1 | (more_bytes != 0 ? 1 : 0));
    if (more_bytes != 0) out.params().varint(more_bytes);
  }
  const Column values{Column::Form::typed, 0, {}, value_types_, value_bits_, value_texts_};
  write_values(values, differ(values.types), sequences, out);
}

void ColumnWriter::write_mixed(const Column& column, SequenceWriter& sequences, Sections& out) {
  types_.clear();
  longs_.clear();
  doubles_.clear();
  check(column.bits.size() == column.types.size() || column.texts.size() == column.types.size(), "a cell has a value");
  std::array<std::vector<std::string_view>, 3> texts;  // strings, complex numbers, histograms
  std::size_t erased = 0;
  for (std::size_t i = 0; i < column.types.size(); ++i) {
    types_.push_back(static_cast<std::int64_t>(column.types[i]));
    switch (column.types[i]) {
      case ValueType::long_: longs_.push_back(column.bits[i]); break;
      case ValueType::double_: doubles_.push_back(column.bits[i]); break;
      case ValueType::string: texts[0].push_back(column.texts[i]); break;
      case ValueType::complex: texts[1].push_back(column.texts[i]); break;
      case ValueType::histogram: texts[2].push_back(column.texts[i]); break;
      default: ++erased; break;
    }
  }
  const bool more_types = !texts[1].empty() || !texts[2].empty();
  write_ints(Form::mixed, (erased > 0 ? kWithErased : 0) | (more_types ? kWithMoreTypes : 0), types_, false, sequences,
             out);
  out.params().varint(longs_.size());
  out.params().varint(doubles_.size());
  if (erased > 0) out.params().varint(erased);
  if (more_types) {
    out.params().varint(texts[1].size());
    out.params().varint(texts[2].size());
  }
  if (!longs_.empty()) {
    ints_.resize(longs_.size());
    std::transform(longs_.begin(), longs_.end(), ints_.begin(), as_signed);
    write_ints(Form::longs, 0, ints_, true, sequences, out);
  }
  if (!doubles_.empty()) write_doubles(doubles_, sequences, out);
  for (const auto& of_type : texts) {
    if (!of_type.empty()) write_texts(of_type, sequences, out);
  }
}

}  // namespace varve::chunk
