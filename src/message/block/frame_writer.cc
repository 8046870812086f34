// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "message/block/text_writer.h"
#include "message/words.h"

namespace varve::message::block {
namespace {

constexpr std::size_t kDecimalDigitsMax = 18;

enum : std::uint8_t { kIsDigit = 1, kIsHex = 2, kIsOther = 4 };
constexpr std::array<std::uint8_t, 256> kKind = [] {
  std::array<std::uint8_t, 256> of{};
  for (auto& kind : of) kind = kIsOther;
  of[' '] = 0;  // behind each word
  for (char c = '0'; c <= '9'; ++c) of[static_cast<unsigned char>(c)] = kIsDigit;
  for (char c = 'a'; c <= 'f'; ++c) of[static_cast<unsigned char>(c)] = kIsHex;
  return of;
}();

struct Shape {
  unsigned kinds = 0;
  std::size_t shortest = ~std::size_t{0}, longest = 0;
  bool zeros = false;  // in front of a number
};

Shape shape_of(const WordColumn& values) {
  Shape shape;
  for (const char c : values.text()) shape.kinds |= kKind[static_cast<unsigned char>(c)];
  if ((shape.kinds & kIsOther) != 0) return shape;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view value = values[i];
    shape.shortest = std::min(shape.shortest, value.size());
    shape.longest = std::max(shape.longest, value.size());
    shape.zeros |= value.size() > 1 && value[0] == '0';
  }
  return shape;
}

std::uint8_t kind_of(const Shape& shape) {
  if ((shape.kinds & kIsOther) != 0) return kColumnText;
  const bool same = shape.shortest == shape.longest;
  if (shape.kinds == kIsDigit && shape.longest <= kDecimalDigitsMax) {
    if (!shape.zeros) return kColumnDecimal;
    if (same) return static_cast<std::uint8_t>(kColumnDigits - 1 + shape.longest);
  }
  if (same && shape.longest <= kHexDigitsMax) return static_cast<std::uint8_t>(kColumnHex + shape.longest);
  return kColumnText;
}

unsigned digit_of(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); }

}  // namespace

void FrameWriter::add_plain(std::span<const std::string_view> texts) {
  kinds_.byte(kColumnPlain);
  if (sequences_ == numbers_.size()) numbers_.emplace_back();
  auto& lengths = numbers_[sequences_++];
  lengths.clear();
  for (const std::string_view text : texts) {
    lengths.push_back(static_cast<std::int64_t>(text.size()));
    texts_.add(bytes_of(text));
  }
}

std::uint32_t FrameWriter::add_column(const WordColumn& values) {
  const Shape shape = shape_of(values);
  const std::uint8_t kind = kind_of(shape);
  kinds_.byte(kind);
  if (kind == kColumnText) {
    texts_.add(bytes_of(values.text()));
    return letters_of(values.text());
  }
  if (kind > kColumnHex) {
    add_hex(values);
  } else {
    add_numbers(values);
  }
  return (shape.kinds & kIsHex) != 0 ? 0x3f : 0;
}

void FrameWriter::add_numbers(const WordColumn& values) {
  if (sequences_ == numbers_.size()) numbers_.emplace_back();
  auto& numbers = numbers_[sequences_++];
  numbers.clear();
  std::int64_t number = 0;
  for (const char c : values.text()) {
    if (c != ' ') {
      number = number * 10 + (c - '0');
    } else {
      numbers.push_back(std::exchange(number, 0));
    }
  }
}

void FrameWriter::add_hex(const WordColumn& values) {
  const std::size_t digits = values.text().size() - values.size();
  std::byte* to = hex_.reserve((digits + 1) / 2);
  unsigned low = 0;
  bool half = false;
  for (const char c : values.text()) {
    if (c == ' ') continue;
    if (half) {
      *to++ = static_cast<std::byte>(low | digit_of(c) << 4);
    } else {
      low = digit_of(c);
    }
    half = !half;
  }
  if (half) *to = static_cast<std::byte>(low);
  hex_.advance((digits + 1) / 2);
}

void FrameWriter::finish(Packer& packer, Bytes& out) {
  packer.bytes(chunk::Coder::quick, kinds_.view(), out);
  for (std::size_t i = 0; i < sequences_; ++i) packer.add(numbers_[i]);
  packer.numbers(out);
  packer.bytes(chunk::Coder::quick, hex_.view(), out);
  packer.bytes(chunk::Coder::quick, texts_.view(), out);
  kinds_.clear();
  hex_.clear();
  texts_.clear();
  sequences_ = 0;
}

}  // namespace varve::message::block
