// SPDX-License-Identifier: Apache-2.0
// Entropy coding of whole sections with zstd. Residuals hardly repeat, so searching matches would cost time and bytes:
// symbols are coded by Huffman alone or, if they are too few to be worth a code table, by Rice (rice.h). Texts are
// compressed with matches; `quick` searches them less, which costs little where like lies beside like.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "chunk/bytes.h"

namespace varve::chunk {

// Literals: Huffman. Symbols: Huffman or Rice, whichever is shorter.
enum class Coder { literals, symbols, matches, quick };

// Not thread-safe; reusable.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  // Appends the coded bytes to `out` and returns their number. 0, with nothing appended: coding saves nothing, or the
  // ratio would exceed what a reader allows.
  std::size_t compress(Coder coder, std::span<const std::byte> in, Bytes& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// False unless `in` is one complete frame that decodes to exactly out.size() bytes. Thread-safe. Safe for untrusted
// bytes.
bool decompress(std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace varve::chunk
