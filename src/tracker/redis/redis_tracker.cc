// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/redis_tracker.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "tracker/redis/keys.h"
#include "tracker/redis/scripts.h"

namespace varve::tracker::redis {
namespace {

constexpr std::size_t kNamesInCall = 1000;  // Lua's stack holds 8000 values, and a member takes two

}  // namespace

RedisTracker::RedisTracker(TrackerOptions options, Link& link, MemberNames& names)
    : options_(options), link_(link), names_(names) {}

std::string RedisTracker::pending_key(std::uint32_t partition) const {
  return link_.key("pending|" + std::to_string(partition));
}
std::string RedisTracker::slots_key(model::TenantId tenant) const {
  return link_.key("slots|" + names_.tenant(tenant));
}
std::string RedisTracker::entry(const Due& work) const { return entry_of(work.slot, names_.name(work.member)); }

Status RedisTracker::touch(std::span<const Touch> touches, model::Timestamp now_ms) {
  if (touches.empty()) return {};
  VARVE_CHECK_OK(link_.run(touching(touches, now_ms)));
  return {};
}

void RedisTracker::touch(std::span<const Touch> touches, model::Timestamp now_ms, driver::Done<void> done) {
  if (touches.empty()) return done({});
  link_.run(touching(touches, now_ms), [done = std::move(done)](Result<Answer> answer) mutable {
    if (!answer) return done(varve::fail(answer.error()));
    done({});
  });
}

Question RedisTracker::touching(std::span<const Touch> touches, model::Timestamp now_ms) const {
  const auto place = [](const Touch& touch) { return std::tuple(touch.member.tenant, touch.slot, touch.partition); };
  std::vector<Touch> sorted(touches.begin(), touches.end());
  std::ranges::sort(sorted, {}, place);
  Question question = link_.question();
  for (std::span<const Touch> rest(sorted); !rest.empty();) {
    std::size_t count = 1;
    while (count < rest.size() && count < kNamesInCall && place(rest[count]) == place(rest.front())) ++count;
    add_touches(question.commands, rest.first(count), now_ms);
    rest = rest.subspan(count);
  }
  return question;
}

// All of one tenant, slot and partition.
void RedisTracker::add_touches(driver::Pipeline& commands, std::span<const Touch> run, model::Timestamp now_ms) const {
  const Touch& first = run.front();
  const model::Timestamp ready = clamp_ready(std::max(first.slot + options_.width_ms, now_ms) + options_.quiet_ms);
  std::vector<std::string> words = {std::to_string(first.slot), std::to_string(ready)};
  words.reserve(2 + run.size());
  for (const Touch& touch : run) words.push_back(entry_of(touch.slot, names_.name(touch.member)));
  const std::string pending = pending_key(first.partition), slots = slots_key(first.member.tenant);
  const std::string generation = link_.key("generation");
  const std::array<std::string_view, 3> keys = {pending, slots, generation};
  commands.call(touch_script(), keys, std::vector<std::string_view>(words.begin(), words.end()));
}

Result<std::vector<Due>> RedisTracker::due(model::Timestamp now_ms, std::span<const std::uint32_t> partitions,
                                           std::size_t limit, When when) {
  if (limit == 0 || partitions.empty()) return std::vector<Due>{};
  // A slot that has ended is ready within the quiet time from now, if it is not set aside.
  const model::Timestamp last = clamp_ready(when == When::ended ? now_ms + options_.quiet_ms : now_ms);
  const std::string end = "(" + std::to_string((last + 1) * kScoresInMs);
  const std::string count = limit == kNoLimit ? "-1" : std::to_string(limit);
  Question question = link_.question();
  for (const std::uint32_t partition : partitions) {
    question.commands.command(
        {"ZRANGEBYSCORE", pending_key(partition), "-inf", end, "WITHSCORES", "LIMIT", "0", count});
  }
  VARVE_TRY(const Answer answer, link_.run(question));
  std::vector<Found> found;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const driver::Value* value = answer[i].size() == 0 ? nullptr : &answer[i].first();
    for (std::size_t left = answer[i].size(); left > 0; left -= 2) {
      found.push_back({partitions[i], value->text(), to_number(value->next().text())});
      value = &value->next().next();
    }
  }
  if (when == When::ended) VARVE_CHECK_OK(drop_set_aside(found, now_ms));
  std::ranges::stable_sort(found, {}, &Found::score);
  if (found.size() > limit) found.resize(limit);
  return resolve(found, now_ms);
}

// Of what is not ready yet, that which has failed.
Status RedisTracker::drop_set_aside(std::vector<Found>& found, model::Timestamp now_ms) {
  Question question = link_.question();
  question.commands.command({"HKEYS", link_.key("failed")});
  VARVE_TRY(const Answer answer, link_.run(question));
  std::unordered_set<std::string_view> failed;
  const driver::Value* value = answer[0].size() == 0 ? nullptr : &answer[0].first();
  for (std::size_t left = answer[0].size(); left > 0; --left, value = &value->next()) failed.insert(value->text());
  if (failed.empty()) return {};
  std::erase_if(found, [&](const Found& entry) {
    const std::string field = std::to_string(entry.partition).append("|").append(entry.entry);
    return ready_of(entry.score) > now_ms && failed.contains(field);
  });
  return {};
}

Result<std::vector<Due>> RedisTracker::resolve(std::span<const Found> found, model::Timestamp now_ms) {
  std::vector<std::string_view> names;
  std::vector<Due> list;
  for (const Found& entry : found) {
    std::string_view name = entry.entry;
    const auto slot = take_number(name);
    if (!slot) return varve::fail(Code::corrupt, "Redis: an entry of " + pending_key(entry.partition) + " is no entry");
    names.push_back(name);
    list.push_back({{}, entry.partition, *slot, static_cast<std::uint64_t>(entry.score), ready_of(entry.score)});
  }
  if (list.empty()) return list;
  VARVE_TRY(const auto members, names_.find(names));
  Question forget = link_.question();
  std::size_t known = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!members[i]) {
      add_fail(forget.commands, found[i].partition, found[i].entry, now_ms);
      continue;
    }
    list[known] = list[i];
    list[known++].member = *members[i];
  }
  if (known < list.size()) VARVE_CHECK_OK(link_.run(forget));
  list.resize(known);
  return list;
}

Result<bool> RedisTracker::complete(const Due& work) {
  VARVE_TRY(const auto done, complete_all({&work, 1}));
  return done[0];
}

Result<std::vector<bool>> RedisTracker::complete_all(std::span<const Due> works) {
  const std::string failed = link_.key("failed");
  Question question = link_.question();
  for (const Due& work : works) {
    const std::string member = entry(work);
    question.commands.call(complete_script(), {pending_key(work.partition), slots_key(work.member.tenant), failed},
                           {member, std::to_string(work.generation), std::to_string(work.slot),
                            std::to_string(work.partition) + "|" + member});
  }
  VARVE_TRY(const Answer answer, link_.run(question));
  std::vector<bool> done(works.size());
  for (std::size_t i = 0; i < works.size(); ++i) done[i] = answer[i].integer() == 1;
  return done;
}

Status RedisTracker::fail(const Due& work, model::Timestamp now_ms) {
  Question question = link_.question();
  add_fail(question.commands, work.partition, entry(work), now_ms);
  VARVE_CHECK_OK(link_.run(question));
  return {};
}

void RedisTracker::add_fail(driver::Pipeline& commands, std::uint32_t partition, std::string_view entry,
                            model::Timestamp now_ms) const {
  const std::string field = std::to_string(partition).append("|").append(entry);
  commands.call(fail_script(), {pending_key(partition), link_.key("failed"), link_.key("generation")},
                {entry, field, std::to_string(now_ms), std::to_string(options_.backoff_ms),
                 std::to_string(options_.backoff_ms_max)});
}

Result<bool> RedisTracker::pending(model::TenantId tenant, model::Timestamp slot) {
  Question question = link_.question();
  question.commands.command({"HEXISTS", slots_key(tenant), std::to_string(slot)});
  VARVE_TRY(const Answer answer, link_.run_trusted(question));
  return answer[0].integer() == 1;
}

Result<std::vector<model::Timestamp>> RedisTracker::pending_slots(model::TenantId tenant, model::TimeRange range) {
  std::vector<model::Timestamp> starts;
  if (range.empty()) return starts;
  Question question = link_.question();
  question.commands.command({"HKEYS", slots_key(tenant)});
  VARVE_TRY(const Answer answer, link_.run_trusted(question));
  const driver::Value* value = answer[0].size() == 0 ? nullptr : &answer[0].first();
  for (std::size_t left = answer[0].size(); left > 0; --left, value = &value->next()) {
    std::int64_t slot = 0;
    std::from_chars(value->text().data(), value->text().data() + value->text().size(), slot);
    if (range.overlaps({slot, slot + options_.width_ms})) starts.push_back(slot);
  }
  std::ranges::sort(starts);
  return starts;
}

Result<Counts> RedisTracker::counts() {
  Question question = link_.question();
  for (std::uint32_t partition = 0; partition < options_.partitions; ++partition) {
    question.commands.command({"ZCARD", pending_key(partition)});
    question.commands.command({"ZRANGE", pending_key(partition), "0", "0", "WITHSCORES"});
  }
  question.commands.command({"HLEN", link_.key("failed")});
  VARVE_TRY(const Answer answer, link_.run(question));
  Counts counts;
  for (std::size_t at = 0; at + 2 < answer.size(); at += 2) {
    counts.pending += static_cast<std::uint64_t>(answer[at].integer());
    if (answer[at + 1].size() != 2) continue;
    const model::Timestamp ready = ready_of(to_number(answer[at + 1][1].text()));
    counts.oldest_due_ms = std::min(counts.oldest_due_ms.value_or(ready), ready);
  }
  counts.set_aside = static_cast<std::uint64_t>(answer[answer.size() - 1].integer());
  return counts;
}

Result<std::vector<SetAside>> RedisTracker::set_aside(std::size_t limit) {
  Question question = link_.question();
  question.commands.command({"HGETALL", link_.key("failed")});
  VARVE_TRY(const Answer answer, link_.run(question));
  std::vector<SetAside> all;
  std::vector<std::string_view> names;
  const driver::Value* value = answer[0].size() == 0 ? nullptr : &answer[0].first();
  for (std::size_t left = answer[0].size(); left > 0 && all.size() < limit; left -= 2) {
    std::string_view name = value->text(), state = value->next().text();
    value = &value->next().next();
    const auto partition = take_number(name), slot = take_number(name), failures = take_number(state);
    if (!partition || !slot || !failures) return varve::fail(Code::corrupt, "Redis: a field of failed is no entry");
    all.push_back(
        {{}, static_cast<std::uint32_t>(*partition), *slot, static_cast<std::uint32_t>(*failures), to_number(state)});
    names.push_back(name);
  }
  if (all.empty()) return all;
  VARVE_TRY(const auto members, names_.find(names));
  std::size_t known = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!members[i]) continue;
    all[known] = all[i];
    all[known++].member = *members[i];
  }
  all.resize(known);
  return all;
}

}  // namespace varve::tracker::redis
