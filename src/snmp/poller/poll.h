// SPDX-License-Identifier: Apache-2.0
// Poll: one walk of one device under way: sends what the walk asks, and gives it what comes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "snmp/correlation/collector.h"
#include "snmp/session/session.h"
#include "snmp/walk/walk.h"

namespace varve::snmp::poller {

// What became of it.
struct PollEnd {
  walk::Fault fault = walk::Fault::none;
  std::string error = {};  // of the fault, for a person
  bool answered = false;   // by the agent, at least once
  bool is_whole = false;   // the walk came to its end
};

// May be used again. For the loop's thread.
class Poll final : public session::Asker {
 public:
  using Done = std::function<void(Poll&, const PollEnd&)>;
  struct Start {
    std::shared_ptr<const walk::Plan> plan = {};
    std::string device = {};
    session::Session* session = nullptr;
    session::Version version = session::Version::v2c;
    unsigned tries = 1;
    correlation::Memory* memory = nullptr;
    correlation::GroupFinder* finder = nullptr;
    bool explains = false;  // as Collector::begin()
  };

  Poll(walk::Scratch& scratch, Done done) : scratch_(scratch), done_(std::move(done)) {}

  // `done` is called once, perhaps from here. What `start` points to must live until then, or until abandon().
  void start(Start start);
  // The session or the device goes: nobody is called.
  void abandon();

  [[nodiscard]] correlation::Found& found() { return found_; }
  std::uint32_t job = 0;  // of whoever started it

 private:
  void on_answer(const session::Answer& answer) override;
  void go_on();
  void finish();

  walk::Scratch& scratch_;
  const Done done_;
  Start start_;
  std::optional<walk::Walk> walk_;
  correlation::Collector collector_;
  correlation::Found found_;
};

}  // namespace varve::snmp::poller
