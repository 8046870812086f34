// SPDX-License-Identifier: Apache-2.0
// Internal to poller/: a poll that a person asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "snmp/poller/worker.h"

namespace varve::snmp::poller {

struct Worker::OneOff {
  DeviceKey device = {};
  Member member = {};
  SetsDone done = {};
  std::unique_ptr<session::Session> session = {};
  std::shared_ptr<const session::Secret> secret = {};
  std::unique_ptr<Poll> poll = {};
  correlation::Memory memory = {};
  Finder finder = {};  // finds nothing, so that every record has its name
  std::size_t next = 0;
  std::int64_t began_ns = 0;
  std::vector<inventory::PolledSet> sets = {};
  bool is_over = false;
};

}  // namespace varve::snmp::poller
