// SPDX-License-Identifier: Apache-2.0
#include "message/block/packed.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "chunk/format.h"
#include "message/block/format.h"

namespace varve::message::block {
namespace {

constexpr std::size_t kSlack = 16;
// Front-coded bytes of a dictionary's page, before compression.
constexpr std::size_t kPageBytes = 16 << 10;
constexpr std::size_t kNumberSections = 4;  // heads, params, side, low
constexpr std::array<chunk::Coder, kNumberSections> kCoders{chunk::Coder::literals, chunk::Coder::literals,
                                                            chunk::Coder::literals, chunk::Coder::literals};

// 0 … 3: bytes that an id below the limit has.
unsigned planes_of(std::size_t limit) { return limit <= 1 ? 0 : limit <= 256 ? 1 : limit <= 65'536 ? 2 : 3; }

std::size_t shared_by(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

void Packer::bytes(chunk::Coder coder, std::span<const std::byte> raw, Bytes& out) {
  out.varint(raw.size());
  if (raw.empty()) return;
  other_.clear();
  const std::size_t stored = compressor_.compress(coder, raw, other_);
  out.varint(stored);
  out.add(stored == 0 ? raw : other_.view());
}

void Packer::numbers(Bytes& out) {
  unsigned mask = 0;
  for (unsigned i = 0; i < kNumberSections; ++i) mask |= sections_.section[i].empty() ? 0U : 1U << i;
  for (unsigned c = 0; c < chunk::kClasses; ++c) {
    mask |= sections_.symbols[c].empty() ? 0U : 1U << (kNumberSections + c);
  }
  out.fixed(static_cast<std::uint16_t>(mask));
  for (unsigned i = 0; i < kNumberSections; ++i) {
    if (!sections_.section[i].empty()) bytes(kCoders[i], sections_.section[i].view(), out);
    sections_.section[i].clear();
  }
  for (Bytes& symbols : sections_.symbols) {
    if (!symbols.empty()) bytes(chunk::Coder::symbols, symbols.view(), out);
    symbols.clear();
  }
}

void Packer::ids(std::span<const std::uint32_t> ids, std::size_t limit, Bytes& out) {
  for (unsigned p = 0; p < planes_of(limit); ++p) {
    plane_.clear();
    std::byte* const to = plane_.reserve(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) to[i] = static_cast<std::byte>(ids[i] >> (8 * p));
    plane_.advance(ids.size());
    bytes(chunk::Coder::quick, plane_.view(), out);
  }
}

void Packer::terms(std::span<const std::string_view> sorted, Bytes& out) {
  Bytes pages;
  std::size_t count = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t begin = i;
    plane_.clear();
    for (++i; i < sorted.size() && plane_.size() < kPageBytes; ++i) {
      const std::size_t shared = shared_by(sorted[i - 1], sorted[i]);
      plane_.varint(shared);
      plane_.varint(sorted[i].size() - shared);
      plane_.add(bytes_of(sorted[i].substr(shared)));
    }
    pages.varint(i - begin);
    pages.varint(sorted[begin].size());
    pages.add(bytes_of(sorted[begin]));
    Bytes page;
    bytes(chunk::Coder::quick, plane_.view(), page);
    pages.varint(page.size());
    pages.add(page.view());
    ++count;
  }
  out.varint(count);
  out.add(pages.view());
}

bool read_packed(Cursor& from, Bytes& out) {
  out.clear();
  const std::uint64_t raw = from.varint();
  const std::uint64_t stored = raw == 0 ? 0 : from.varint();
  if (!from.ok() || raw > kBlockBytesMax) return false;
  if (stored == 0) {
    const auto bytes = from.take(static_cast<std::size_t>(raw));
    if (!from.ok()) return false;
    out.reserve(bytes.size() + kSlack);
    out.add(bytes);
  } else {
    const auto bytes = from.take(static_cast<std::size_t>(stored));
    if (!from.ok() || (raw > chunk::kInflatedFree && raw / chunk::kInflatedRatioMax >= stored)) return false;
    std::byte* const to = out.reserve(static_cast<std::size_t>(raw) + kSlack);
    if (!chunk::decompress(bytes, {to, static_cast<std::size_t>(raw)})) return false;
    out.advance(static_cast<std::size_t>(raw));
  }
  std::fill_n(out.reserve(kSlack), kSlack, std::byte{});
  return true;
}

bool skip_packed(Cursor& from) {
  const std::uint64_t raw = from.varint();
  if (raw == 0) return from.ok();
  const std::uint64_t stored = from.varint();
  from.take(static_cast<std::size_t>(stored == 0 ? raw : stored));
  return from.ok();
}

bool Numbers::read(Cursor& from) {
  const unsigned mask = from.fixed<std::uint16_t>();
  if (!from.ok() || mask >> (kNumberSections + chunk::kClasses) != 0) return false;
  for (unsigned i = 0; i < kNumberSections + chunk::kClasses; ++i) {
    Bytes& bytes = i < kNumberSections ? sections_[i] : symbols_[i - kNumberSections];
    bytes.clear();
    if ((mask >> i & 1) != 0 ? !read_packed(from, bytes) : bytes.reserve(kSlack) == nullptr) return false;
  }
  places_ = {};
  places_.heads = Cursor(sections_[chunk::kHeads].view());
  places_.params = Cursor(sections_[chunk::kParams].view());
  return true;
}

bool Numbers::skip(Cursor& from) {
  const unsigned mask = from.fixed<std::uint16_t>();
  if (!from.ok() || mask >> (kNumberSections + chunk::kClasses) != 0) return false;
  for (unsigned i = 0; i < kNumberSections + chunk::kClasses; ++i) {
    if ((mask >> i & 1) != 0 && !skip_packed(from)) return false;
  }
  return true;
}

bool Numbers::skip(std::size_t count) {
  chunk::Sequence sequence;
  return count == 0 || chunk::read_sequence(places_, count, 0, sequence);
}

bool Numbers::next(std::size_t count, std::uint64_t* out) {
  if (count == 0) return true;
  chunk::Sequence sequence;
  if (!chunk::read_sequence(places_, count, 0, sequence)) return false;
  chunk::SequenceBytes bytes;
  if (!sequence.sparse()) {
    Bytes& symbols = symbols_[sequence.symbol_class];
    if (places_.symbols[sequence.symbol_class] > symbols.size()) return false;
    bytes.symbols = symbols.data() + sequence.symbols_at;
    if (sequence.shift != 0) {
      if (places_.low > sections_[chunk::kLow].size()) return false;
      bytes.low = sections_[chunk::kLow].data() + sequence.low_at;
    }
  }
  if (sequence.side_bytes != 0) {
    if (places_.side > sections_[chunk::kSide].size()) return false;
    bytes.side = sections_[chunk::kSide].view().subspan(sequence.side_at, sequence.side_bytes);
  }
  return chunk::decode_sequence(sequence, bytes, count, out);
}

bool Numbers::next(std::size_t count, std::vector<std::int64_t>& out) {
  out.resize(count);
  return next(count, reinterpret_cast<std::uint64_t*>(out.data()));
}

bool read_numbers(Cursor& from, std::size_t count, std::vector<std::int64_t>& out) {
  Numbers numbers;
  return numbers.read(from) && numbers.next(count, out);
}

bool read_ids(Cursor& from, std::size_t count, std::size_t limit, std::vector<std::uint32_t>& out) {
  out.assign(count, 0);
  Bytes plane;
  for (unsigned p = 0; p < planes_of(limit); ++p) {
    if (!read_packed(from, plane) || plane.size() != count) return false;
    const std::byte* const bytes = plane.data();
    for (std::size_t i = 0; i < count; ++i) out[i] |= static_cast<std::uint32_t>(bytes[i]) << (8 * p);
  }
  std::uint32_t most = 0;
  for (const std::uint32_t id : out) most = std::max(most, id);
  return most < limit || count == 0;
}

bool Terms::read(Cursor& from, std::size_t count) {
  const std::uint64_t pages = from.varint();
  if (pages > from.left()) return false;
  for (std::uint64_t p = 0; p < pages; ++p) {
    Page page{};
    const std::uint64_t terms = from.varint();
    page.first = text_of(from.take(static_cast<std::size_t>(from.varint())));
    page.packed = from.take(static_cast<std::size_t>(from.varint()));
    if (!from.ok() || terms == 0 || terms > count - count_) return false;
    if (!pages_.empty() && pages_.back().first >= page.first) return false;
    page.begin = static_cast<std::uint32_t>(count_);
    page.terms = static_cast<std::uint32_t>(terms);
    count_ += page.terms;
    pages_.push_back(page);
  }
  return count_ == count;
}

bool Terms::Decoded::add(std::uint64_t shared, std::string_view rest) {
  const std::size_t end = bytes.size();
  const std::size_t before = starts.size() == 1 ? end : starts[starts.size() - 2];
  if (shared > end - before || shared + rest.size() > kBlockBytesMax - end) return false;
  std::byte* const to = bytes.reserve(shared + rest.size());
  if (shared != 0) std::memcpy(to, bytes.data() + before, shared);
  if (!rest.empty()) std::memcpy(to + shared, rest.data(), rest.size());
  bytes.advance(shared + rest.size());
  starts.push_back(bytes.size());
  return size() < 2 || (*this)[size() - 2] < (*this)[size() - 1];
}

bool Terms::decode(const Page& page, Decoded& out) {
  Cursor from(page.packed);
  Bytes packed;
  if (!read_packed(from, packed) || from.left() != 0 || !out.add(0, page.first)) return false;
  Cursor cursor(packed.view());
  for (std::uint32_t i = 1; i < page.terms; ++i) {
    const std::uint64_t shared = cursor.varint();
    const std::string_view rest = text_of(cursor.take(static_cast<std::size_t>(cursor.varint())));
    if (!cursor.ok() || !out.add(shared, rest)) return false;
  }
  return cursor.left() == 0;
}

bool Terms::load() {
  if (loaded_) return true;
  for (const Page& page : pages_) {
    if (!decode(page, all_)) return false;
  }
  return loaded_ = true;
}

std::optional<Terms::Place> Terms::lower_bound(std::string_view term) const {
  const auto behind = std::ranges::upper_bound(pages_, term, {}, &Page::first);
  if (behind == pages_.begin()) return Place{};
  const Page& page = *std::prev(behind);
  Decoded here;
  if (!loaded_ && !decode(page, here)) return std::nullopt;
  const Decoded& terms = loaded_ ? all_ : here;
  const std::uint32_t skipped = loaded_ ? 0 : page.begin;  // numbers of `terms` count from it
  std::uint32_t low = page.begin - skipped, high = low + page.terms;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (terms[middle] < term) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool inside = low < page.begin - skipped + page.terms;
  return Place{low + skipped, inside && terms[low] == term};
}

std::optional<Terms::Range> Terms::equal(std::string_view term) const {
  const auto place = lower_bound(term);
  if (!place) return std::nullopt;
  return Range{place->number, place->number + (place->equal ? 1U : 0U)};
}

std::optional<Terms::Range> Terms::with_prefix(std::string_view prefix) const {
  const auto begin = lower_bound(prefix);
  if (!begin) return std::nullopt;
  // The least string that is greater than all with the prefix.
  std::string above(prefix);
  while (!above.empty() && static_cast<unsigned char>(above.back()) == 0xff) above.pop_back();
  if (above.empty()) return Range{begin->number, static_cast<std::uint32_t>(count_)};
  above.back() = static_cast<char>(static_cast<unsigned char>(above.back()) + 1);
  const auto end = lower_bound(above);
  if (!end) return std::nullopt;
  return Range{begin->number, end->number};
}

}  // namespace varve::message::block
