// SPDX-License-Identifier: Apache-2.0
// Whole-buffer compression of request and response bodies. Every decompressor has an upper bound on its output, so a
// compression bomb costs at most that.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::codec {

enum class Coding { identity, gzip, deflate, zstd, snappy };  // snappy: the block format of remote write

// decompress() leaves capacity for this many bytes after its output, because parsers need readable bytes behind their
// input.
inline constexpr std::size_t kDecompressSlack = 64;

// Replaces `out` with the decompressed bytes, reusing its memory. Errors: too_large (the output would exceed max
// bytes), invalid (not in that format, or truncated).
Status decompress(Coding coding, std::string_view in, std::size_t max, std::string& out);

Status compress(Coding coding, std::string_view in, std::string& out);

// Compresses successive pieces into one stream (gzip, deflate, zstd).
class Compressor {
 public:
  // Any coding other than gzip, deflate or zstd passes the bytes through unchanged.
  explicit Compressor(Coding coding);
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;
  // Appends to `out` everything up to the end of `in`, flushed, so that the reader can decode it. `last` ends the
  // stream.
  Status add(std::string_view in, bool last, std::string& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// From a Content-Encoding or Accept-Encoding token; invalid if unknown.
Result<Coding> coding_of(std::string_view name);

}  // namespace varve::codec
