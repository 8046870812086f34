// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/sequence.h"

#include <algorithm>

#include "base/check.h"
#include "tracker/redis/keys.h"

namespace varve::tracker::redis {
namespace {

// Lua's numbers are exact up to there: the year 2255.
constexpr std::int64_t kGreatest = std::int64_t{1} << 53U;

const driver::Script& draw_script() {
  static const driver::Script script(R"(
    -- KEYS: sequence. ARGV: what the number is to be above.
    local time = redis.call('TIME')
    local number = tonumber(time[1]) * 1000000 + tonumber(time[2])
    number = math.max(number, tonumber(redis.call('GET', KEYS[1]) or 0) + 1, tonumber(ARGV[1]) + 1)
    local text = string.format('%.0f', number)
    redis.call('SET', KEYS[1], text)
    return text)");
  return script;
}

}  // namespace

std::int64_t Sequence::floor() const {
  const MutexLock lock(mutex_);
  return drawn_ == 0 ? 0 : drawn_ + (link_.clock().steady_ns() - drawn_ns_) / 1000;
}

Result<std::int64_t> Sequence::draw(std::int64_t above) {
  if (above >= kGreatest - 1)
    return fail(Code::corrupt, "a row has a version that is not a time: " + std::to_string(above));
  Question question = link_.question();
  const std::string key = link_.key("sequence");
  const std::string least = std::to_string(std::max({above, floor(), link_.clock().now_ms() * 1000}));
  question.commands.call(draw_script(), {key}, {least});
  VARVE_ASSIGN_OR_RETURN(const Answer answer, link_.run(question));
  const std::int64_t number = to_number(answer[0].text());
  if (number <= above) return fail(Code::corrupt, "Redis gave out a number that is too small");
  const MutexLock lock(mutex_);
  if (number > drawn_) {
    drawn_ = number;
    drawn_ns_ = link_.clock().steady_ns();
  }
  check(drawn_ >= number && drawn_ > above, "the next number is drawn above this one");
  return number;
}

}  // namespace varve::tracker::redis
