// SPDX-License-Identifier: Apache-2.0
// Entropy coding of whole sections, with zstd as the coder. Residuals have no repeats worth looking for: match search
// costs time and bytes there, so symbols are coded by Huffman alone, or, where few of them would have to pay for a
// table of codes, by Rice (rice.h). Texts get the real thing.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "chunk/bytes.h"

namespace varve::chunk {

// Literals: Huffman. Symbols: Huffman or Rice, whichever is shorter.
enum class Coder { literals, symbols, matches };

// Not thread-safe; reusable.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  // Appends the coded bytes to `out` and returns their number; 0 (and nothing appended) if coding does not pay or
  // would inflate more than a reader allows.
  std::size_t compress(Coder coder, std::span<const std::byte> in, Bytes& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// False unless `in` is one whole frame of exactly out.size() bytes. Thread-safe. Foreign bytes are safe.
bool decompress(std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace varve::chunk
