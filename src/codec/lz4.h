// SPDX-License-Identifier: Apache-2.0
// LZ4 blocks: for what is soon stored in another form. Beside zstd's quickest level, a quarter less time to compress,
// half of it to decompress, and a quarter more bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::codec {

// Appends. Error: too_large (more than 2 GB).
Status compress_lz4(std::string_view in, std::string& out);

// Replaces `out` with `bytes` bytes, reusing its memory. The caller bounds `bytes`; a block that cannot hold so many is
// refused before they cost memory. Error: invalid (not LZ4, or of another size), with nothing left in `out`.
Status decompress_lz4(std::string_view in, std::size_t bytes, std::string& out);

}  // namespace varve::codec
