// SPDX-License-Identifier: Apache-2.0
// Time columns. If a clock jitters around a regular grid, offsets from the grid are smaller than differences between
// neighbours; missing samples are listed as gaps. All other times are a plain sequence, of a few bytes if the step is
// constant. Groups with the same times share one column.
#pragma once

#include <span>
#include <vector>

#include "chunk/block.h"
#include "chunk/sequence_reader.h"
#include "model/time.h"

namespace varve::chunk {

// The description of a time column in a block.
struct Times {
  TimesKind kind = TimesKind::sequence;
  std::size_t number = 0;  // counts the columns that are not `same`, from 0
  std::size_t rows = 0;
  model::Timestamp first = 0;
  model::Timestamp last = 0;
  std::uint64_t step = 0;   // of the grid
  std::size_t gaps_at = 0;  // in section side
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
  void lay_offsets(std::span<const model::Timestamp> times);

  std::vector<model::Timestamp> before_;  // times of the previous group
  std::vector<std::int64_t> offsets_;
  Bytes gaps_;
  std::uint64_t step_ = 0;
};

// Reads the description. `before`: the previous column, or nullptr. False: malformed.
bool read_times(Places& places, const Times* before, Times& out);

// Decodes the times that are in the range to `out`, of these rows. False: malformed, or they do not ascend, from the
// first to the last time of the column. Damage of times outside the range may not be noticed.
bool decode_times(const Times& times, std::span<const std::byte> gaps, const SequenceBytes& bytes,
                  model::TimeRange range, std::vector<model::Timestamp>& out, Rows& rows);

}  // namespace varve::chunk
