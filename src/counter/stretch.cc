// SPDX-License-Identifier: Apache-2.0
#include "counter/stretch.h"

#include <bit>
#include <type_traits>
#include <variant>

namespace varve::counter {

Stretch stretch_of(const AnySummary& summary) {
  return std::visit(
      [](const auto& one) {
        constexpr bool kReal = std::is_same_v<decltype(one.increase), double>;
        const auto bits = [](auto value) { return std::bit_cast<std::uint64_t>(value); };
        Stretch out{one.terms.rules,       kReal ? model::ValueType::double_ : model::ValueType::long_,
                    one.first.time,        one.last.time,
                    bits(one.first.value), bits(one.last.value),
                    bits(one.increase),    one.covered_ms};
        out.rules.max_per_second.reset();
        out.rules.max_wrap_per_second.reset();
        return out;
      },
      summary);
}

}  // namespace varve::counter
