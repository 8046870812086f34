// SPDX-License-Identifier: Apache-2.0
// Whole-buffer compression of request and response bodies. Every inflater has an upper bound of what it may put out,
// so a bomb costs at most that.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::codec {

enum class Coding { identity, gzip, deflate, zstd, snappy };  // snappy: the block format of remote write

// Appends the decompressed bytes to `out` (cleared first).
// Errors: too_large (more than max bytes would come out), invalid (not in that format, or cut short).
Status decompress(Coding coding, std::string_view in, std::size_t max, std::string& out);

Status compress(Coding coding, std::string_view in, std::string& out);

// From a Content-Encoding or Accept-Encoding token; invalid if unknown.
Result<Coding> coding_of(std::string_view name);

}  // namespace varve::codec
