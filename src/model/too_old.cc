// SPDX-License-Identifier: Apache-2.0
#include "model/too_old.h"

#include <string>

#include "model/instant.h"

namespace varve::model {

Error too_old(std::string_view name, Timestamp time, Timestamp kept_from, std::string_view unit) {
  constexpr std::size_t kNameMax = 100;
  // Seconds from now to the year 2106, taken for milliseconds, lie in the first days of 1970; and so do milliseconds
  // taken for microseconds or nanoseconds.
  constexpr Timestamp kLikelyOtherUnit = Timestamp{1} << 32;
  std::string text(name.substr(0, kNameMax));
  text += name.size() > kNameMax ? "… at " : " at ";
  text += instant(time) + " (" + std::to_string(time) +
          " ms) is older than what is kept of its series, which begins at " + instant(kept_from);
  if (time > 0 && time < kLikelyOtherUnit) {
    text += "; timestamps are taken as ";
    text.append(unit).append(" here: is that their unit?");
  }
  return {Code::too_old, std::move(text)};
}

}  // namespace varve::model
