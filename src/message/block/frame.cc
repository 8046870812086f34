// SPDX-License-Identifier: Apache-2.0
#include "message/block/frame.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "message/block/format.h"
#include "message/block/template.h"

namespace varve::message::block {
namespace {

// Variables in a frame: a writer ends it long before.
constexpr std::size_t kValuesMax = std::size_t{1} << 22;

void put_number(std::uint64_t number, std::size_t digits, std::string& out) {
  char text[20];
  const auto written = std::to_chars(text, text + sizeof text, number);
  const auto size = static_cast<std::size_t>(written.ptr - text);
  if (size < digits) out.append(digits - size, '0');
  out.append(text, size);
}

}  // namespace

// Columns are where they are said to be; a plain run's texts come first, so that others cannot be read without it.
bool Frame::place_columns(std::span<const FrameRun> runs, const Bytes& kinds, Needed& needed) {
  std::size_t first = 0, values = 0;
  for (const FrameRun& run : runs) {
    const bool plain = run.id == kPlainText;
    const std::size_t columns = plain ? 1 : variables_of(run.pattern);
    runs_.push_back({run.pattern, first, run.texts, columns_.size(), plain, run.wanted});
    first += run.texts;
    if (columns > kinds.size() - columns_.size()) return false;
    values += columns * run.texts;
    if (values > kValuesMax) return false;
    if (run.wanted) needed.runs = runs_.size();
    for (std::size_t c = 0; c < columns; ++c) {
      const auto kind = static_cast<std::uint8_t>(kinds.view()[columns_.size()]);
      const bool hex = kind > kColumnHex && kind <= kColumnHexLast;
      if ((kind == kColumnPlain) != plain || (kind > kColumnPlain && !hex)) return false;
      columns_.push_back({kind, 0});
      if (!run.wanted) continue;
      needed.hex |= hex;
      needed.texts |= plain || kind == kColumnText;
      needed.numbers |= kind != kColumnText && !hex;
    }
  }
  needed.numbers |= needed.texts && !runs_.empty() && runs_[0].plain;
  return columns_.size() == kinds.size();
}

bool Frame::read(Cursor from, std::span<const FrameRun> runs) {
  Bytes kinds;
  Numbers numbers;
  Needed needed;
  if (!read_packed(from, kinds) || !place_columns(runs, kinds, needed)) return false;
  if (!(needed.numbers ? numbers.read(from) : Numbers::skip(from))) return false;
  if (!(needed.hex ? read_packed(from, hex_) : skip_packed(from))) return false;
  if (!(needed.texts ? read_packed(from, texts_) : skip_packed(from))) return false;
  for (std::size_t r = 0; r < needed.runs; ++r) {
    const Run& run = runs_[r];
    const std::size_t end = r + 1 < runs_.size() ? runs_[r + 1].column : columns_.size();
    for (std::size_t c = run.column; c < end; ++c) {
      if (!read_column(numbers, columns_[c], run.texts, needed, run.wanted)) return false;
    }
  }
  const bool all = std::ranges::all_of(runs, &FrameRun::wanted);
  return !all || (hex_used_ == hex_.size() && texts_used_ == texts_.size());
}

bool Frame::read_column(Numbers& numbers, Column& column, std::size_t texts, const Needed& needed, bool wanted) {
  if (column.kind == kColumnText) {
    column.at = starts_.size();
    return !needed.texts || read_texts(texts, wanted);
  }
  if (column.kind > kColumnHex) {
    column.at = hex_used_ * 2;
    hex_used_ += ((column.kind - kColumnHex) * texts + 1) / 2;
    return !needed.hex || hex_used_ <= hex_.size();
  }
  if (!needed.numbers) return true;
  const bool plain = column.kind == kColumnPlain;
  if (plain && needed.texts) return read_plain(numbers, column, texts);
  if (plain || !wanted) return numbers.skip(texts);
  column.at = numbers_.size();
  numbers_.resize(column.at + texts);
  return numbers.next(texts, numbers_.data() + column.at);
}

bool Frame::read_plain(Numbers& numbers, Column& column, std::size_t texts) {
  std::vector<std::int64_t> sizes;
  if (!numbers.next(texts, sizes)) return false;
  column.at = starts_.size();
  for (const std::int64_t size : sizes) {
    starts_.push_back(texts_used_);
    if (static_cast<std::uint64_t>(size) > texts_.size() - texts_used_) return false;
    texts_used_ += static_cast<std::size_t>(size);
  }
  starts_.push_back(texts_used_);
  return true;
}

bool Frame::read_texts(std::size_t count, bool wanted) {
  for (std::size_t i = 0; i < count; ++i) {
    if (wanted) starts_.push_back(texts_used_);
    const std::byte* const at = texts_.data() + texts_used_;
    const void* const end = std::memchr(at, ' ', texts_.size() - texts_used_);
    if (end == nullptr) return false;
    texts_used_ += static_cast<std::size_t>(static_cast<const std::byte*>(end) - at) + 1;
  }
  if (wanted) starts_.push_back(texts_used_);
  return true;
}

bool Frame::has(std::span<const FrameRun> runs) const {
  return std::ranges::equal(runs, runs_,
                            [](const FrameRun& run, const Run& read) { return !run.wanted || read.wanted; });
}

std::size_t Frame::bytes() const {
  return sizeof(Frame) + runs_.capacity() * sizeof(Run) + columns_.capacity() * sizeof(Column) +
         numbers_.capacity() * sizeof(std::uint64_t) + starts_.capacity() * sizeof(std::size_t) + hex_.size() +
         texts_.size();
}

const Frame::Run& Frame::run_of(std::size_t place) const {
  return *std::prev(std::ranges::upper_bound(runs_, place, {}, &Run::first));
}

std::size_t Frame::value_size(const Column& column, std::size_t i) const {
  const std::size_t at = column.at + i;
  if (column.kind == kColumnText) return starts_[at + 1] - starts_[at] - 1;
  if (column.kind > kColumnHex) return column.kind - kColumnHex;
  std::size_t digits = 1;
  for (std::uint64_t left = numbers_[at]; left >= 10; left /= 10) ++digits;
  return column.kind == kColumnDecimal ? digits : std::max<std::size_t>(digits, column.kind - 1U);
}

std::size_t Frame::size(std::size_t place) const {
  const Run& run = run_of(place);
  const std::size_t i = place - run.first;
  if (run.plain) {
    const std::size_t at = columns_[run.column].at + i;
    return starts_[at + 1] - starts_[at];
  }
  const auto variables = static_cast<std::size_t>(std::ranges::count(run.pattern, kVariable));
  std::size_t bytes = run.pattern.size() - variables;
  for (std::size_t v = 0; v < variables; ++v) bytes += value_size(columns_[run.column + v], i);
  return bytes;
}

std::string_view Frame::text(std::size_t place, std::string& buffer) const {
  const Run& run = run_of(place);
  const std::size_t i = place - run.first;
  if (run.plain) {
    const std::size_t at = columns_[run.column].at + i;
    return text_of(texts_.view().subspan(starts_[at], starts_[at + 1] - starts_[at]));
  }
  buffer.clear();
  std::size_t column = run.column;
  for (std::size_t at = 0;;) {
    const std::size_t next = run.pattern.find(kVariable, at);
    buffer += run.pattern.substr(at, next - at);
    if (next == std::string_view::npos) return buffer;
    value(columns_[column++], i, buffer);
    at = next + 1;
  }
}

std::string_view Frame::variable(std::size_t place, std::size_t number, std::string& buffer) const {
  const Run& run = run_of(place);
  const Column& column = columns_[run.column + number];
  const std::size_t i = place - run.first;
  if (column.kind == kColumnText) {
    const std::size_t start = starts_[column.at + i];
    return text_of(texts_.view().subspan(start, starts_[column.at + i + 1] - start - 1));
  }
  buffer.clear();
  value(column, i, buffer);
  return buffer;
}

void Frame::value(const Column& column, std::size_t i, std::string& out) const {
  static constexpr char kDigits[] = "0123456789abcdef";
  if (column.kind == kColumnText) {
    const std::size_t start = starts_[column.at + i];
    out += text_of(texts_.view().subspan(start, starts_[column.at + i + 1] - start - 1));
  } else if (column.kind > kColumnHex) {
    const std::size_t digits = column.kind - kColumnHex;
    for (std::size_t at = column.at + i * digits, end = at + digits; at < end; ++at) {
      const auto two = static_cast<unsigned>(hex_.view()[at / 2]);
      out += kDigits[(at % 2 == 0 ? two : two >> 4) & 15];
    }
  } else {
    put_number(numbers_[column.at + i], column.kind == kColumnDecimal ? 0 : column.kind - 1U, out);
  }
}

}  // namespace varve::message::block
