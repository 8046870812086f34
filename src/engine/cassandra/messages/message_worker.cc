// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_worker.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "engine/cassandra/tables/refusal.h"

namespace varve::engine::cassandra {

using model::Timestamp;
using tracker::Due;
using tracker::When;

namespace {

constexpr std::size_t kDueSlotsAtOnce = 16;
constexpr std::size_t kMessageErrorsMax = 1000;  // that are kept for people
constexpr std::int64_t kDropEveryMsMax = 300'000;

}  // namespace

// What has ended and is not quiet comes again with each question: it is asked for once.
Status MessageWorker::seal(std::uint32_t partition, When when, const Alive& alive, storage::SettleReport& report) {
  const std::size_t limit = when == When::ended ? tracker::kNoLimit : kDueSlotsAtOnce;
  std::vector<Due> before;
  while (alive()) {
    VARVE_ASSIGN_OR_RETURN(const auto due, touches_.tracker().due(clock_.now_ms(), {&partition, 1}, limit, when));
    if (due.empty() || std::ranges::equal(due, before, {}, &Due::generation, &Due::generation)) return {};
    for (const Due& one : due) {
      if (!alive()) return {};
      VARVE_RETURN_IF_ERROR(seal_one(one, report));
    }
    if (due.size() < limit || when == When::ended) return {};
    before = due;
  }
  return {};
}

// Each class of the slot. Of one whose time is over nothing is read any more; its rows go by themselves.
Result<std::optional<MessageSealer::Report>> MessageWorker::seal_owners(const Due& due) {
  std::optional<MessageSealer::Report> report;
  VARVE_ASSIGN_OR_RETURN(const auto owners, rows_.owners(series_.directory().tenant_name(due.member.tenant)));
  for (const std::string& owner : owners) {
    if (rows_.is_over(owner, due.slot, clock_.now_ms())) continue;
    VARVE_ASSIGN_OR_RETURN(const auto sealed, sealer_.seal(owner, due.slot));
    if (!report) report.emplace();
    report->blocks += sealed.blocks;
    report->messages += sealed.messages;
    report->bytes += sealed.bytes;
  }
  return report;
}

Status MessageWorker::seal_one(const Due& due, storage::SettleReport& report) {
  const auto sealed = seal_owners(due);
  if (!sealed && is_of_data(sealed.error().code)) return set_aside(due, sealed.error());
  if (!sealed) return fail(sealed.error());
  if (*sealed) {
    report.chunks_written += (*sealed)->blocks;
    report.messages += (*sealed)->messages;
    report.bytes += (*sealed)->bytes;
    ++report.slots_sealed;
    ++sealed_;
  }
  VARVE_RETURN_IF_ERROR(touches_.tracker().complete(due));
  const MutexLock lock(mutex_);
  errors_.erase({due.member, due.slot});
  return {};
}

Status MessageWorker::set_aside(const Due& due, const Error& error) {
  {
    const MutexLock lock(mutex_);
    if (errors_.size() >= kMessageErrorsMax) errors_.clear();
    if (errors_.insert_or_assign({due.member, due.slot}, error.message).second) {
      log::error("messages of a slot cannot be sealed", {{"slot", due.slot}, {"error", error.message}});
    }
  }
  return touches_.tracker().fail(due, clock_.now_ms());
}

Result<std::vector<storage::SetAsideWork>> MessageWorker::set_aside() const {
  std::vector<storage::SetAsideWork> list;
  VARVE_ASSIGN_OR_RETURN(const auto found, touches_.tracker().set_aside(kMessageErrorsMax));
  const MutexLock lock(mutex_);
  for (const tracker::SetAside& one : found) {
    const auto error = errors_.find({one.member, one.slot});
    list.push_back({one.member.tenant, one.slot, 0, "seal", "messages", one.failures, one.retry_ms,
                    error == errors_.end() ? "" : error->second});
  }
  return list;
}

Status MessageWorker::drop_when_due(const Alive& alive) {
  const std::int64_t now_ns = clock_.steady_ns();
  const std::int64_t every_ms = std::clamp<std::int64_t>(rows_.slot_ms() / 12, 1000, kDropEveryMsMax);
  if (dropped_ns_ != 0 && now_ns - dropped_ns_ < every_ms * 1'000'000) return {};
  dropped_ns_ = now_ns;
  return drop(alive);
}

// What is pending is sealed anyway; what was sealed while its last bucket could still be written is touched.
Status MessageWorker::drop(const Alive& alive) {
  std::map<std::string, std::set<Timestamp>> found;
  VARVE_RETURN_IF_ERROR(rows_.all_buckets([&](std::string_view tenant, Timestamp slot, const HotBucket&) -> Status {
    found[std::string(tenant)].insert(slot);
    return {};
  }));
  const Timestamp now = clock_.now_ms();
  for (const auto& [tenant, slots] : found) {
    VARVE_ASSIGN_OR_RETURN(const auto touches, touches_.touches_of(tenant, slots));
    for (const tracker::Touch& touch : touches) {
      if (!alive()) return {};
      if (touch.slot + rows_.slot_ms() > now) continue;
      VARVE_ASSIGN_OR_RETURN(const bool pending, touches_.tracker().pending(touch.member.tenant, touch.slot));
      if (pending) continue;
      VARVE_ASSIGN_OR_RETURN(const auto left, sealer_.drop(tenant, touch.slot));
      if (left != MessageSealer::Left::to_seal) continue;
      VARVE_RETURN_IF_ERROR(touches_.tracker().touch({&touch, 1}, now));
    }
  }
  return {};
}

}  // namespace varve::engine::cassandra
