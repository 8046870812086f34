// SPDX-License-Identifier: Apache-2.0
// Link: what all users of the shared Redis have in common: bounded waiting, the server's time, and noticing that the
// server has lost what was in it.
//
// Every question takes at most `timeout_ms`. After one that failed nothing is asked for `pause_ms` and everybody is
// told `unavailable` at once; then one question tries, and all go on when it was answered. Connections are the
// driver's affair.
//
// How a loss is noticed is told in docs/formats/redis.md. Then lost() is true, what reads pending slots is refused, and
// somebody calls recover() with what replays the journal. Touches are taken all the time: recovery is made of them.
//
// Thread-safe. run() blocks: never on a thread of the driver's runtime.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "driver/redis.h"
#include "tracker/redis/server_clock.h"

namespace varve::tracker::redis {

struct LinkOptions {
  std::string prefix = "varve|";  // of all keys
  std::uint32_t timeout_ms = 500;
  std::uint32_t pause_ms = 200;
};

// Is it known that nothing was lost until this answer?
enum class Trust { yes, unknown, no };

// A pipeline, with what each one begins with.
struct Question {
  driver::Pipeline commands;
  std::string epoch;  // whose marker is looked for
};

// The answers to the commands of a Question, without those it began with. None of them has failed.
class Answer {
 public:
  static constexpr std::size_t kBegin = 4;  // commands that a Question begins with

  Answer(driver::Reply reply, Trust trust) : reply_(std::move(reply)), trust_(trust) {}
  [[nodiscard]] std::size_t size() const { return reply_.size() - kBegin; }
  [[nodiscard]] const driver::Value& operator[](std::size_t number) const { return reply_[kBegin + number]; }
  [[nodiscard]] Trust trust() const { return trust_; }

 private:
  driver::Reply reply_;
  Trust trust_;
};

class Link {
 public:
  Link(driver::Redis redis, LinkOptions options, const Clock& clock);

  [[nodiscard]] std::string key(std::string_view name) const { return options_.prefix + std::string(name); }
  [[nodiscard]] Question question() const;

  Result<Answer> run(const Question& question);
  // Fails with `unavailable` where something may have been lost.
  Result<Answer> run_trusted(const Question& question);
  // Calls back exactly once, on a thread of the runtime or before it returns; the Link may be gone by then.
  void run(const Question& question, driver::Done<Answer> done);

  // As of the last answer. Nothing is asked by itself: check() now and then, where nothing else is; it also makes up,
  // for everybody, for a server's clock that went back.
  [[nodiscard]] bool lost() const;
  Status check();
  // How often the server's clock was found to have jumped ahead. Its answers fail then (unavailable), as if it were
  // away, until its clock is right again, or this machine's says the same: what is over is deleted, and does not come
  // back.
  [[nodiscard]] std::uint64_t clock_jumps() const;
  // Another number after each loss, also one that another replica has recovered.
  [[nodiscard]] std::uint64_t version() const;
  // Something is missing that Redis cannot know of: as if it had been emptied, for everybody. Recoveries that have
  // begun before end nothing.
  Status declare_lost();
  // Calls `replay`, which touches all that may be pending, and ends the loss. Fails as `replay` does, or with
  // `unavailable` if something was lost meanwhile: then it is to be done again. Several replicas may do it at once.
  Status recover(const std::function<Status()>& replay);

  // The time that all replicas share, the server's but that it never goes back: what to pass as now_ms.
  [[nodiscard]] const Clock& clock() const;
  // It is known to have been that late: raises it for everybody if it is less.
  Status not_before(std::int64_t time_us);

 private:
  class State;
  const driver::Redis redis_;
  const LinkOptions options_;
  const std::shared_ptr<State> state_;  // callbacks under way share it
};

}  // namespace varve::tracker::redis
