// SPDX-License-Identifier: Apache-2.0
// Internal to poller/: a device while it is polled here.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counter/declared.h"
#include "snmp/correlation/collector.h"
#include "snmp/inventory/device_status.h"
#include "snmp/poller/fleet.h"
#include "snmp/poller/poll.h"
#include "snmp/poller/talk.h"
#include "snmp/schedule/backoff.h"
#include "snmp/session/session.h"
#include "write/writer.h"

namespace varve::snmp::poller {

struct Device;

// Finds the line groups of a tenant, and what its counters are judged by.
class Finder final : public correlation::GroupFinder {
 public:
  Finder() = default;  // finds none
  // Both outlive it; `declared` may not be set.
  Finder(write::Writer& writer, const counter::Declared::Source& declared, std::string tenant)
      : writer_(&writer), declared_(&declared), tenant_(std::move(tenant)) {}

  model::GroupId find(const correlation::GroupName& name) override {
    if (writer_ == nullptr) return model::kNoGroup;
    const auto opened = writer_->open(tenant_, write::Family::snmp);
    const auto* const known = opened ? (*opened)->groups().find(name.tags, name.metrics) : nullptr;
    return known != nullptr ? known->id : model::kNoGroup;
  }
  [[nodiscard]] std::uint64_t generation() const override {
    return writer_ == nullptr ? 0 : writer_->group_generation();
  }
  std::optional<counter::Declaration> rules(std::string_view metric, const counter::TagOf& tag) override {
    if (declared_ == nullptr || !*declared_) return std::nullopt;
    return (*declared_)(tenant_, metric, tag);
  }

 private:
  write::Writer* writer_ = nullptr;
  const counter::Declared::Source* declared_ = nullptr;
  std::string tenant_ = {};
};

// One oidset of a device.
struct Job {
  Device* device = nullptr;
  std::shared_ptr<const walk::Plan> plan = {};
  correlation::Memory memory = {};
  std::uint32_t number = 0;     // in the schedule
  bool waits = false;           // its time has come
  model::Timestamp due_ms = 0;  // when that was
  Poll* running = nullptr;
  std::int64_t began_ns = 0;
  bool tells = true;                       // of rows that are left out: they have changed since that was told
  std::vector<std::string> left_out = {};  // of the last poll
};

// The small request that asks whether a silent device is there.
class Knock final : public session::Asker {
 public:
  std::function<void(const session::Answer&)> answered = {};
  bool is_under_way = false;

 private:
  void on_answer(const session::Answer& answer) override {
    is_under_way = false;
    answered(answer);
  }
};

struct Device {
  DeviceKey key = {};
  Member member = {};
  Finder finder = {};
  std::vector<std::unique_ptr<Job>> jobs = {};
  std::shared_ptr<const session::Secret> secret = {};
  std::optional<session::Peer> peer = {};
  std::uint64_t number = 0;  // no two devices have had the same
  bool is_name = false;      // its address is a name, to be resolved
  bool is_resolving = false;
  bool starts_anew = false;  // its session is closed before the next request
  std::unique_ptr<session::Session> session = {};
  schedule::Backoff backoff = {};
  Knock knock = {};
  model::Timestamp hurried_ms = model::kTimestampMin;  // when a trap has made its polls due, or will
  unsigned running = 0;                                // polls
  std::vector<Job*> queue = {};  // wait for one of these; no deque, whose empty one has half a KiB
  inventory::DeviceState state = inventory::DeviceState::unknown;
  Talk talk = {};
  std::size_t interfaces = 0;
  std::array<std::uint64_t, counter::kWhyUnknown.size()> unknown_increases = {};
  std::string last_error = {};
  model::GroupId up = model::kNoGroup;
  model::GroupId seconds = model::kNoGroup;
  std::uint64_t generation = 0;  // Finder::generation() when these were found
};

}  // namespace varve::snmp::poller
