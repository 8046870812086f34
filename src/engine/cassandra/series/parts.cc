// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/series/parts.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "engine/cassandra/tables/spans.h"

namespace varve::engine::cassandra {

bool Parts::is_good(const PartKey& key, const Part& part, std::uint64_t number, const Trust& trust) const {
  if (!part.known) return false;
  const bool old = key.kind == PartKind::series && key.bucket + 2 * kIndexBucketMs < clock_.now_ms();
  const std::int64_t age_ns = (clock_.steady_ns() - part.read_ns) / (old ? kOldFactor : 1);
  if (!trust.asked) return trust.alone_ns > 0 ? age_ns < trust.alone_ns : part.reading_number > trust.since;
  return part.asked && part.epoch == trust.epoch && part.number >= number && age_ns < trust.good_ns;
}

std::uint64_t Parts::readings() const {
  const MutexLock lock(mutex_);
  return readings_;
}

Status Parts::ensure(const std::vector<PartWanted>& wanted, const Trust& trust, const RowStore::ReadLimits& limits,
                     const Read& read) {
  while (true) {
    std::vector<PartWanted> claimed;
    std::optional<std::pair<PartKey, std::uint64_t>> other;
    {
      const MutexLock lock(mutex_);
      for (const PartWanted& one : wanted) {
        Part& part = parts_[one.key];
        if (is_good(one.key, part, one.number, trust)) continue;
        if (part.reading) {
          other = {one.key, part.round};
        } else {
          part.reading = true;
          claimed.push_back(one);
        }
      }
    }
    // Its own first: nobody waits for another while another waits for him.
    bool again = false;
    if (!claimed.empty()) {
      VARVE_ASSIGN_OR_RETURN(again, read_claimed(claimed, trust, read));
    }
    if (other) VARVE_RETURN_IF_ERROR(wait(other->first, other->second, limits));
    if (!other && !again) return {};
  }
}

Result<bool> Parts::read_claimed(const std::vector<PartWanted>& claimed, const Trust& trust, const Read& read) {
  std::vector<PartRead> reads;
  const std::int64_t now_us = clock_.now_ms() * 1000, now_ns = clock_.steady_ns();
  std::uint64_t number = 0;
  {
    const MutexLock lock(mutex_);
    number = ++readings_;
    for (const PartWanted& one : claimed) {
      const std::int64_t read_us = parts_[one.key].read_us;
      reads.push_back({one.key, read_us == 0 ? 0 : std::max<std::int64_t>(1, read_us - kOverlapUs)});
    }
  }
  Status status = read(reads);
  bool again = false;
  {
    const MutexLock lock(mutex_);
    for (const PartWanted& one : claimed) {
      Part& part = parts_[one.key];
      check(part.reading, "a part is read by who claimed it");
      part.reading = false;
      ++part.round;
      part.result = status;
      if (!status) continue;
      part.known = part.again_us == 0;
      again = again || !part.known;
      part.read_us = part.known ? now_us : std::min(now_us, part.again_us);
      part.again_us = 0;
      part.read_ns = now_ns;
      part.reading_number = number;
      part.asked = trust.asked;
      part.epoch = trust.epoch;
      part.number = one.number;
    }
  }
  changed_.notify_all();
  if (!status) return fail(status.error());
  return again;
}

Status Parts::wait(const PartKey& key, std::uint64_t round, const RowStore::ReadLimits& limits) {
  const MutexLock lock(mutex_);
  const Part& part = parts_[key];
  while (part.reading && part.round == round) {
    if (limits.cancelled != nullptr && *limits.cancelled) return fail(Code::cancelled, "nobody waits any more");
    if (limits.deadline_steady_ns != 0 && clock_.steady_ns() > limits.deadline_steady_ns) {
      return fail(Code::timeout, "the index was not read in time");
    }
    changed_.wait_for(mutex_, std::chrono::milliseconds(20));
  }
  // One who gave up says nothing of the store.
  const bool failed = !part.result && part.round == round + 1;
  if (failed && part.result.error().code != Code::cancelled && part.result.error().code != Code::timeout) {
    return part.result;
  }
  return {};
}

void Parts::read_again(model::TenantId tenant, const std::string& metric, std::int64_t from_us) {
  const MutexLock lock(mutex_);
  const PartKey first{PartKind::series, tenant, metric, std::numeric_limits<model::Timestamp>::min()};
  for (auto at = parts_.lower_bound(first); at != parts_.end(); ++at) {
    auto& [key, part] = *at;
    if (key.kind != first.kind || key.tenant != tenant || key.metric != metric) break;
    const auto earlier = [&](std::int64_t& to) { to = to == 0 ? from_us : std::min(to, from_us); };
    if (part.reading) earlier(part.again_us);
    if (part.read_us != 0) earlier(part.read_us);
    part.known = false;
  }
}

void Parts::read_again_before(model::Timestamp bucket) {
  const MutexLock lock(mutex_);
  for (auto& [key, part] : parts_) {
    if (key.kind != PartKind::series || key.bucket >= bucket) continue;
    if (part.reading) part.again_us = 1;
    part.read_us = 0;
    part.known = false;
  }
}

}  // namespace varve::engine::cassandra
