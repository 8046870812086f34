// SPDX-License-Identifier: Apache-2.0
// Time columns. A clock with jitter stays near its grid, so the distances to the grid are smaller than the differences
// of neighbours; samples that were missed are listed as gaps. Everything else is a sequence, which a constant step
// makes a few bytes. Groups that came together share one column.
#pragma once

#include <span>
#include <vector>

#include "chunk/sequence.h"
#include "model/time.h"

namespace varve::chunk {

// A time column as described in a block.
struct Times {
  TimesKind kind = TimesKind::sequence;
  std::size_t number = 0;  // of the columns that are not `same`, from 0 on
  std::size_t rows = 0;
  model::Timestamp first = 0;
  model::Timestamp last = 0;
  std::uint64_t step = 0;   // grid
  std::size_t gaps_at = 0;  // side
  std::size_t gaps_bytes = 0;
  Sequence sequence;
};

// Not thread-safe; reusable.
class TimesWriter {
 public:
  void clear() { before_.clear(); }
  void write(std::span<const model::Timestamp> times, SequenceWriter& sequences, Sections& out);

 private:
  bool lay_grid(std::span<const model::Timestamp> times);

  std::vector<model::Timestamp> before_;  // of the group written last
  std::vector<std::int64_t> offsets_;
  Bytes gaps_;
  std::uint64_t step_ = 0;
};

// Reads the description; `before` is the column read last, or nullptr. False: malformed.
bool read_times(Places& places, const Times* before, Times& out);

// False: malformed, or times that do not ascend from first to last.
bool decode_times(const Times& times, std::span<const std::byte> gaps, const SequenceBytes& bytes,
                  model::Timestamp* out);

}  // namespace varve::chunk
