// SPDX-License-Identifier: Apache-2.0
// Kernels: inner loops that run once per sample, over one contiguous column of 64-bit values, four lanes at a time.
#pragma once

#include <cstdint>
#include <span>

namespace varve::aggregate {

// All take columns of at least one value; doubles and longs as their bits, as in model::Value.

// Sum as double. Longs are added as integers where that cannot overflow, so the result is the correctly rounded one.
// Short columns are added first to last; long ones in lanes: the last bit of a sum of doubles depends on the length.
double sum_of_doubles(std::span<const std::uint64_t> bits);
double sum_of_longs(std::span<const std::uint64_t> bits);

// NaN if any value is NaN.
double min_of_doubles(std::span<const std::uint64_t> bits);
double max_of_doubles(std::span<const std::uint64_t> bits);

std::int64_t min_of_longs(std::span<const std::uint64_t> bits);
std::int64_t max_of_longs(std::span<const std::uint64_t> bits);

// Sum of squared deviations from `mean`.
double squares_of_doubles(std::span<const std::uint64_t> bits, double mean);
double squares_of_longs(std::span<const std::uint64_t> bits, double mean);

}  // namespace varve::aggregate
