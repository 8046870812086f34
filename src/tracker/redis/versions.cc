// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/versions.h"

#include <charconv>

#include "tracker/redis/keys.h"

namespace varve::tracker::redis {
namespace {

const driver::Script& raise_script() {
  static const driver::Script script(R"(
    -- KEYS: versions|t, forgotten|t. ARGV: how many fields, the fields, then metrics.
    local time = redis.call('TIME')
    local number = tonumber(time[1]) * 1000000 + tonumber(time[2])
    local last = tonumber(redis.call('HGET', KEYS[1], 'last') or 0)
    if number <= last then number = last + 1 end
    local text = string.format('%.0f', number)
    redis.call('HSET', KEYS[1], 'last', text)
    local fields = tonumber(ARGV[1])
    for i = 2, 1 + fields do redis.call('HSET', KEYS[1], ARGV[i], text) end
    for i = 2 + fields, #ARGV do redis.call('ZADD', KEYS[2], text, ARGV[i]) end
    return text)");
  return script;
}

constexpr std::string_view kNames = "names";

// "last" and whatever a later version keeps there are no periods.
bool to_period(std::string_view text, model::Timestamp& period) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), period);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Use>
void for_each_pair(const driver::Value& array, Use use) {
  if (array.size() < 2) return;
  const driver::Value* value = &array.first();
  for (std::size_t i = 0; i + 1 < array.size(); i += 2) {
    const driver::Value& second = value->next();
    use(value->text(), static_cast<std::uint64_t>(to_number(second.text())));
    if (i + 3 < array.size()) value = &second.next();
  }
}

}  // namespace

Result<std::vector<TenantVersions>> RedisVersions::ask(std::span<const VersionsAsked> tenants) {
  // Before the numbers are read: a loss in between makes them worthless, not a loss from before seem to be one.
  const std::uint64_t epoch = link_.version();
  Question question = link_.question();
  for (const VersionsAsked& asked : tenants) {
    const std::string tenant(asked.tenant);
    question.commands.command({"HGETALL", link_.key("versions|" + tenant)});
    question.commands.command({"ZRANGEBYSCORE", link_.key("forgotten|" + tenant),
                               "(" + std::to_string(asked.forgotten_since), "+inf", "WITHSCORES"});
  }
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run_trusted(question));
  std::vector<TenantVersions> out(tenants.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].epoch = epoch;
    for_each_pair(answer[2 * i], [&](std::string_view field, std::uint64_t number) {
      model::Timestamp period = 0;
      if (field == kNames) out[i].names = number;
      if (to_period(field, period)) out[i].index.emplace_back(period, number);
    });
    for_each_pair(answer[2 * i + 1], [&](std::string_view metric, std::uint64_t number) {
      out[i].forgotten.emplace_back(metric, number);
    });
    std::ranges::sort(out[i].index);
  }
  return out;
}

Question RedisVersions::raising(std::span<const VersionsRaised> what) const {
  Question question = link_.question();
  for (const VersionsRaised& raised : what) {
    std::vector<std::string> words = {std::to_string(raised.periods.size() + (raised.names ? 1 : 0))};
    if (raised.names) words.emplace_back(kNames);
    for (const model::Timestamp period : raised.periods) words.push_back(std::to_string(period));
    words.insert(words.end(), raised.metrics.begin(), raised.metrics.end());
    const std::string keys[] = {link_.key("versions|" + raised.tenant), link_.key("forgotten|" + raised.tenant)};
    const std::string_view key_views[] = {keys[0], keys[1]};
    const std::vector<std::string_view> views(words.begin(), words.end());
    question.commands.call(raise_script(), key_views, views);
  }
  return question;
}

void RedisVersions::raise(std::span<const VersionsRaised> what, Done done) {
  if (what.empty()) return done({});
  link_.run(raising(what), [done = std::move(done)](Result<Answer> answer) mutable {
    done(answer ? Status() : Status(fail(answer.error())));
  });
}

Status RedisVersions::raise(std::span<const VersionsRaised> what) {
  if (what.empty()) return {};
  VARVE_RETURN_IF_ERROR(link_.run(raising(what)));
  return {};
}

}  // namespace varve::tracker::redis
