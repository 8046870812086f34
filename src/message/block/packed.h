// SPDX-License-Identifier: Apache-2.0
// Compressed bytes, sequences of numbers, small ids and sorted terms, as the parts of a block consist of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "chunk/bytes.h"
#include "chunk/entropy.h"
#include "chunk/sequence.h"

namespace varve::message::block {

using chunk::Bytes;
using chunk::Cursor;

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Writes. Not thread-safe; reusable.
class Packer {
 public:
  // Packed bytes.
  void bytes(chunk::Coder coder, std::span<const std::byte> raw, Bytes& out);
  // The sequences that were added, to the end of `out`.
  void add(std::span<const std::int64_t> values) { sequences_.write(values, chunk::range_of(values), 0, sections_); }
  void numbers(Bytes& out);
  // One sequence alone; nothing if there is no value.
  void numbers(std::span<const std::int64_t> values, Bytes& out) {
    if (!values.empty()) add(values);
    numbers(out);
  }
  void ids(std::span<const std::uint32_t> ids, std::size_t limit, Bytes& out);
  // A dictionary.
  void terms(std::span<const std::string_view> sorted, Bytes& out);

 private:
  chunk::Compressor compressor_;
  chunk::SequenceWriter sequences_;
  chunk::Sections sections_;
  Bytes plane_;
  Bytes other_;
};

// Replaces `out` with the bytes, which are followed by at least eight that may be read. False: malformed.
bool read_packed(Cursor& from, Bytes& out);
bool skip_packed(Cursor& from);

// Sequences that share their sections.
class Numbers {
 public:
  bool read(Cursor& from);
  // Past all of them; past the next one.
  static bool skip(Cursor& from);
  bool skip(std::size_t count);
  // The next sequence, to `out`.
  bool next(std::size_t count, std::uint64_t* out);
  bool next(std::size_t count, std::vector<std::int64_t>& out);

 private:
  std::array<Bytes, 4> sections_;
  std::array<Bytes, chunk::kClasses> symbols_;
  std::size_t low_bytes_ = 0;
  chunk::Places places_;
};
// One sequence that was written alone.
bool read_numbers(Cursor& from, std::size_t count, std::vector<std::int64_t>& out);

// `count` ids below the limit.
bool read_ids(Cursor& from, std::size_t count, std::size_t limit, std::vector<std::uint32_t>& out);

// A sorted dictionary, in pages.
class Terms {
 public:
  struct Range {
    std::uint32_t begin = 0, end = 0;
    [[nodiscard]] bool empty() const { return begin == end; }
  };

  // Reads where the pages are; their bytes must stay until load(). False: malformed, as below.
  bool read(Cursor& from, std::size_t count);
  // Decodes all pages.
  bool load();
  bool read_all(Cursor& from, std::size_t count) { return read(from, count) && load(); }

  [[nodiscard]] std::size_t size() const { return count_; }
  // In memory, without those of read().
  [[nodiscard]] std::size_t bytes() const {
    return pages_.capacity() * sizeof(Page) + all_.bytes.size() + all_.starts.capacity() * sizeof(std::size_t);
  }
  // Only if loaded.
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    return text_of(all_.bytes.view().subspan(all_.starts[i], all_.starts[i + 1] - all_.starts[i]));
  }
  // These decode the pages that they need. nullopt: malformed.
  [[nodiscard]] std::optional<Range> equal(std::string_view term) const;
  [[nodiscard]] std::optional<Range> with_prefix(std::string_view prefix) const;

 private:
  struct Page {
    std::uint32_t begin;  // number of its first term
    std::uint32_t terms;
    std::string_view first;
    std::span<const std::byte> packed;
  };
  struct Decoded {
    Bytes bytes;
    std::vector<std::size_t> starts{0};
    [[nodiscard]] std::size_t size() const { return starts.size() - 1; }
    [[nodiscard]] std::string_view operator[](std::size_t i) const {
      return text_of(bytes.view().subspan(starts[i], starts[i + 1] - starts[i]));
    }
    bool add(std::uint64_t shared, std::string_view rest);
  };
  static bool decode(const Page& page, Decoded& out);
  struct Place {
    std::uint32_t number = 0;
    bool equal = false;
  };
  // The first term that is not less.
  [[nodiscard]] std::optional<Place> lower_bound(std::string_view term) const;

  std::size_t count_ = 0;
  std::vector<Page> pages_;
  bool loaded_ = false;
  Decoded all_;
};

}  // namespace varve::message::block
