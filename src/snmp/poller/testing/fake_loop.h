// SPDX-License-Identifier: Apache-2.0
// FakeLoop: sessions with FakeAgents, in a time of its own. An answer takes `delay_ms`; a silent agent's requests time
// out as real ones do.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "snmp/session/session.h"
#include "snmp/walk/testing/fake_agent.h"

namespace varve::snmp::poller::testing {

class FakeLoop final : public session::Loop {
 public:
  struct Agent {
    walk::testing::FakeAgent agent = {};
    bool is_silent = false;
    std::int64_t delay_ms = 1;
    std::vector<std::int64_t> asked_ms = {};  // when each request came
    std::vector<session::Command> commands = {};
  };

  FakeLoop(ManualClock& clock, std::int64_t timeout_ms) : clock_(clock), timeout_ms_(timeout_ms) {}

  Agent& agent(std::uint16_t port) { return agents_[port]; }

  Result<std::unique_ptr<session::Session>> open(session::Target target) override;

  Result<std::uint16_t> hear(const session::Peer& at, session::Ear ear) override {
    static_cast<void>(at);
    hears = std::move(ear);
    return std::uint16_t{162};
  }
  session::Ear hears = {};  // of traps
  void say(const session::Peer& to, std::string_view datagram) override {
    said.emplace_back(session::host_of(to), datagram);
  }
  std::vector<std::pair<std::string, std::string>> said = {};  // where traps are heard: to whom, what

  // Time goes on by `wait_ms`, or until the next answer.
  void turn(std::int64_t wait_ms) override {
    std::int64_t until = clock_.now_ms() + wait_ms;
    if (!flights_.empty()) until = std::min(until, std::max(clock_.now_ms(), flights_.begin()->first));
    clock_.advance_ms(std::max<std::int64_t>(until - clock_.now_ms(), 0));
    while (!flights_.empty() && flights_.begin()->first <= clock_.now_ms()) {
      Flight flight = std::move(flights_.begin()->second);
      flights_.erase(flights_.begin());
      hand_over(flight);
    }
  }
  void wake() override {}
  [[nodiscard]] std::size_t sessions() const override { return sessions_; }
  [[nodiscard]] std::size_t in_flight() const override { return flights_.size(); }

 private:
  struct FakeSession;
  struct Flight {
    FakeSession* session;
    session::Asker* asker;
    std::vector<std::vector<session::Arc>> names;
    session::Request request;
  };
  void hand_over(Flight& flight);

  ManualClock& clock_;
  const std::int64_t timeout_ms_;
  std::map<std::uint16_t, Agent> agents_;
  std::multimap<std::int64_t, Flight> flights_;
  std::size_t sessions_ = 0;
};

struct FakeLoop::FakeSession final : public session::Session {
  FakeSession(FakeLoop& l, Agent& a) : loop(l), agent(a) { ++loop.sessions_; }
  ~FakeSession() override {
    --loop.sessions_;
    std::erase_if(loop.flights_, [this](const auto& flight) { return flight.second.session == this; });
  }
  Status send(const session::Request& request, session::Asker& asker, unsigned tries) override {
    agent.asked_ms.push_back(loop.clock_.now_ms());
    agent.commands.push_back(request.command);
    Flight flight{this, &asker, {}, request};
    for (const session::Name name : request.names) flight.names.emplace_back(name.begin(), name.end());
    const std::int64_t takes = agent.is_silent ? loop.timeout_ms_ * tries : agent.delay_ms;
    loop.flights_.emplace(loop.clock_.now_ms() + takes, std::move(flight));
    return {};
  }
  FakeLoop& loop;
  Agent& agent;
};

inline Result<std::unique_ptr<session::Session>> FakeLoop::open(session::Target target) {
  const std::string text = to_text(target.peer);
  const auto port = static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
  return std::make_unique<FakeSession>(*this, agents_[port]);
}

inline void FakeLoop::hand_over(Flight& flight) {
  Agent& agent = flight.session->agent;
  if (agent.is_silent) {
    session::Answer answer;
    answer.outcome = session::Outcome::timed_out;
    return flight.asker->on_answer(answer);
  }
  const std::vector<session::Name> names(flight.names.begin(), flight.names.end());
  flight.request.names = names;
  flight.asker->on_answer(agent.agent.answer(flight.request, clock_.now_ms()));
}

}  // namespace varve::snmp::poller::testing
