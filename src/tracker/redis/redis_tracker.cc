// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/redis_tracker.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "tracker/redis/keys.h"
#include "tracker/redis/scripts.h"

namespace varve::tracker::redis {
namespace {

// Entries in one script: 2 ms of the server's time. (Lua's stack holds 8000 values, and an entry takes two.)
constexpr std::size_t kEntriesInCall = 1000;

// How often an entry whose name nobody knows is set aside before it goes: most of a day, with back-off up to an hour.
constexpr int kUnknownFailures = 24;

// Scripts take words; most of ours are made for the call.
using Words = std::vector<std::string>;
std::vector<std::string_view> views(const Words& words) { return {words.begin(), words.end()}; }

std::vector<std::string_view> texts(const driver::Value& array) {
  std::vector<std::string_view> list;
  list.reserve(array.size());
  if (array.size() == 0) return list;
  const driver::Value* value = &array.first();
  for (std::size_t i = 0; i < array.size(); ++i, value = &value->next()) list.push_back(value->text());
  return list;
}

}  // namespace

RedisTracker::RedisTracker(TrackerOptions options, Link& link, MemberNames& names, std::string family)
    : options_(options), link_(link), names_(names), family_(std::move(family)) {
  check(options_.width_ms > 0, "slots have a width");
}

std::string RedisTracker::pending_key(std::uint32_t partition) const {
  return key("pending|" + std::to_string(partition));
}
std::string RedisTracker::slots_key(model::TenantId tenant) const { return key("slots|" + names_.tenant(tenant)); }
std::string RedisTracker::entry(const Due& work) const { return entry_of(work.slot, names_.name(work.member)); }

Status RedisTracker::touch(std::span<const Touch> touches, model::Timestamp now_ms) {
  if (touches.empty()) return {};
  VARVE_RETURN_IF_ERROR(link_.run(touching(touches, now_ms)));
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
    auto part = rest.first(std::min(rest.size(), kEntriesInCall));
    rest = rest.subspan(part.size());
    Words keys = {key("generation")}, words;
    while (!part.empty()) {
      std::size_t count = 1;
      while (count < part.size() && place(part[count]) == place(part.front())) ++count;
      add_group(part.first(count), now_ms, keys, words);
      part = part.subspan(count);
    }
    check(keys.size() > 1 && keys.size() % 2 == 1, "the generation's key, and two for each group");
    question.commands.call(touch_script(), views(keys), views(words));
  }
  return question;
}

// All of one tenant, slot and partition.
void RedisTracker::add_group(std::span<const Touch> group, model::Timestamp now_ms, Words& keys, Words& words) const {
  check(!group.empty(), "a group of touches has some");
  const Touch& first = group.front();
  const model::Timestamp ready = std::max(first.slot + options_.width_ms, now_ms) + options_.quiet_ms;
  keys.push_back(pending_key(first.partition));
  keys.push_back(slots_key(first.member.tenant));
  words.push_back(std::to_string(first.slot));
  words.push_back(std::to_string(clamp_ready(ready)));
  words.push_back(std::to_string(group.size()));
  for (const Touch& touch : group) words.push_back(entry_of(touch.slot, names_.name(touch.member)));
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
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run(question));
  std::vector<Found> found;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const auto pairs = texts(answer[i]);
    for (std::size_t at = 0; at + 1 < pairs.size(); at += 2)
      found.push_back({partitions[i], pairs[at], to_number(pairs[at + 1])});
  }
  if (when == When::ended) VARVE_RETURN_IF_ERROR(drop_set_aside(found, now_ms));
  std::ranges::sort(found, {}, &Found::score);
  if (found.size() > limit) found.resize(limit);
  return resolve(found, now_ms);
}

// Of what is not ready yet, that which has failed.
Status RedisTracker::drop_set_aside(std::vector<Found>& found, model::Timestamp now_ms) {
  Question question = link_.question();
  question.commands.command({"HKEYS", key("failed")});
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run(question));
  const auto fields = texts(answer[0]);
  const std::unordered_set<std::string_view> failed(fields.begin(), fields.end());
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
    if (!slot)
      return varve::fail(Code::corrupt, "Redis: an entry of " + pending_key(entry.partition) + " is not an entry");
    names.push_back(name);
    list.push_back({{}, entry.partition, *slot, static_cast<std::uint64_t>(entry.score), ready_of(entry.score)});
  }
  check(names.size() == found.size() && list.size() == found.size(), "a name for each entry that was found");
  if (list.empty()) return list;
  VARVE_ASSIGN_OR_RETURN(const auto members, names_.find(names));
  check(members.size() == names.size(), "one member for each name");
  Question forget = link_.question();
  std::size_t known = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (const auto& member = members[i]) {
      list[known] = list[i];
      list[known++].member = *member;
    } else {
      add_unknown(forget.commands, found[i], names[i], now_ms);
    }
  }
  if (known < list.size()) VARVE_RETURN_IF_ERROR(link_.run(forget));
  list.resize(known);
  return list;
}

Result<bool> RedisTracker::complete(const Due& work) {
  VARVE_ASSIGN_OR_RETURN(const auto done, complete_all({&work, 1}));
  return done[0];
}

Result<std::vector<bool>> RedisTracker::complete_all(std::span<const Due> works) {
  const std::string failed = key("failed");
  Question question = link_.question();
  for (const Due& work : works) {
    const std::string member = entry(work);
    question.commands.call(complete_script(), {pending_key(work.partition), slots_key(work.member.tenant), failed},
                           {member, std::to_string(work.generation), std::to_string(work.slot),
                            std::to_string(work.partition) + "|" + member});
  }
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run(question));
  std::vector<bool> done(works.size());
  for (std::size_t i = 0; i < works.size(); ++i) done[i] = answer[i].integer() == 1;
  return done;
}

Status RedisTracker::fail(const Due& work, model::Timestamp now_ms) {
  Question question = link_.question();
  add_fail(question.commands, work.partition, entry(work), now_ms);
  VARVE_RETURN_IF_ERROR(link_.run(question));
  return {};
}

void RedisTracker::add_fail(driver::Pipeline& commands, std::uint32_t partition, std::string_view entry,
                            model::Timestamp now_ms) const {
  const std::string field = std::to_string(partition).append("|").append(entry);
  commands.call(fail_script(), {pending_key(partition), key("failed"), key("generation")},
                {entry, field, std::to_string(now_ms), std::to_string(options_.backoff_ms),
                 std::to_string(options_.backoff_ms_max)});
}

// The same, until it has been unknown for long enough.
void RedisTracker::add_unknown(driver::Pipeline& commands, const Found& found, std::string_view name,
                               model::Timestamp now_ms) const {
  const std::string field = std::to_string(found.partition).append("|").append(found.entry);
  const auto parts = split_name(name);
  const std::string slots = key("slots|").append(parts ? parts->tenant : "");
  commands.call(fail_script(), {pending_key(found.partition), key("failed"), key("generation"), slots},
                {found.entry, field, std::to_string(now_ms), std::to_string(options_.backoff_ms),
                 std::to_string(options_.backoff_ms_max), std::to_string(kUnknownFailures),
                 found.entry.substr(0, found.entry.find('|'))});
}

Result<bool> RedisTracker::pending(model::TenantId tenant, model::Timestamp slot) {
  Question question = link_.question();
  question.commands.command({"HEXISTS", slots_key(tenant), std::to_string(slot)});
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run_trusted(question));
  return answer[0].integer() == 1;
}

Result<std::vector<bool>> RedisTracker::pending_of(std::span<const Touch> entries) {
  if (entries.empty()) return std::vector<bool>{};
  Question question = link_.question();
  std::size_t asked = 0;
  for (std::span<const Touch> rest = entries; !rest.empty(); ++asked) {
    Words words = {"ZMSCORE", pending_key(rest[0].partition)};
    std::size_t count = 0;
    for (; count < std::min(rest.size(), kEntriesInCall) && rest[count].partition == rest[0].partition; ++count) {
      words.push_back(entry_of(rest[count].slot, names_.name(rest[count].member)));
    }
    question.commands.command(views(words));
    rest = rest.subspan(count);
  }
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run_trusted(question));
  std::vector<bool> list;
  for (std::size_t i = 0; i < asked; ++i) {
    const driver::Value* score = &answer[i].first();
    for (std::size_t at = 0; at < answer[i].size(); ++at, score = &score->next()) list.push_back(!score->nil());
  }
  check(list.size() == entries.size(), "an answer for each entry that was asked for");
  return list;
}

void RedisTracker::ask_pending_slots(Question& question, model::TenantId tenant) const {
  question.commands.command({"HKEYS", slots_key(tenant)});
}

Result<std::vector<model::Timestamp>> RedisTracker::pending_slots(model::TenantId tenant, model::TimeRange range) {
  if (range.empty()) return std::vector<model::Timestamp>{};
  Question question = link_.question();
  ask_pending_slots(question, tenant);
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run_trusted(question));
  return read_pending_slots(answer[0], range);
}

std::vector<model::Timestamp> RedisTracker::read_pending_slots(const driver::Value& answer,
                                                               model::TimeRange range) const {
  std::vector<model::Timestamp> starts;
  for (const std::string_view text : texts(answer)) {
    std::int64_t slot = 0;
    std::from_chars(text.data(), text.data() + text.size(), slot);
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
  question.commands.command({"HLEN", key("failed")});
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run(question));
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
  question.commands.command({"HGETALL", key("failed")});
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run(question));
  std::vector<SetAside> all;
  std::vector<std::string_view> names;
  const auto pairs = texts(answer[0]);
  for (std::size_t at = 0; at + 1 < pairs.size() && all.size() < limit; at += 2) {
    std::string_view name = pairs[at], state = pairs[at + 1];
    const auto partition = take_number(name), slot = take_number(name), failures = take_number(state);
    if (!partition || !slot || !failures) return varve::fail(Code::corrupt, "Redis: a field of failed is not an entry");
    all.push_back(
        {{}, static_cast<std::uint32_t>(*partition), *slot, static_cast<std::uint32_t>(*failures), to_number(state)});
    names.push_back(name);
  }
  if (all.empty()) return all;
  VARVE_ASSIGN_OR_RETURN(const auto members, names_.find(names));
  check(members.size() == names.size(), "one member for each name");
  std::size_t known = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const auto& member = members[i]) {
      all[known] = all[i];
      all[known++].member = *member;
    }
  }
  all.resize(known);
  return all;
}

}  // namespace varve::tracker::redis
