// SPDX-License-Identifier: Apache-2.0
#include "message/block/word_filter.h"

#include <algorithm>

#include "base/ascii.h"
#include "codec/hash.h"

namespace varve::message::block {
namespace {

// One frame of 270 is read in vain: some 0.1 of a block. 16 bits and 8 hashes would make it one of 1,700, and a message
// of a site 1.2 of 30 bytes larger.
constexpr std::size_t kBitsPerPair = 12;
constexpr std::size_t kFilterBytes = 16 << 10;  // of one filter, about
constexpr unsigned kHashes = 6;
constexpr unsigned kHashesMax = 32;
constexpr std::size_t kFilterBytesMax = std::size_t{1} << 28;

std::uint64_t pair_of(std::uint64_t word, std::uint32_t frame) {
  std::uint64_t mixed = (word ^ (std::uint64_t{frame} + 1) * 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
  mixed ^= mixed >> 32;
  return mixed;
}

// Calls each(bit) until it returns false.
template <class Each>
bool each_bit(std::uint64_t pair, unsigned hashes, std::uint64_t bits, const Each& each) {
  auto at = static_cast<std::uint32_t>(pair);
  const auto step = static_cast<std::uint32_t>(pair >> 32 | 1);
  for (unsigned i = 0; i < hashes; ++i, at += step) {
    if (!each(at * bits >> 32)) return false;
  }
  return true;
}

bool has_upper_case(std::string_view text) {
  unsigned found = 0;
  for (const char c : text) found |= static_cast<unsigned>(c >= 'A') & static_cast<unsigned>(c <= 'Z');
  return found != 0;
}

}  // namespace

std::uint64_t hash_of_word(std::string_view lowered) { return codec::murmur3_128(lowered)[0]; }

void WordFilterWriter::add(std::string_view word, std::uint32_t frame) {
  if (word.size() < kFilterWordMin) return;
  if (lowered_.size() < word.size()) lowered_.resize(word.size() * 2);
  std::ranges::transform(word, lowered_.begin(), [](char c) { return lower(c); });
  add_lowered({lowered_.data(), word.size()}, frame);
}

void WordFilterWriter::add(const WordColumn& words, std::uint32_t frame) {
  const bool is_lowered = !has_upper_case(words.text());
  std::string_view before;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word.size() < kFilterWordMin || word == before) continue;
    before = word;
    if (is_lowered) {
      add_lowered(word, frame);
    } else {
      add(word, frame);
    }
  }
}

void WordFilterWriter::add_lowered(std::string_view word, std::uint32_t frame) {
  const std::uint64_t hash = hash_of_word(word);
  const std::uint64_t pair = pair_of(hash, frame);
  std::uint64_t& recent = recent_[pair % kRecent];
  if (recent == pair) return;
  recent = pair;
  pairs_.push_back({hash, pair});
}

void WordFilterWriter::write(PartWriter& parts) const {
  if (pairs_.empty()) return;
  const std::size_t filters = pairs_.size() * kBitsPerPair / 8 / kFilterBytes + 1;
  std::vector<std::size_t> bytes(filters);
  for (const Entry& entry : pairs_) ++bytes[entry.word % filters];
  std::vector<std::byte*> bits;
  for (std::size_t f = 0; f < filters; ++f) {
    bytes[f] = std::max<std::size_t>(1, bytes[f] * kBitsPerPair / 8);
    Bytes& out = parts.add(PartKind::word_filter, f);
    out.byte(kHashes);
    out.varint(bytes[f]);
    bits.push_back(out.reserve(bytes[f]));
    std::fill_n(bits.back(), bytes[f], std::byte{});
    out.advance(bytes[f]);
  }
  for (const Entry& entry : pairs_) {
    const std::size_t f = entry.word % filters;
    each_bit(entry.pair, kHashes, bytes[f] * 8, [to = bits[f]](std::uint64_t bit) {
      to[bit / 8] |= std::byte{1} << (bit % 8);
      return true;
    });
  }
}

bool WordFilter::read(Cursor from) {
  hashes_ = from.byte();
  const std::uint64_t bytes = from.varint();
  if (!from.ok() || hashes_ == 0 || hashes_ > kHashesMax || bytes == 0 || bytes > kFilterBytesMax) return false;
  bits_ = from.take(static_cast<std::size_t>(bytes));
  return from.ok() && from.left() == 0;
}

bool WordFilter::may_have(std::uint64_t word_hash, std::uint32_t frame) const {
  return each_bit(pair_of(word_hash, frame), hashes_, bits_.size() * 8,
                  [this](std::uint64_t bit) { return (bits_[bit / 8] >> (bit % 8) & std::byte{1}) != std::byte{}; });
}

}  // namespace varve::message::block
