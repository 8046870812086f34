// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/poll.h"

#include <utility>

namespace varve::snmp::poller {

void Poll::start(Start start) {
  start_ = std::move(start);
  collector_.begin(*start_.plan, start_.device, *start_.memory, *start_.finder, found_, start_.explains);
  walk_.emplace(*start_.plan, start_.memory->fit, start_.version, collector_);
  go_on();
}

void Poll::abandon() {
  walk_.reset();
  start_ = {};
}

void Poll::on_answer(const session::Answer& answer) {
  walk_->take(answer);
  go_on();
}

void Poll::go_on() {
  if (!walk_->next(scratch_)) return finish();
  if (start_.session->send(scratch_.request, *this, start_.tries)) return;
  session::Answer answer;
  answer.outcome = session::Outcome::not_sent;
  walk_->take(answer);
  finish();
}

void Poll::finish() {
  PollEnd end;
  end.fault = walk_->fault();
  end.error = walk_->fault_text();
  end.answered = walk_->has_answer();
  end.is_whole = !walk_->is_broken();
  collector_.end(end.is_whole);
  done_(*this, end);
}

}  // namespace varve::snmp::poller
