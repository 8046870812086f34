// SPDX-License-Identifier: Apache-2.0
// Decimal sums: 0.1 + 0.2 is not 0.3, and a column of sums with such a tail takes eight bytes a sum. If the extremes
// show that the samples have few decimals, a sum within its rounding error of a number with as few decimals is replaced
// by that number: it is the exact sum, and compresses well.
#pragma once

#include <cstdint>
#include <span>

namespace varve::rollup {

// Columns of gauges (columns.h), equally long; doubles as bits. Changes sums in their last digits only.
void round_sums(std::span<const std::int64_t> counts, std::span<const std::uint64_t> mins,
                std::span<const std::uint64_t> maxs, std::span<std::uint64_t> sums);

}  // namespace varve::rollup
