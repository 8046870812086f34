// SPDX-License-Identifier: Apache-2.0
#include "tracker/redis/link.h"

#include <atomic>
#include <charconv>

#include "base/log.h"
#include "base/mutex.h"
#include "base/uuid.h"
#include "driver/wait.h"

namespace varve::tracker::redis {
namespace {

using driver::Done;
using driver::Reply;

// A recovery that has begun before the last declared loss ends nothing.
const driver::Script& begin_recovery() {
  static const driver::Script script(R"(
    -- KEYS: recovery|<marker>, losses.
    redis.call('SET', KEYS[1], redis.call('GET', KEYS[2]) or '0', 'EX', 86400)
    return 1)");
  return script;
}

const driver::Script& end_recovery() {
  static const driver::Script script(R"(
    -- KEYS: recovery|<marker>, losses, epoch. ARGV: the marker.
    local losses = redis.call('GET', KEYS[1])
    redis.call('DEL', KEYS[1])
    if losses ~= (redis.call('GET', KEYS[2]) or '0') then return 0 end
    redis.call('SET', KEYS[3], ARGV[1])
    return 1)");
  return script;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// What is added to the server's time, as AddedTime has it.
const driver::Script& not_before_script() {
  static const driver::Script script(R"(
    -- KEYS: added. ARGV: the least that the time is, µs; by which part of the time what is added becomes less.
    local time = redis.call('TIME')
    local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
    local us, since = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
    local added = tonumber(us or 0) - math.floor(math.max(0, now - tonumber(since or 0)) / tonumber(ARGV[2]))
    local wanted = tonumber(ARGV[1]) - now
    if wanted > math.max(added, 0) then redis.call('SET', KEYS[1], string.format('%.0f %.0f', wanted, now)) end
    return 1)");
  return script;
}

AddedTime added_time(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return {};
  return {number(text.substr(0, space)), number(text.substr(space + 1))};
}

}  // namespace

class Link::State {
 public:
  State(const Clock& local, const LinkOptions& options)
      : local_(local),
        timeout_ns_(options.timeout_ms * 1'000'000LL),
        pause_ns_(options.pause_ms * 1'000'000LL),
        clock_(local) {}

  // May something be asked now?
  Status admit() {
    std::int64_t until = closed_until_ns_;
    if (until == 0) return {};
    const std::int64_t now = local_.steady_ns();
    // Who puts the time off is the one that tries.
    if (now < until || !closed_until_ns_.compare_exchange_strong(until, now + timeout_ns_ + pause_ns_))
      return fail(Code::unavailable, "Redis does not answer");
    return {};
  }

  [[nodiscard]] std::int64_t now_ns() const { return local_.steady_ns(); }

  Result<Answer> finish(const std::string& epoch, std::int64_t sent_ns, Result<Reply> reply) {
    const std::int64_t now = local_.steady_ns();
    if (!reply) {
      closed_until_ns_ = now + pause_ns_;
      return fail(Code::unavailable, "Redis: " + reply.error().message);
    }
    closed_until_ns_ = 0;
    VARVE_RETURN_IF_ERROR(reply->status());
    const driver::Value& time = (*reply)[2];
    const std::int64_t server_us = time.size() == 2 ? number(time[0].text()) * 1'000'000 + number(time[1].text()) : 0;
    VARVE_RETURN_IF_ERROR(check_time(server_us, sent_ns, now));
    const Trust trust = examine(epoch, *reply);
    if (server_us > 0) {
      clock_.observe(server_us, (*reply)[3].nil() ? AddedTime() : added_time((*reply)[3].text()), sent_ns, now);
    }
    return Answer(std::move(*reply), trust);
  }

  [[nodiscard]] std::string epoch() const {
    const MutexLock lock(mutex_);
    return epoch_;
  }
  [[nodiscard]] bool lost() const { return lost_; }
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] const ServerClock& clock() const { return clock_; }
  [[nodiscard]] std::uint64_t clock_jumps() const { return clock_jumps_; }

 private:
  Status check_time(std::int64_t server_us, std::int64_t sent_ns, std::int64_t received_ns) {
    const std::int64_t ahead_us = clock_.ahead_us(server_us, sent_ns, received_ns);
    const bool has_jumped = ahead_us > kJumpUs;
    if (has_jumped != is_ahead_.exchange(has_jumped)) {
      if (has_jumped) {
        ++clock_jumps_;
        log::error("the clock of Redis has jumped ahead; it counts as away until it is right",
                   {{"seconds", ahead_us / 1'000'000}});
      } else {
        clock_.forget();  // if it is this machine's that was wrong: what Redis says counts from now on
        log::info("the clock of Redis is right again");
      }
    }
    if (!has_jumped) return {};
    closed_until_ns_ = received_ns + pause_ns_;
    return fail(Code::unavailable, "the clock of Redis is " + std::to_string(ahead_us / 1'000'000) +
                                       " s ahead of its time before, and of this machine's");
  }

  // What an answer says of the epoch, whose marker `asked` was looked for.
  Trust examine(const std::string& asked, const Reply& reply) {
    const driver::Value& found = reply[0];
    const bool marked = reply[1].size() == 1 && reply[1][0].integer() == 1;
    const MutexLock lock(mutex_);
    if (found.nil() || (found.text() == asked && !marked)) {
      if (!lost_) begin_again();
      lost_ = true;
      epoch_ = found.text();
      return Trust::no;
    }
    if (found.text() != epoch_) {  // another one has recovered; its marker is looked for the next time
      begin_again();
      epoch_ = found.text();
      return Trust::unknown;
    }
    if (found.text() != asked) return Trust::unknown;
    lost_ = false;
    return Trust::yes;
  }

  void begin_again() {
    ++version_;
    clock_.forget();
  }

  const Clock& local_;
  const std::int64_t timeout_ns_, pause_ns_;
  std::atomic<std::int64_t> closed_until_ns_ = 0;  // 0: open
  ServerClock clock_;
  static constexpr std::int64_t kJumpUs = 60'000'000;
  std::atomic<bool> is_ahead_ = false;
  std::atomic<std::uint64_t> clock_jumps_ = 0;
  mutable Mutex mutex_;
  std::string epoch_;
  std::atomic<bool> lost_ = false;
  std::atomic<std::uint64_t> version_ = 1;
};

Link::Link(driver::Redis redis, LinkOptions options, const Clock& clock)
    : redis_(std::move(redis)), options_(std::move(options)), state_(std::make_shared<State>(clock, options_)) {}

Question Link::question() const {
  Question question{{}, state_->epoch()};
  question.commands.command({"GET", key("epoch")});
  question.commands.command({"SCRIPT", "EXISTS", question.epoch.empty() ? "-" : question.epoch});
  question.commands.command({"TIME"});
  question.commands.command({"GET", key("added")});
  return question;
}

Result<Answer> Link::run(const Question& question) {
  VARVE_RETURN_IF_ERROR(state_->admit());
  const std::int64_t sent = state_->now_ns();
  auto reply = driver::wait<Reply>(
      [&](Done<Reply> done) { redis_.run(question.commands, options_.timeout_ms, std::move(done)); });
  return state_->finish(question.epoch, sent, std::move(reply));
}

void Link::run(const Question& question, Done<Answer> done) {
  if (auto open = state_->admit(); !open) return done(fail(open.error()));
  const std::int64_t sent = state_->now_ns();
  redis_.run(question.commands, options_.timeout_ms,
             [state = state_, epoch = question.epoch, sent, done = std::move(done)](Result<Reply> reply) mutable {
               done(state->finish(epoch, sent, std::move(reply)));
             });
}

Result<Answer> Link::run_trusted(const Question& question) {
  VARVE_ASSIGN_OR_RETURN(Answer answer, run(question));
  Trust trust = answer.trust();
  if (trust == Trust::unknown) {
    // If the marker is there now, it was there before, when the epoch had this name.
    VARVE_ASSIGN_OR_RETURN(const Answer again, run(this->question()));
    trust = again.trust();
  }
  if (trust != Trust::yes) return fail(Code::unavailable, "Redis may have lost what is pending");
  return answer;
}

bool Link::lost() const { return state_->lost(); }
std::uint64_t Link::version() const { return state_->version(); }
std::uint64_t Link::clock_jumps() const { return state_->clock_jumps(); }
const Clock& Link::clock() const { return state_->clock(); }

Status Link::check() {
  VARVE_ASSIGN_OR_RETURN(const Answer answer, run(question()));
  if (answer.trust() == Trust::unknown) VARVE_RETURN_IF_ERROR(run(question()));
  return state_->clock().behind() ? not_before(state_->clock().now_us()) : Status();
}

Status Link::not_before(std::int64_t time_us) {
  Question raise = question();
  const std::string wanted = std::to_string(time_us), slower = std::to_string(AddedTime::kSlower);
  raise.commands.call(not_before_script(), {key("added")}, {wanted, slower});
  VARVE_RETURN_IF_ERROR(run(raise));
  VARVE_RETURN_IF_ERROR(run(question()));  // from now on it counts here, too
  return {};
}

Status Link::declare_lost() {
  Question question = this->question();
  question.commands.command({"INCR", key("losses")});
  question.commands.command({"DEL", key("epoch")});
  VARVE_RETURN_IF_ERROR(run(question));
  return check();
}

Status Link::recover(const std::function<Status()>& replay) {
  Question load = question();
  load.commands.command({"SCRIPT", "LOAD", "return '" + random_uuid() + "'"});
  VARVE_ASSIGN_OR_RETURN(const Answer loaded, run(load));
  const std::string marker(loaded[0].text());
  const std::string recovery = key("recovery|" + marker);
  Question begin = question();
  begin.commands.call(begin_recovery(), {recovery, key("losses")}, {});
  VARVE_RETURN_IF_ERROR(run(begin));
  VARVE_RETURN_IF_ERROR(replay());
  Question end = question();
  end.commands.call(end_recovery(), {recovery, key("losses"), key("epoch")}, {marker});
  VARVE_ASSIGN_OR_RETURN(const Answer ended, run(end));
  if (ended[0].integer() == 1) VARVE_RETURN_IF_ERROR(check());
  if (ended[0].integer() != 1 || lost()) return fail(Code::unavailable, "Redis was lost again while it was recovered");
  return {};
}

}  // namespace varve::tracker::redis
