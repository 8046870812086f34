// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/run.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "codec/varint.h"

namespace varve::engine::rocksdb {
namespace {

// Even versions have sealed messages. Blocks of the first two have old keys. The last one says that the run is of a
// stratum: builds that know none take its slot for windows of a granularity that is no longer wanted, and must not open
// it.
constexpr std::uint64_t kOldVersion = 1;
constexpr std::uint64_t kRunVersion = 3;
constexpr std::uint64_t kStratumVersion = 5;

// Flushes and merges write several slots with one number: where a stratum adopts some of them, they do not overlap.
bool by_number(const std::shared_ptr<const Run>& a, const std::shared_ptr<const Run>& b) {
  return std::tie(a->key.run, a->key.slot) < std::tie(b->key.run, b->key.slot);
}

}  // namespace

std::ptrdiff_t Run::block_of(std::uint32_t group) const {
  return std::upper_bound(first_groups.begin(), first_groups.end(), group) - first_groups.begin() - 1;
}

std::string encode_run(const Run& run) {
  std::string value;
  const std::uint64_t plain = run.key.slot.is_stratum() ? kStratumVersion
                              : run.has_old_keys        ? kOldVersion
                                                        : kRunVersion;
  codec::append_varint(value, plain + (run.sealed.empty() ? 0 : 1));
  codec::append_varint(value, run.content);
  codec::append_varint(value, run.first_groups.size());
  std::uint32_t before = 0;
  for (const std::uint32_t group : run.first_groups) {
    codec::append_varint(value, group - before);
    before = group;
  }
  codec::append_varint(value, run.bytes);
  codec::append_varint(value, run.samples);
  codec::append_varint(value, run.chunks);
  codec::append_varint(value, codec::zigzag(run.first_time));
  codec::append_varint(value, static_cast<std::uint64_t>(run.last_time - run.first_time));
  if (run.sealed.empty()) return value;
  codec::append_varint(value, run.sealed.size());
  for (const SealedMessages& block : run.sealed) {
    codec::append_varint(value, block.sections);
    codec::append_varint(value, block.messages);
    codec::append_varint(value, codec::zigzag(block.first_us));
    codec::append_varint(value, static_cast<std::uint64_t>(block.last_us - block.first_us));
  }
  return value;
}

Result<Run> decode_run(std::string_view key, std::string_view value) {
  Run run;
  if (!parse_run_key(key, run.key)) return fail(Code::corrupt, "a run has a malformed key");
  const auto* at = reinterpret_cast<const std::byte*>(value.data());
  const auto* const end = at + value.size();
  bool good = true;
  const auto next = [&] {
    std::uint64_t v = 0;
    at = good ? codec::get_varint(at, end, v) : nullptr;
    good = at != nullptr;
    return v;
  };
  const auto version = next();
  if (version < kOldVersion || version > kStratumVersion) {
    return fail(Code::corrupt, "run version " + std::to_string(version) + "; this build reads versions 1 to 5");
  }
  run.has_old_keys = version < kRunVersion;
  run.content = next();
  const std::uint64_t blocks = next();
  if (!good || blocks > value.size()) return fail(Code::corrupt, "a run's list of blocks is cut short");
  std::uint32_t group = 0;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    group += static_cast<std::uint32_t>(next());
    run.first_groups.push_back(group);
  }
  run.bytes = next();
  run.samples = next();
  run.chunks = next();
  run.first_time = codec::unzigzag(next());
  run.last_time = run.first_time + static_cast<std::int64_t>(next());
  for (std::uint64_t left = version % 2 == 0 ? next() : 0; good && left > 0; --left) {
    SealedMessages& block = run.sealed.emplace_back();
    block.sections = static_cast<std::uint32_t>(next());
    block.messages = next();
    block.first_us = codec::unzigzag(next());
    block.last_us = block.first_us + static_cast<std::int64_t>(next());
  }
  if (!good) return fail(Code::corrupt, "a run is cut short");
  return run;
}

// Version 1 had no list of open groups.
std::string encode_mark(const Mark& mark) {
  std::string value;
  codec::append_varint(value, mark.open.empty() ? 1 : 2);
  codec::append_varint(value, mark.sealed);
  codec::append_varint(value, mark.dropped ? 1 : 0);
  codec::append_varint(value, mark.granularities_ms.size());
  for (const std::int64_t width : mark.granularities_ms) codec::append_varint(value, static_cast<std::uint64_t>(width));
  std::uint32_t before = 0;
  for (const std::uint32_t group : mark.open) codec::append_varint(value, group - std::exchange(before, group));
  return value;
}

Result<Mark> decode_mark(std::string_view value) {
  const auto* at = reinterpret_cast<const std::byte*>(value.data());
  const auto* const end = at + value.size();
  std::vector<std::uint64_t> numbers;
  while (at != end) {
    std::uint64_t number = 0;
    at = codec::get_varint(at, end, number);
    if (at == nullptr) return fail(Code::corrupt, "a slot's mark is cut short");
    numbers.push_back(number);
  }
  if (numbers.size() < 4) return fail(Code::corrupt, "a slot's mark is cut short");
  if (numbers[0] != 1 && numbers[0] != 2) {
    return fail(Code::corrupt,
                "version " + std::to_string(numbers[0]) + " of a slot's mark; this build reads versions 1 and 2");
  }
  const std::size_t rest = numbers.size() - 4;
  if (rest < numbers[3] || (rest > numbers[3]) != (numbers[0] == 2)) {
    return fail(Code::corrupt, "a slot's mark is malformed");
  }
  Mark mark{numbers[1], numbers[2] != 0, {}, {}};
  std::size_t i = 4;
  for (; i < 4 + numbers[3]; ++i) mark.granularities_ms.push_back(static_cast<std::int64_t>(numbers[i]));
  for (std::uint32_t group = 0; i < numbers.size(); ++i) {
    mark.open.push_back(group += static_cast<std::uint32_t>(numbers[i]));
  }
  return mark;
}

void Runs::add(std::shared_ptr<const Run> run, std::int64_t now_steady_ns) {
  const SlotKey key = home_of(run->key.slot);
  if (!key.is_of_messages()) look_at_coarse(*run);
  if (key.is_stratum()) adopt(key);
  auto& slot = (key.is_of_messages() ? messages : slots).edit(key);
  if (slot.runs.empty() || run->content == run->key.run) slot.grown_steady_ns = now_steady_ns;
  const auto at = std::upper_bound(slot.runs.begin(), slot.runs.end(), run, by_number);
  check(at == slot.runs.begin() || (*std::prev(at))->key != run->key, "runs of a slot differ in number");
  if (auto* const bytes = bytes_of(key)) *bytes += run->bytes;
  slot.runs.insert(at, std::move(run));
  ++runs_;
  key.is_of_messages() ? look_at_messages(key) : look_at(key);
}

SlotKey Runs::home_of(const SlotKey& slot) const {
  if (!slot.is_raw()) return slot;
  for (const std::int64_t width : strata_) {
    const SlotKey stratum = stratum_slot(slot.tenant, width, slot.start);
    if (stratum.granularity_ms > slot.granularity_ms && slots.contains(stratum)) return stratum;
  }
  return slot;
}

// Takes over what there is in the raw slots of a stratum that is new.
void Runs::adopt(const SlotKey& stratum) {
  const std::int64_t width = stratum.raw_width_ms(0);
  if (slots.contains(stratum)) return;
  if (std::ranges::find(strata_, width) == strata_.end()) {
    strata_.insert(std::ranges::upper_bound(strata_, width, std::greater<>()), width);
  }
  std::vector<SlotKey> inside;
  const auto list = [&](std::int64_t granularity_ms) {
    const SlotKey end{stratum.tenant, granularity_ms, stratum.start + width};
    for (auto at = slots.lower_bound({stratum.tenant, granularity_ms, stratum.start});
         at != slots.end() && at->first < end; ++at) {
      inside.push_back(at->first);
    }
  };
  list(0);
  for (const std::int64_t narrower : strata_) {
    if (narrower < width) list(kStratumGranularity + narrower);
  }
  OfSlot taken;
  for (const SlotKey& key : inside) {
    OfSlot& from = slots.edit(key);
    taken.runs.insert(taken.runs.end(), from.runs.begin(), from.runs.end());
    taken.grown_steady_ns = std::max(taken.grown_steady_ns, from.grown_steady_ns);
    if (from.mark != Mark{}) {
      --marks_;
      left_marks_.edit(key);
    }
    from = {};
    look_at(key);
  }
  std::ranges::sort(taken.runs, by_number);
  slots.edit(stratum) = std::move(taken);
}

void Runs::remove(const RunKey& key) {
  const SlotKey home = home_of(key.slot);
  auto& in = home.is_of_messages() ? messages : slots;
  if (!in.contains(home)) return;
  auto& of_slot = in.edit(home).runs;
  auto* const bytes = bytes_of(home);
  std::erase_if(of_slot, [&](const auto& run) {
    if (run->key != key) return false;
    --runs_;
    if (bytes != nullptr) *bytes -= run->bytes;
    return true;
  });
  home.is_of_messages() ? look_at_messages(home) : look_at(home);
}

void Runs::replace(std::shared_ptr<const Run> run) {
  auto& of_slot = slots.edit(home_of(run->key.slot)).runs;
  const auto old = std::ranges::find(of_slot, run->key, [](const auto& one) { return one->key; });
  check(old != of_slot.end() && (*old)->content == run->content, "a run whose blocks are exchanged is there");
  if (auto* const bytes = bytes_of(run->key.slot)) *bytes += run->bytes - (*old)->bytes;
  *old = std::move(run);
}

std::uint64_t* Runs::bytes_of(const SlotKey& slot) {
  if (slot.is_of_messages()) return &message_bytes_;
  return slot.is_raw() ? nullptr : &rollup_bytes_;
}

void Runs::set_mark(const SlotKey& slot, Mark mark) {
  const auto coarse = coarse_pending_.find(slot);
  if (coarse != coarse_pending_.end() && mark.sealed >= coarse->second.content) coarse_pending_.erase(slot);
  if (slot.is_stratum() && mark != Mark{}) adopt(slot);
  left_marks_.erase(slot);
  Mark& there = slots.edit(slot).mark;
  if (there != Mark{}) --marks_;
  if (mark != Mark{}) ++marks_;
  there = std::move(mark);
  look_at(slot);
}

void Runs::look_at_messages(const SlotKey& slot) {
  const auto& runs = messages.at(slot).runs;
  if (runs.size() > 1 || (runs.size() == 1 && runs[0]->sealed.empty())) {
    unsealed_messages_.edit(slot);
  } else {
    unsealed_messages_.erase(slot);
  }
  if (runs.empty()) messages.erase(slot);
}

// Sorts the slot in again; forgets it if nothing is left of it.
void Runs::look_at(const SlotKey& slot) {
  const auto put = [&slot](Slots& in, bool yes) {
    if (yes != in.contains(slot)) yes ? void(in.edit(slot)) : in.erase(slot);
  };
  check(slots.contains(slot), "a slot that changed is listed");
  const bool was_unsettled = is_unsettled(slot);
  const OfSlot& of_slot = slots.at(slot);
  const bool whole = of_slot.is_sealed() && of_slot.mark.open.empty() &&
                     (of_slot.mark.dropped || of_slot.mark.has_windows_of(plan_.of_raw_ms));
  put(pending_, slot.is_raw() && !plan_.of_raw_ms.empty() && !of_slot.runs.empty() && !whole);
  put(fragmented_, of_slot.runs.size() > 1);
  if (is_unsettled(slot) != was_unsettled) count_unsettled(slot, !was_unsettled);
  if (of_slot.runs.empty() && of_slot.mark == Mark{}) slots.erase(slot);
}

bool Runs::is_unsettled_at(model::Timestamp start) const {
  const auto has = [this](const SlotKey& slot) { return unsettled_at_.contains(of_any_tenant(slot)); };
  return has({{}, 0, start}) ||
         std::ranges::any_of(strata_, [&](std::int64_t width) { return has(stratum_slot({}, width, start)); });
}

bool Runs::is_unsettled(const SlotKey& slot) const {
  return slot.is_raw() && (pending_.contains(slot) || (!slot.is_stratum() && fragmented_.contains(slot)));
}

void Runs::count_unsettled(const SlotKey& slot, bool more) {
  std::uint32_t& there = unsettled_at_.edit(of_any_tenant(slot));
  check(more || (there > 0 && unsettled_ > 0), "a slot that was counted is settled");
  more ? ++unsettled_ : --unsettled_;
  more ? ++there : --there;
  if (there == 0) unsettled_at_.erase(of_any_tenant(slot));
}

void Runs::look_at_coarse(const Run& run) {
  for (const auto& [width, finer] : plan_.of_finer_ms) {
    if (run.key.slot.granularity_ms != finer) continue;
    for (auto start = model::window_start(run.first_time, width); start <= run.last_time; start += width) {
      const SlotKey slot{run.key.slot.tenant, width, start};
      const auto known = slots.find(slot);
      if (known != slots.end() && known->second.mark.sealed >= run.content) continue;
      CoarseWindow& window = coarse_pending_.edit(slot);
      window = {slot, finer, std::max(window.content, run.content)};
    }
  }
}

}  // namespace varve::engine::rocksdb
