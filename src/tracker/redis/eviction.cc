// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/eviction.h"

#include <charconv>

#include "base/log.h"

namespace varve::tracker::redis {
namespace {

std::uint64_t count_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Of this process of the server it is known that so many were evicted.
std::string known_of(const MemoryInfo& info) { return info.run_id + " " + std::to_string(info.evicted_keys); }
std::uint64_t known_count(std::string_view known, std::string_view run_id) {
  return !run_id.empty() && known.starts_with(run_id) && known.size() > run_id.size()
             ? count_of(known.substr(run_id.size() + 1))
             : 0;
}

}  // namespace

MemoryInfo memory_info(std::string_view info) {
  MemoryInfo out;
  while (!info.empty()) {
    std::string_view line = info.substr(0, info.find('\n'));
    info.remove_prefix(std::min(line.size() + 1, info.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon), value = line.substr(colon + 1);
    if (name == "run_id") out.run_id = value;
    if (name == "maxmemory_policy") out.policy = value;
    if (name == "maxmemory") out.max_bytes = count_of(value);
    if (name == "evicted_keys") out.evicted_keys = count_of(value);
  }
  return out;
}

// Managed services refuse CONFIG GET, but not INFO.
Result<std::string> Eviction::look() {
  Question question = link_.question();
  question.commands.command({"INFO"});
  question.commands.command({"GET", link_.key("evicted")});
  const auto answer = link_.run(question);
  if (!answer && answer.error().code == Code::invalid) return std::string();  // no right to ask
  if (!answer) return fail(answer.error());
  const MemoryInfo info = memory_info((*answer)[0].text());
  may_evict_ = info.may_evict();
  evicted_keys_ = info.evicted_keys;
  // Of keys with a time to live nothing is missed: leases, and marks of a recovery that was given up.
  const bool is_harmless = info.policy.starts_with("volatile-");
  if (const auto known = known_count((*answer)[1].text(), info.run_id); info.evicted_keys != known) {
    if (info.evicted_keys > known && !is_harmless) {
      log::error("Redis has evicted keys; the journal is replayed",
                 {{"keys", info.evicted_keys - known}, {"maxmemory-policy", info.policy}});
      VARVE_RETURN_IF_ERROR(link_.declare_lost());
    }
    Question note = link_.question();
    note.commands.command({"SET", link_.key("evicted"), known_of(info)});
    VARVE_RETURN_IF_ERROR(link_.run(note));
  }
  if (!info.may_evict()) return std::string();
  return "Redis may evict what is pending (maxmemory-policy " + info.policy + ", maxmemory " +
         std::to_string(info.max_bytes) + "): set maxmemory-policy to noeviction or volatile-lru, or maxmemory to 0";
}

}  // namespace varve::tracker::redis
