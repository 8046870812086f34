// SPDX-License-Identifier: Apache-2.0
#include "tracker/coalescing.h"

#include <utility>

namespace varve::tracker {
namespace {

constexpr std::uint64_t kNever = 0;  // no entry has this generation

}  // namespace

CoalescingTracker::CoalescingTracker(SlotTracker& below, std::int64_t quiet_ms, std::size_t entries_max,
                                     Version version)
    : below_(below), version_(std::move(version)), memory_(quiet_ms / 2, entries_max) {}

Status CoalescingTracker::touch(std::span<const Touch> touches, model::Timestamp now_ms) {
  const Wanted list = wanted(touches, now_ms);
  if (list.touches.empty()) return {};
  VARVE_RETURN_IF_ERROR(below_.touch(list.touches, now_ms));
  touched(list, now_ms);
  return {};
}

CoalescingTracker::Wanted CoalescingTracker::wanted(std::span<const Touch> touches, model::Timestamp now_ms) {
  const std::uint64_t version = version_();  // before they are sent: what is lost later makes it another one
  return {memory_.unknown(touches, now_ms, version), version};
}

void CoalescingTracker::touched(const Wanted& wanted, model::Timestamp now_ms) {
  memory_.note(wanted.touches, now_ms, wanted.version);
}

Result<std::vector<Due>> CoalescingTracker::due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions,
                                                std::size_t limit, When when) {
  auto list = below_.due(now_ms, partitions, limit, when);
  if (!list || when == When::quiet) return list;
  for (Due& work : *list) {
    if (work.ready_ms > now_ms) work.generation = kNever;
  }
  return list;
}

Result<bool> CoalescingTracker::complete(const Due& work) {
  if (work.generation == kNever) return false;
  return below_.complete(work);
}

Result<std::vector<bool>> CoalescingTracker::complete_all(std::span<const Due> works) {
  std::vector<Due> known;
  for (const Due& work : works) {
    if (work.generation != kNever) known.push_back(work);
  }
  VARVE_ASSIGN_OR_RETURN(const auto done, below_.complete_all(known));
  std::vector<bool> all(works.size());
  for (std::size_t i = 0, next = 0; i < works.size(); ++i) {
    if (works[i].generation != kNever) all[i] = done[next++];
  }
  return all;
}

}  // namespace varve::tracker
