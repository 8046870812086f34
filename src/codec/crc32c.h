// SPDX-License-Identifier: Apache-2.0
// CRC-32C (Castagnoli, reflected 0x82f63b78, initial and final xor all ones): the checksum of log records and blocks.
#pragma once

#include <cstdint>
#include <span>

namespace varve::codec {

// `seed` chains: crc32c(ab) == crc32c(b, crc32c(a)). crc32c("123456789") == 0xe3069283.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed = 0);

}  // namespace varve::codec
