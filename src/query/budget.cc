// SPDX-License-Identifier: Apache-2.0
#include "query/budget.h"

#include <algorithm>
#include <string>

namespace varve::query {

namespace {

constexpr std::size_t kStepMin = std::size_t{64} << 10;  // asked for at once
constexpr std::size_t kStepMax = std::size_t{16} << 20;

}  // namespace

Budget::Budget(std::size_t bytes, std::shared_ptr<MemoryLedger> ledger)
    : bytes_(bytes),
      granted_(ledger == nullptr ? kEverything : 0),
      ledger_(std::move(ledger)),
      account_(ledger_, MemoryLedger::Kind::query) {}

std::unexpected<Error> Budget::over() const {
  return fail(Code::limit, "the query needs more memory than query.memory allows (" + std::to_string(bytes_) +
                               " bytes); narrow its time range or tags, or use larger sampling");
}

std::unexpected<Error> Budget::refuse() {
  if (!std::exchange(refused_, true)) ledger_->note_refused();
  granted_ = 0;
  return fail(Code::unavailable, "requests hold all the memory that limits.memory allows (" +
                                     std::to_string(ledger_->limit()) + " bytes); try again");
}

Status Budget::ask_for(std::size_t used) {
  const MutexLock lock(mutex_);
  if (refused_) return refuse();
  if (used <= granted_) return {};
  const std::size_t ample = std::min(bytes_, used + std::clamp(used / 8, kStepMin, kStepMax));
  if (!account_.resize(ample) && !account_.resize(used)) return refuse();
  granted_ = account_.bytes();
  return {};
}

Status Budget::become_answer(std::size_t bytes) {
  const MutexLock lock(mutex_);
  used_ = bytes;
  if (refused_ || !account_.become(MemoryLedger::Kind::answer, bytes)) return refuse();
  if (ledger_ != nullptr) granted_ = bytes;
  return {};
}

void Budget::trim() {
  if (ledger_ == nullptr) return;
  const MutexLock lock(mutex_);
  const std::size_t used = used_;
  if (refused_ || used >= account_.bytes()) return;
  static_cast<void>(account_.resize(used));
  granted_ = used;
}

}  // namespace varve::query
