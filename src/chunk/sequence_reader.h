// SPDX-License-Identifier: Apache-2.0
// SequenceReader: decodes a sequence from front to back, as much at a time as is wanted. What is skipped costs less:
// symbols lie at known places, so their differences are only summed up, and lists are walked.
#pragma once

#include "chunk/sequence.h"

namespace varve::chunk {

// Who makes several passes over what is decoded takes so many values at a time: they fit the first-level cache.
inline constexpr std::size_t kValuesAtOnce = 1024;

// For one thread. A copy stays where it was made.
class SequenceReader {
 public:
  // `bytes` are those of a sequence of `count` > 0 values and must outlive the reader.
  SequenceReader(const Sequence& sequence, const SequenceBytes& bytes, std::size_t count);

  // How many values were skipped and read.
  [[nodiscard]] std::size_t at() const { return at_; }
  // So many values must be left. False: malformed, and there is nothing more to read. Damage of a part that was neither
  // skipped nor read is not noticed.
  [[nodiscard]] bool skip(std::size_t values);
  [[nodiscard]] bool read(std::size_t values, std::uint64_t* out);

 private:
  // The first values of orders 1 and 2, which have no residual.
  std::uint64_t next_start();
  bool read_symbols(std::size_t from, std::size_t count, std::uint64_t* out);
  bool skip_symbols(std::size_t from, std::size_t count);
  bool skip_shifted_escapes(std::size_t from, std::size_t count);
  bool read_list(std::size_t from, std::size_t count, std::uint64_t* out);
  bool skip_list(std::size_t from, std::size_t count);
  bool next_listed(std::size_t from);
  void integrate(std::size_t count, std::uint64_t* out);
  bool is_good();

  Sequence s_;  // if its unit is 1, `min` is in the first value, or in the base
  const std::byte* symbols_;
  const std::byte* low_;
  Cursor side_;
  std::size_t count_;
  std::size_t at_ = 0;
  std::uint64_t value_ = 0;     // order 1 and 2: the last value, in units
  std::uint64_t step_ = 0;      // order 2: the next value minus the last, less the residual
  std::size_t listed_ = 0;      // sparse: the next residual in the list, or the number of residuals
  std::uint64_t listed_z_ = 0;  // its zigzag encoding
  bool is_listed_good_ = true;
};

}  // namespace varve::chunk
