// SPDX-License-Identifier: Apache-2.0
// Wide: sums of longs that cannot overflow.
#pragma once

namespace varve::chunk {

__extension__ typedef __int128 Wide;  // `using` has no place for the __extension__ that -Wpedantic wants

}  // namespace varve::chunk
