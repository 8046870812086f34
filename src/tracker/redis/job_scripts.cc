// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tracker/redis/scripts.h"

namespace varve::tracker::redis {
namespace {

// What all of them begin with. A lease counts while its job has its token and its time has not come; one that would go
// on for longer than a lease was written before the clock went back, and is over.
constexpr const char* kBegin = R"(
    local now, lease = tonumber(ARGV[1]), tonumber(ARGV[2])
    local now_us = (now or 0) * 1000
    if not now then
      local time = redis.call('TIME')
      now, now_us = time[1] * 1000 + math.floor(time[2] / 1000), time[1] * 1000000 + time[2]
    end
    local function read(key)
      local job = redis.call('HMGET', key, 'holder', 'token', 'expires', 'next')
      local expires = tonumber(job[3] or 0)
      if expires > now + lease then expires = 0 end
      return {holder = job[1] or '', token = job[2] or '0', expires = expires, next = job[4] or ''}
    end
    local function write(key, ...)
      redis.call('HSET', key, ...)
      redis.call('PEXPIRE', key, 86400000)
    end
    local function text(number) return string.format('%.0f', number) end
    local function heard(key, replica)
      redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now - lease))
      if replica ~= '' then redis.call('ZADD', key, text(now), replica) end
      redis.call('PEXPIRE', key, lease)
      return redis.call('ZCARD', key)
    end
)";

driver::Script script(const char* lua) { return driver::Script(std::string(kBegin) + lua); }

}  // namespace

const driver::Script& look_script() {
  static const driver::Script made = script(R"(
    local answer = {text(now), heard(KEYS[1], ARGV[3])}
    for i = 2, #KEYS do
      local job = read(KEYS[i])
      answer[#answer + 1] = {job.holder, job.token, text(job.expires), job.next}
    end
    return answer)");
  return made;
}

// The next token is above all earlier ones, also if Redis forgot them: then the time is.
const driver::Script& take_script() {
  static const driver::Script made = script(R"(
    local job = read(KEYS[1])
    if job.token ~= ARGV[4] or job.expires > now then return false end
    local token = text(math.max(tonumber(redis.call('GET', KEYS[2]) or 0) + 1, now_us))
    redis.call('SET', KEYS[2], token)
    write(KEYS[1], 'holder', ARGV[3], 'token', token, 'expires', text(now + lease), 'next', ARGV[5])
    return {token, text(now + lease)})");
  return made;
}

const driver::Script& renew_script() {
  static const driver::Script made = script(R"(
    local job = read(KEYS[2])
    if job.token ~= ARGV[3] or job.expires <= now then return false end
    write(KEYS[2], 'expires', text(now + lease))
    local held = 0
    for i = 3, #KEYS do
      local other = read(KEYS[i])
      if other.holder == job.holder and other.expires > now then held = held + 1 end
    end
    return {text(now + lease), held, heard(KEYS[1], job.holder)})");
  return made;
}

const driver::Script& held_script() {
  static const driver::Script made = script(R"(
    local job = read(KEYS[1])
    if job.token ~= ARGV[3] or job.expires <= now then return false end
    return {text(now), job.next})");
  return made;
}

// From exactly that turn, or from any up to it ('').
const driver::Script& move_script() {
  static const driver::Script made = script(R"(
    local job = read(KEYS[1])
    if job.token ~= ARGV[3] or job.expires <= now then return false end
    if ARGV[4] ~= '' and job.next ~= ARGV[4] then return 0 end
    if ARGV[4] == '' and tonumber(ARGV[5]) <= tonumber(job.next) then return 0 end
    write(KEYS[1], 'next', ARGV[5])
    return 1)");
  return made;
}

const driver::Script& release_script() {
  static const driver::Script made = script(R"(
    local job = read(KEYS[1])
    if job.token == ARGV[3] and job.expires > now then write(KEYS[1], 'expires', '0') end
    return 1)");
  return made;
}

}  // namespace varve::tracker::redis
