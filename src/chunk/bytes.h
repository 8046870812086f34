// SPDX-License-Identifier: Apache-2.0
// Bytes: a growing buffer to write to. Cursor: reads values from bytes, which may be untrusted: after a failed read it
// stays failed and returns zeros, so a reader needs to check ok() only once at the end of a step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/check.h"
#include "codec/varint.h"

namespace varve::chunk {

class Bytes {
 public:
  void clear() { used_ = 0; }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] std::span<const std::byte> view() const { return {data_.get(), used_}; }
  [[nodiscard]] std::byte* data() { return data_.get(); }

  // Uninitialized room for n more bytes. Write, then call advance().
  std::byte* reserve(std::size_t n) {
    if (used_ + n > size_) [[unlikely]] {
      const std::size_t wanted = std::max(used_ + n, size_ * 2 + 256);
      auto larger = std::make_unique_for_overwrite<std::byte[]>(wanted);
      if (used_ != 0) std::memcpy(larger.get(), data_.get(), used_);
      data_ = std::move(larger);
      size_ = wanted;
    }
    return data_.get() + used_;
  }
  void advance(std::size_t n) {
    check(n <= size_ - used_, "what was written had been reserved");
    used_ += n;
  }

  // Takes back what came after the first n bytes.
  void cut(std::size_t n) {
    check(n <= used_, "what is taken back was written");
    used_ = n;
  }

  void add(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    std::memcpy(reserve(bytes.size()), bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void byte(unsigned v) {
    *reserve(1) = static_cast<std::byte>(v);
    ++used_;
  }
  void varint(std::uint64_t v) {
    std::byte* const at = reserve(codec::kVarintBytesMax);
    used_ += static_cast<std::size_t>(codec::put_varint(at, v) - at);
  }
  void zigzag(std::uint64_t v) { varint(codec::zigzag(static_cast<std::int64_t>(v))); }
  template <class T>
  void fixed(T v) {
    store_le(reserve(sizeof v), v);
    used_ += sizeof v;
  }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
};

class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(std::span<const std::byte> bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint64_t varint() {
    std::uint64_t v = 0;
    const std::byte* const next = codec::get_varint(at_, end_, v);
    if (next == nullptr) return fail();
    at_ = next;
    return v;
  }
  std::uint64_t zigzag() { return static_cast<std::uint64_t>(codec::unzigzag(varint())); }
  unsigned byte() { return at_ == end_ ? static_cast<unsigned>(fail()) : static_cast<unsigned>(*at_++); }
  template <class T>
  T fixed() {
    if (left() < sizeof(T)) {
      fail();
      return T{};
    }
    const T v = load_le<T>(at_);
    at_ += sizeof(T);
    return v;
  }
  std::span<const std::byte> take(std::size_t n) {
    if (n > left()) {
      fail();
      return {};
    }
    at_ += n;
    return {at_ - n, n};
  }

 private:
  std::uint64_t fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  bool ok_ = true;
};

}  // namespace varve::chunk
