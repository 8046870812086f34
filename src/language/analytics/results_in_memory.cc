// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/kept_results.h"

#include <utility>

namespace varve::language::analytics {
namespace {

std::unexpected<Error> result_gone() { return fail(Code::not_found, "there is no such query, or its time is over"); }

}  // namespace

Status ResultsInMemory::take(Entry& entry, std::size_t bytes) {
  const std::size_t all = held_.bytes() + bytes;
  if (all > bytes_max_) {
    return fail(Code::unavailable, "results that are kept hold all the memory that they may have (" +
                                       std::to_string(bytes_max_) + " bytes); try again when they have gone");
  }
  if (!held_.resize(all)) return fail(Code::unavailable, "requests hold all the memory that limits.memory allows");
  entry.bytes += bytes;
  return {};
}

void ResultsInMemory::give_back(std::size_t bytes) { static_cast<void>(held_.resize(held_.bytes() - bytes)); }

Status ResultsInMemory::put_state(const QueryName& query, const QueryState& state) {
  const MutexLock lock(mutex_);
  const auto [at, is_new] = entries_.try_emplace(query);
  if (is_new) {
    const Status taken = take(at->second, kEntryBytes);
    if (!taken) {
      entries_.erase(at);
      return taken;
    }
  }
  Entry& entry = at->second;
  entry.state = state;
  if (state.status != 0) {  // nobody reads its parts
    std::size_t bytes = 0;
    for (const auto& part : entry.parts) bytes += part->capacity();
    entry.parts.clear();
    entry.bytes -= bytes;
    give_back(bytes);
  }
  return {};
}

Result<std::optional<QueryState>> ResultsInMemory::state(const QueryName& query) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(query);
  if (found == entries_.end() || found->second.state.is_over(now_us())) return std::optional<QueryState>();
  return std::optional(found->second.state);
}

Status ResultsInMemory::put_part(const QueryName& query, std::uint32_t number, std::string part) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(query);
  if (found == entries_.end() || found->second.parts.size() != number) return result_gone();
  VARVE_RETURN_IF_ERROR(take(found->second, part.capacity()));
  found->second.parts.push_back(std::make_shared<const std::string>(std::move(part)));
  return {};
}

Result<std::shared_ptr<const std::string>> ResultsInMemory::part(const QueryName& query, std::uint32_t number) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(query);
  if (found == entries_.end() || number >= found->second.parts.size()) return result_gone();
  return found->second.parts[number];
}

void ResultsInMemory::sweep() {
  const MutexLock lock(mutex_);
  const std::int64_t before_us = now_us() - kResultGraceUs;
  for (auto at = entries_.begin(); at != entries_.end();) {
    if (!at->second.state.is_over(before_us)) {
      ++at;
      continue;
    }
    give_back(at->second.bytes);
    at = entries_.erase(at);
  }
}

std::size_t ResultsInMemory::bytes() {
  const MutexLock lock(mutex_);
  return held_.bytes();
}

}  // namespace varve::language::analytics
