// SPDX-License-Identifier: Apache-2.0
#include "message/block/piece_filter.h"

#include <algorithm>

#include "message/block/template.h"

namespace varve::message::block {
namespace {

// To look at more takes as long as to look at the text.
constexpr std::size_t kSpotsMax = 8;

bool has_part(std::string_view variable, const VariablePart& part) {
  if (part.begins && part.ends) return variable == part.text;
  if (part.begins) return variable.starts_with(part.text);
  return part.ends ? variable.ends_with(part.text) : variable.contains(part.text);
}

}  // namespace

PieceFilter::PieceFilter(const std::vector<std::vector<PieceForm>>& pieces, std::string_view pattern) {
  for (const std::vector<PieceForm>& forms : pieces) {
    std::vector<Spot> spots;
    bool always = false;
    for (const PieceForm& form : forms) {
      std::size_t at = pattern.find(form.pattern);
      for (; at != std::string_view::npos && spots.size() <= kSpotsMax; at = pattern.find(form.pattern, at + 1)) {
        always |= form.variables.empty();
        if (always) break;
        spots.push_back({variables_of(pattern.substr(0, at)), &form.variables});
      }
    }
    if (!always && spots.size() <= kSpotsMax) pieces_.push_back(std::move(spots));
  }
}

bool PieceFilter::fits(const Spot& spot, const Frame& frame, std::size_t place, std::string& buffer) {
  std::size_t number = spot.first;
  return std::ranges::all_of(*spot.variables, [&](const VariablePart& part) {
    return has_part(frame.variable(place, number++, buffer), part);
  });
}

bool PieceFilter::may_have_all(const Frame& frame, std::size_t place, std::string& buffer) const {
  return std::ranges::all_of(pieces_, [&](const std::vector<Spot>& spots) {
    return std::ranges::any_of(spots, [&](const Spot& spot) { return fits(spot, frame, place, buffer); });
  });
}

}  // namespace varve::message::block
