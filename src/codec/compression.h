// SPDX-License-Identifier: Apache-2.0
// Whole-buffer compression of request and response bodies. Every inflater has an upper bound of what it may put out,
// so a bomb costs at most that.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::codec {

enum class Coding { identity, gzip, deflate, zstd, snappy };  // snappy: the block format of remote write

// Behind what decompress() puts out there is room for this many bytes without another allocation, because parsers want
// readable bytes behind their input.
inline constexpr std::size_t kDecompressSlack = 64;

// Replaces `out` by the decompressed bytes; its memory is used again.
// Errors: too_large (more than max bytes would come out), invalid (not in that format, or cut short).
Status decompress(Coding coding, std::string_view in, std::size_t max, std::string& out);

Status compress(Coding coding, std::string_view in, std::string& out);

// Compresses what comes piece by piece, as one stream (gzip, deflate, zstd).
class Compressor {
 public:
  // Another coding than gzip, deflate or zstd passes the bytes on as they are.
  explicit Compressor(Coding coding);
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;
  // Appends to `out` all that can be said after `in`; the reader can decode everything up to here. `last` ends the
  // stream.
  Status add(std::string_view in, bool last, std::string& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// From a Content-Encoding or Accept-Encoding token; invalid if unknown.
Result<Coding> coding_of(std::string_view name);

}  // namespace varve::codec
