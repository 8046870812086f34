// SPDX-License-Identifier: Apache-2.0
#include "aggregate/filter.h"

#include <functional>
#include <utility>
#include <vector>

#include "aggregate/histogram_filter.h"

namespace varve::aggregate {

namespace {

// Calls use(comparison): the loop over a column is made for each, and decides nothing itself.
template <class Use>
void with(Filter::Compare compare, const Use& use) {
  using enum Filter::Compare;
  switch (compare) {
    case less_or_equal: return use(std::less_equal{});
    case less: return use(std::less{});
    case greater_or_equal: return use(std::greater_equal{});
    case greater: return use(std::greater{});
    case equal: return use(std::equal_to{});
    case not_equal: return use(std::not_equal_to{});
  }
}

}  // namespace

Points apply(const Filter& filter, Points in) {
  std::vector<std::uint8_t> kept(in.size(), 0);
  const auto* number = std::get_if<double>(&filter.threshold);
  const auto* text = std::get_if<std::string>(&filter.threshold);
  if (in.type == model::ValueType::histogram && number != nullptr) {
    return apply(HistogramFilter{filter.compare, *number, filter.discard_partial}, std::move(in));
  }
  with(filter.compare, [&](auto taken_out) {
    if (in.type == model::ValueType::string && text != nullptr) {
      for (std::size_t i = 0; i < in.size(); ++i) kept[i] = taken_out(in.texts[i], *text) ? 0 : 1;
    } else if (!in.in_text() && number != nullptr) {
      const double threshold = *number;
      if (in.types.empty() && in.type == model::ValueType::double_) {
        for (std::size_t i = 0; i < in.size(); ++i) {
          kept[i] = taken_out(std::bit_cast<double>(in.bits[i]), threshold) ? 0 : 1;
        }
      } else {
        for (std::size_t i = 0; i < in.size(); ++i) kept[i] = taken_out(in.number(i), threshold) ? 0 : 1;
      }
    }
  });
  for (std::size_t i = 0; i < in.nulls.size(); ++i) kept[i] |= in.nulls[i];
  return keep(std::move(in), kept);
}

}  // namespace varve::aggregate
