// SPDX-License-Identifier: Apache-2.0
// Statistics of a column: as stored, or, for the sparse ones that have none, from the values.
#include <algorithm>
#include <bit>

#include "chunk/block_state.h"
#include "model/row.h"

namespace varve::chunk {
namespace {

double scale_of(const Part& part) { return part.form == Form::decimals ? model::kPowerOfTen[part.detail] : 1.0; }

double number_of(const Part& part, std::uint64_t v) {
  if (part.form == Form::doubles) return std::bit_cast<double>(ordered(v));
  return static_cast<double>(as_signed(v)) / scale_of(part);
}

double sum_of(const Part& part) {
  if (part.form == Form::doubles) return std::bit_cast<double>(part.sum);
  if (part.sum_is_double()) return std::bit_cast<double>(part.sum) / scale_of(part);
  const Wide sum = Wide{as_signed(part.sequence.min)} * static_cast<Wide>(part.count) + static_cast<Wide>(part.sum);
  return static_cast<double>(sum) / scale_of(part);
}

void sum_up(const Part& part, std::span<const std::uint64_t> values, Stats& stats) {
  Wide whole = 0;
  double sum = 0;
  std::int64_t least = as_signed(values[0]);
  std::int64_t greatest = least;
  for (const std::uint64_t v : values) {
    least = std::min(least, as_signed(v));
    greatest = std::max(greatest, as_signed(v));
    if (part.form == Form::doubles) {
      sum += number_of(part, v);
    } else {
      whole += as_signed(v);
    }
  }
  stats.min = number_of(part, static_cast<std::uint64_t>(least));
  stats.max = number_of(part, static_cast<std::uint64_t>(greatest));
  stats.sum = part.form == Form::doubles ? sum : static_cast<double>(whole) / scale_of(part);
}

}  // namespace

Stats Block::stats(std::size_t i, std::size_t column) const {
  if (column >= state_->groups[i].columns) return {.uniform = false};  // column() tells
  const Part* found = &state_->part(i, column);
  if (found->form == Form::marked) {
    // They are those of the values. But a chunk is known by its first and last time: these must be of values, too.
    std::vector<std::size_t> markers;
    if (!state_->list_markers(*found, markers)) return {.uniform = false};
    if (markers.front() == 0 || markers.back() == found->count - 1) return {.uniform = false};
    ++found;
  }
  const Part& part = *found;
  Stats stats;
  stats.uniform = part.form != Form::mixed;
  stats.type = type_of(part.form);
  stats.count = part.count;
  const bool numbers = part.form == Form::longs || part.form == Form::decimals ||
                       (part.form == Form::doubles && part.detail == kNumeric);
  if (!numbers) return stats;
  if (part.has_stats) {
    stats.min = number_of(part, part.sequence.min);
    stats.max = number_of(part, part.sequence.min + part.range);
    stats.sum = sum_of(part);
  } else {
    std::vector<std::uint64_t> values(part.count);
    if (!state_->decode_ints(part, {0, part.count}, values.data())) return stats;
    sum_up(part, values, stats);
  }
  stats.numeric = true;
  return stats;
}

}  // namespace varve::chunk
