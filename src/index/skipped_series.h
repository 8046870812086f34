// SPDX-License-Identifier: Apache-2.0
// SkippedSeries: series that a selection leaves out, in pages whose numbers follow each other: those that were defined
// at one time, and mostly live and end together.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/ids.h"

namespace varve::index {

class SkippedSeries {
 public:
  static constexpr std::uint32_t kPage = 1024;

  void add_page(std::uint32_t page) {
    if (page >= pages_.size()) pages_.resize(page + 1);
    count_ += pages_[page] ? 0 : 1;
    pages_[page] = true;
  }
  // The page of the series is not left out.
  void keep(model::SeriesId series) {
    if (!contains(series)) return;
    pages_[model::to_int(series) / kPage] = false;
    --count_;
  }
  [[nodiscard]] bool contains(model::SeriesId series) const {
    const std::uint32_t page = model::to_int(series) / kPage;
    return page < pages_.size() && pages_[page];
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  std::vector<bool> pages_;
  std::uint32_t count_ = 0;
};

// Says which, when a selection has become large: for a small one it costs more to know it than to look at each.
using FindSkipped = std::function<SkippedSeries()>;
inline constexpr std::size_t kSkipAfter = 16'384;  // series that were looked at

}  // namespace varve::index
