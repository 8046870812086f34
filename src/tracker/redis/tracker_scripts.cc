// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/scripts.h"

namespace varve::tracker::redis {

// In each group one ZADD raises all scores that are below the new one, as nearly always all are. Where some are not,
// all of the group get their score + 1, which is a new generation and changes nothing else.
const driver::Script& touch_script() {
  static const driver::Script script(R"(
    local number = redis.call('INCR', KEYS[1]) % 1024
    local at = 0
    for group = 2, #KEYS, 2 do
      local pending, slot, count = KEYS[group], ARGV[at + 1], tonumber(ARGV[at + 3])
      local score = string.format('%.0f', ARGV[at + 2] * 1024 + number)
      at = at + 3
      local words = {}
      for i = 1, count do
        words[2 * i - 1] = score
        words[2 * i] = ARGV[at + i]
      end
      local before = redis.call('ZCARD', pending)
      local changed = redis.call('ZADD', pending, 'GT', 'CH', unpack(words))
      local added = redis.call('ZCARD', pending) - before
      if added > 0 then redis.call('HINCRBY', KEYS[group + 1], slot, added) end
      if changed < count then
        for i = at + 1, at + count do
          local old = tonumber(redis.call('ZSCORE', pending, ARGV[i]))
          redis.call('ZADD', pending, string.format('%.0f', old + 1), ARGV[i])
        end
      end
      at = at + count
    end
    return 1)");
  return script;
}

const driver::Script& complete_script() {
  static const driver::Script script(R"(
    local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
    if not score or tonumber(score) ~= tonumber(ARGV[2]) then return 0 end
    redis.call('ZREM', KEYS[1], ARGV[1])
    if redis.call('HINCRBY', KEYS[2], ARGV[3], -1) <= 0 then redis.call('HDEL', KEYS[2], ARGV[3]) end
    redis.call('HDEL', KEYS[3], ARGV[4])
    return 1)");
  return script;
}

// The waits are those of retry_at() (slot_tracker.h). With a fourth key the entry goes after that many failures.
const driver::Script& fail_script() {
  static const driver::Script script(R"(
    local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
    if not score then return 0 end
    local failures = tonumber(string.match(redis.call('HGET', KEYS[2], ARGV[2]) or '0', '^%d+')) + 1
    if KEYS[4] and failures > tonumber(ARGV[6]) then
      redis.call('ZREM', KEYS[1], ARGV[1])
      redis.call('HDEL', KEYS[2], ARGV[2])
      if redis.call('HINCRBY', KEYS[4], ARGV[7], -1) <= 0 then redis.call('HDEL', KEYS[4], ARGV[7]) end
      return failures
    end
    local wait, longest = tonumber(ARGV[4]), tonumber(ARGV[5])
    local left = failures
    while left > 1 and wait < longest do
      wait, left = wait * 2, left - 1
    end
    local retry = ARGV[3] + math.min(wait, longest)
    redis.call('HSET', KEYS[2], ARGV[2], string.format('%d|%.0f', failures, retry))
    retry = retry * 1024 + redis.call('INCR', KEYS[3]) % 1024
    redis.call('ZADD', KEYS[1], string.format('%.0f', math.max(score + 1, retry)), ARGV[1])
    return failures)");
  return script;
}

}  // namespace varve::tracker::redis
