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

bool Frame::read(Cursor from, std::span<const FrameRun> runs) {
  Bytes kinds;
  Numbers numbers;
  if (!read_packed(from, kinds) || !numbers.read(from) || !read_packed(from, hex_) || !read_packed(from, texts_)) {
    return false;
  }
  std::size_t first = 0, values = 0;
  for (const FrameRun& run : runs) {
    const bool plain = run.id == kPlainText;
    const std::size_t columns = plain ? 1 : variables_of(run.pattern);
    runs_.push_back({run.pattern, first, run.texts, columns_.size(), plain});
    first += run.texts;
    if (columns > kinds.size() - columns_.size()) return false;
    values += columns * run.texts;
    if (values > kValuesMax) return false;
    for (std::size_t c = 0; c < columns; ++c) {
      const auto kind = static_cast<std::uint8_t>(kinds.data()[columns_.size()]);
      if ((kind == kColumnPlain) != plain || !add_column(numbers, kind, run.texts)) return false;
    }
  }
  return columns_.size() == kinds.size() && hex_used_ == hex_.size() && texts_used_ == texts_.size();
}

bool Frame::add_column(Numbers& numbers, std::uint8_t kind, std::size_t texts) {
  if (kind == kColumnText) {
    columns_.push_back({kind, starts_.size()});
    return add_texts(texts);
  }
  if (kind > kColumnHex && kind <= kColumnHexLast) {
    columns_.push_back({kind, hex_used_ * 2});
    hex_used_ += ((kind - kColumnHex) * texts + 1) / 2;
    return hex_used_ <= hex_.size();
  }
  if (kind > kColumnPlain) return false;
  const std::size_t at = numbers_.size();
  numbers_.resize(at + texts);
  if (!numbers.next(texts, numbers_.data() + at)) return false;
  if (kind != kColumnPlain) {
    columns_.push_back({kind, at});
    return true;
  }
  columns_.push_back({kind, starts_.size()});
  for (std::size_t i = 0; i < texts; ++i) {
    starts_.push_back(texts_used_);
    if (numbers_[at + i] > texts_.size() - texts_used_) return false;
    texts_used_ += static_cast<std::size_t>(numbers_[at + i]);
  }
  starts_.push_back(texts_used_);
  return true;
}

bool Frame::add_texts(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    starts_.push_back(texts_used_);
    const std::byte* const at = texts_.data() + texts_used_;
    const void* const end = std::memchr(at, ' ', texts_.size() - texts_used_);
    if (end == nullptr) return false;
    texts_used_ += static_cast<std::size_t>(static_cast<const std::byte*>(end) - at) + 1;
  }
  starts_.push_back(texts_used_);
  return true;
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
