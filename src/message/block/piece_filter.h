// SPDX-License-Identifier: Apache-2.0
// PieceFilter: can a text of a template have the pieces that a term demands? Its variables say so, before the text is
// put together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "message/block/frame.h"
#include "message/block/literals.h"

namespace varve::message::block {

class PieceFilter {
 public:
  // `pieces` must stay.
  PieceFilter(const std::vector<std::vector<PieceForm>>& pieces, std::string_view pattern);
  // The text at this place of a frame with a run of the template. False: it lacks a piece. `buffer`: memory.
  [[nodiscard]] bool may_have_all(const Frame& frame, std::size_t place, std::string& buffer) const;

 private:
  // A piece can stand where these are the variables from `first` on.
  struct Spot {
    std::size_t first = 0;
    const std::vector<VariablePart>* variables = nullptr;
  };
  static bool fits(const Spot& spot, const Frame& frame, std::size_t place, std::string& buffer);

  // Of pieces that do not stand in every text of the template: each spot.
  std::vector<std::vector<Spot>> pieces_;
};

}  // namespace varve::message::block
