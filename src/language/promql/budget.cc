// SPDX-License-Identifier: Apache-2.0
#include "language/promql/budget.h"

#include <algorithm>

#include "base/check.h"

namespace varve::language::promql {
namespace {

// `hold` is told of so much at once.
constexpr std::size_t kBudgetStep = std::size_t{64} << 10;

}  // namespace

Charge::~Charge() {
  if (budget_ != nullptr) budget_->held_ -= bytes_;
}

void Charge::absorb(Charge&& other) {
  check(budget_ == nullptr || other.budget_ == nullptr || budget_ == other.budget_, "charges of one budget");
  if (budget_ == nullptr) budget_ = other.budget_;
  bytes_ += std::exchange(other.bytes_, 0);
  other.budget_ = nullptr;
}

Result<Charge> Budget::charge(std::size_t bytes) {
  if (bytes > bytes_max_ - std::min(held_, bytes_max_)) {
    return fail(Code::limit, "query processing would load too many samples into memory in query execution");
  }
  if (hold_ && held_ + bytes > reported_) {
    const std::size_t more = std::max(held_ + bytes - reported_, kBudgetStep);
    VARVE_RETURN_IF_ERROR(hold_(more));
    reported_ += more;
  }
  held_ += bytes;
  peak_ = std::max(peak_, held_);
  return Charge(this, bytes);
}

}  // namespace varve::language::promql
