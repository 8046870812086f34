// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/scripts.h"

namespace varve::tracker::redis {

// One ZADD raises all scores that are below the new one, as nearly always all are. Those that are not: all that did not
// fall behind get their score + 1, which is a new generation and changes nothing else.
const driver::Script& touch_script() {
  static const driver::Script script(R"(
    local pending, count = KEYS[1], #ARGV - 2
    local score = ARGV[2] * 1024 + redis.call('INCR', KEYS[3]) % 1024
    local text = string.format('%.0f', score)
    local words = {}
    for i = 1, count do
      words[2 * i - 1] = text
      words[2 * i] = ARGV[i + 2]
    end
    local before = redis.call('ZCARD', pending)
    local changed = redis.call('ZADD', pending, 'GT', 'CH', unpack(words))
    local added = redis.call('ZCARD', pending) - before
    if added > 0 then redis.call('HINCRBY', KEYS[2], ARGV[1], added) end
    if changed < count then
      for i = 3, #ARGV do
        local now = tonumber(redis.call('ZSCORE', pending, ARGV[i]))
        redis.call('ZADD', pending, string.format('%.0f', now + 1), ARGV[i])
      end
    end
    return added)");
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

// The waits are those of retry_at() (slot_tracker.h).
const driver::Script& fail_script() {
  static const driver::Script script(R"(
    local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
    if not score then return 0 end
    local failures = tonumber(string.match(redis.call('HGET', KEYS[2], ARGV[2]) or '0', '^%d+')) + 1
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
