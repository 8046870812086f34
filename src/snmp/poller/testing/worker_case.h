// SPDX-License-Identifier: Apache-2.0
// WorkerTest: a worker over agents of FakeLoop, in a time of its own, that stores into fake stores.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "snmp/poller/testing/fake_loop.h"
#include "snmp/poller/worker.h"
#include "write/testing/fake_stores.h"

namespace varve::snmp::poller::testing {

inline constexpr std::int64_t kSecond = 1000;

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest()
      : writer_(series_, samples_, {.clock = &clock_}),
        loop_(clock_, options().timeout_ms),
        pool_(1),
        outbox_(std::make_unique<Outbox>(writer_, OutboxOptions{}, dropped_)),
        worker_(std::make_unique<Worker>(
            options(),
            WorkerParts{writer_, clock_, metrics_, pool_, names_, *outbox_,
                        [this](const std::string&, const std::string& device, inventory::DeviceStatus status) {
                          statuses_[device] = status;
                        },
                        [this](const std::string&, const std::string& device) { statuses_.erase(device); },
                        [](auto&&...) {},
                        [this](const std::string& tenant, const std::string& device, const session::Peer&,
                               const session::TrapMessage& trap, const TrapDone& done) {
                          taken_.push_back(tenant + "/" + device + "/" + std::to_string(trap.values.size()));
                          takes_ ? stored_.push_back(done) : done(false);
                        },
                        [this](auto, auto metric, const counter::TagOf& tag) {
                          judged_.push_back(std::string(metric) + " " + std::string(tag("interface")));
                          return std::optional<counter::Declaration>();
                        }},
            loop_)) {
    worker_->set_credentials({{"default", everybodys("public")}});
  }
  ~WorkerTest() override { worker_.reset(); }

  static inventory::Credential everybodys(const std::string& community) {
    return {.community = community, .tenants = {"*"}};
  }

  static PollerOptions options() { return {.timeout_ms = 500, .retries = 2, .backoff_max_ms = 8000}; }

  void add(const std::string& name, std::uint16_t port, std::int64_t frequency_ms, int interfaces = 3) {
    auto& values = loop_.agent(port).agent;
    values.set({1, 3, 6, 1, 2, 1, 1, 3, 0}, {session::Kind::ticks, 100});
    for (int i = 1; i <= interfaces; ++i) {
      const auto index = static_cast<walk::Arc>(i);
      values.set({1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1, index}, {session::Kind::octets, 0, "e" + std::to_string(i)});
      values.set({1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6, index}, {session::Kind::counter64, 5});
      values.set({1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10, index}, {session::Kind::counter64, 6});
    }
    members_[{"default", name}] = Member{{"127.0.0.1", port}, "default", {plan(frequency_ms)}};
    worker_->set_members(members_);
  }

  static std::shared_ptr<const walk::Plan> plan(std::int64_t frequency_ms) {
    inventory::Oidset set = *inventory::find_oidset(inventory::built_in(), "FastPollHC");
    set.frequency_ms = frequency_ms;
    return walk::make_plan(set, *inventory::find_correlator(inventory::built_in(), "ifName"));
  }

  void run(std::int64_t time_ms) {
    const std::int64_t until = clock_.now_ms() + time_ms;
    while (clock_.now_ms() < until) worker_->turn();
  }

  void store_all() const {
    while (outbox_->bytes() > 0) std::this_thread::yield();
  }
  void forget_names() {
    clock_.advance_ms(60 * kSecond);
    writer_.forget_unused();
  }

  double count(const std::string& result, const std::string& metric = "varve_snmp_polls_total") {
    for (const auto& sample : metrics_.samples()) {
      if (sample.name == metric && sample.labels[0].second == result) return sample.value;
    }
    return -1;
  }
  double traps(const std::string& result) { return count(result, "varve_snmp_traps_total"); }

  ManualClock clock_;
  Metrics metrics_;
  Counter dropped_;
  write::testing::FakeSeriesStore series_;
  write::testing::FakeSampleStore samples_;
  write::Writer writer_;
  FakeLoop loop_;
  TaskPool pool_;
  Resolver names_;
  std::unique_ptr<Outbox> outbox_;
  std::map<std::string, inventory::DeviceStatus> statuses_;
  std::vector<std::string> taken_;  // traps
  bool takes_ = true;
  std::vector<TrapDone> stored_;     // to be called when they are
  std::vector<std::string> judged_;  // counters that fell
  Members members_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace varve::snmp::poller::testing
