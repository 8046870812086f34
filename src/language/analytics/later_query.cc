// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/later_query.h"

#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "language/analytics/answer_rows.h"
#include "language/analytics/sorted_rows.h"

namespace varve::language::analytics {
namespace {

// As Contrail counts: begun, all found, done.
constexpr int kBegun = kBegunProgress, kFound = 90, kDone = 100;
constexpr std::int64_t kTellNs = 1'000'000'000;

}  // namespace

Result<std::shared_ptr<LaterQuery>> LaterQuery::read(const MessageSource& source, KeptResults& results,
                                                     int (*status_of)(Code), const std::string& tenant,
                                                     std::string body) {
  std::shared_ptr<LaterQuery> out(new LaterQuery(source, results, status_of, std::move(body)));
  const auto shown = query::shown_as(tenant, "analytics", out->body_.substr(0, query::kQueryTextMax));
  VARVE_ASSIGN_OR_RETURN(out->query_, query::UnderWay::begin(source.engine, shown, out->gone_.get()));
  VARVE_RETURN_IF_ERROR(out->query_->budget().charge(2 * out->body_.capacity()));  // and what is read of it
  out->answering_ = std::make_unique<Answering>(source, tenant, out->query_, out->gone_);
  VARVE_ASSIGN_OR_RETURN(out->question_, out->answering_->read(out->body_));
  if (out->question_->asked.follow) return fail(Code::unsupported, "what is followed cannot be answered later");
  out->name_ = {tenant, out->query_->ticket().id()};
  const MutexLock lock(out->mutex_);
  out->state_.first_us = out->question_->asked.first_us;
  out->state_.last_us = out->question_->asked.last_us;
  out->state_.asked_us = source.now_us();
  return out;
}

QueryState LaterQuery::state() const {
  const MutexLock lock(mutex_);
  return state_;
}

Status LaterQuery::tell() {
  const MutexLock telling(tell_mutex_);
  QueryState state;
  {
    const MutexLock lock(mutex_);
    if (state_.ended) return {};
    state_.told_us = source_.now_us();
    state = state_;
  }
  return results_.put_state(name_, state);
}

void LaterQuery::advance(int progress) {
  {
    const MutexLock lock(mutex_);
    state_.progress = std::max(state_.progress, progress);
  }
  const std::int64_t now_ns = source_.clock.steady_ns();
  if (now_ns - told_ns_ < kTellNs) return;
  told_ns_ = now_ns;
  static_cast<void>(tell());  // whether results can be kept shows when there are some
}

// A message of that time has been read: the range is behind it, or before it.
void LaterQuery::seen(std::int64_t time_us) {
  const auto& asked = question_->asked;
  const double all = static_cast<double>(asked.last_us) - static_cast<double>(asked.first_us);
  const bool down = order_of(asked) == Order::time_down;
  const double read = down ? static_cast<double>(asked.last_us) - static_cast<double>(time_us)
                           : static_cast<double>(time_us) - static_cast<double>(asked.first_us);
  const double share = all > 0 ? std::clamp(read / all, 0.0, 1.0) : 0.0;
  advance(kBegun + static_cast<int>(share * (kFound - kBegun - 1)));
}

// Keeps whole parts of what is made, as long as there is that much.
Status LaterQuery::keep(std::string& text, std::size_t at_least, Made& made) {
  std::size_t from = 0;
  while (text.size() - from >= std::max<std::size_t>(at_least, 1)) {
    const std::size_t bytes = std::min(text.size() - from, kResultPartBytes);
    kept_bytes_ += bytes;
    if (kept_bytes_ > source_.engine.limits().memory_bytes) {
      return fail(Code::limit, "the result has more than " + std::to_string(source_.engine.limits().memory_bytes) +
                                   " bytes (query.memory)");
    }
    VARVE_RETURN_IF_ERROR(results_.put_part(name_, made.parts++, text.substr(from, bytes)));
    from += bytes;
  }
  text.erase(0, from);
  return {};
}

Result<LaterQuery::Made> LaterQuery::make() {
  Made made;
  answering_->start_anew();
  answering_->watch([this](std::int64_t time_us) { seen(time_us); });
  VARVE_ASSIGN_OR_RETURN(const auto rows, answer_rows(*answering_, *question_));
  if (rows->is_gathered()) advance(kFound);
  std::string text = "{\"value\":[";
  while (true) {
    const std::size_t end = text.size();
    if (made.rows > 0) text += ',';
    VARVE_ASSIGN_OR_RETURN(const bool is_row, rows->next(text));
    if (!is_row) {
      text.resize(end);
      break;
    }
    ++made.rows;
    if (!rows->is_gathered()) VARVE_RETURN_IF_ERROR(answering_->may_hold(made.rows, text.capacity()));
    VARVE_RETURN_IF_ERROR(keep(text, kResultPartBytes, made));
  }
  text += "]}";
  VARVE_RETURN_IF_ERROR(keep(text, 1, made));
  return made;
}

void LaterQuery::end(const Result<Made>& made) {
  killed_ = query_->ticket().killed();
  {
    const MutexLock lock(mutex_);
    state_.ended = true;
    state_.told_us = source_.now_us();
    if (made) {
      state_.progress = kDone;
      state_.rows = made->rows;
      state_.parts = made->parts;
    } else {
      state_.status = status_of_(made.error().code);
      state_.error = made.error().message;
    }
  }
  // What it has taken to find the answer goes.
  question_.reset();
  answering_.reset();
  static_cast<void>(query_->answered(0));
  query_.reset();
}

void LaterQuery::tell_end() {
  const MutexLock telling(tell_mutex_);
  const Status kept = results_.put_state(name_, state());
  if (!kept) log::warn("the result of a query cannot be kept", {{"error", kept.error().message}});
}

void LaterQuery::run() {
  begun_ = true;
  Result<Made> made = fail(Code::io, "internal error");
  const Status done = guarded([&] {
    const Status alive = answering_->check();
    if (alive) advance(kBegun);
    made = alive ? make() : Result<Made>(std::unexpected(alive.error()));
  });
  log_failure("a query that is answered later failed", done);
  if (!done && done.error().code == Code::unavailable) made = std::unexpected(done.error());
  end(query_->explain(std::move(made)));
}

}  // namespace varve::language::analytics
