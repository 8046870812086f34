// SPDX-License-Identifier: Apache-2.0
// Decimal sums: 0.1 + 0.2 is not 0.3, and sums with such rounding errors compress badly (eight bytes a sum). If the
// extremes show that the samples have few decimals, a sum is replaced by the number with as few decimals that lies
// within its rounding error: it is the exact sum, and compresses well.
#pragma once

#include <cstdint>
#include <span>

namespace varve::rollup {

// Columns of gauges (columns.h) of equal length; doubles as bits. Changes only the last digits of sums.
void round_sums(std::span<const std::int64_t> counts, std::span<const std::uint64_t> mins,
                std::span<const std::uint64_t> maxs, std::span<std::uint64_t> sums);

}  // namespace varve::rollup
