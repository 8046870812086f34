// SPDX-License-Identifier: Apache-2.0
// Walks of kinds of devices as snmprec (testdata/recordings): what a poll of each brings, the first one as later ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "snmp/correlation/collector.h"
#include "snmp/inventory/history.h"
#include "snmp/inventory/inventory.h"
#include "snmp/walk/testing/fake_agent.h"
#include "snmp/walk/walk.h"

namespace varve::snmp::correlation {
namespace {

using session::Kind;
using walk::testing::FakeAgent;

std::string unhex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

// "OID|TYPE|VALUE" a line.
FakeAgent recording(const std::string& name) {
  static const std::map<std::string, Kind> kKinds{{"2", Kind::integer},    {"4", Kind::octets},   {"4x", Kind::octets},
                                                  {"65", Kind::counter32}, {"66", Kind::gauge32}, {"67", Kind::ticks},
                                                  {"70", Kind::counter64}};
  FakeAgent agent;
  std::ifstream in(std::string(VARVE_SOURCE_DIR "/testdata/recordings/") + name + ".snmprec");
  EXPECT_TRUE(in) << name;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find('|'), second = line.find('|', first + 1);
    walk::ArcVector oid;
    for (const char* at = line.data(); at < line.data() + first;) {
      walk::Arc arc = 0;
      at = std::from_chars(at, line.data() + first, arc).ptr + 1;
      oid.push_back(arc);
    }
    const std::string type = line.substr(first + 1, second - first - 1), value = line.substr(second + 1);
    walk::testing::FakeValue to{.kind = kKinds.at(type)};
    if (to.kind == Kind::octets) {
      to.octets = type == "4x" ? unhex(value) : value;
    } else {
      to.number = std::stoull(value);
    }
    agent.set(std::move(oid), std::move(to));
  }
  return agent;
}

class NoGroups final : public GroupFinder {
 public:
  model::GroupId find(const GroupName&) override { return model::kNoGroup; }
};

class RecordedDevice : public ::testing::Test {
 protected:
  // "Gi0/0 ifHCInOctets=5000000000", sorted; without sysUpTime.
  std::vector<std::string> poll(const std::string& name, const std::string& oidset = "FastPollHC") {
    const auto* const set = inventory::find_oidset(inventory::built_in(), oidset);
    plan_ = walk::make_plan(*set, *inventory::find_correlator(inventory::built_in(), set->correlator));
    FakeAgent agent = recording(name);
    collector_.begin(*plan_, "d", memory_, groups_, found_);
    walk::Walk walk(*plan_, memory_.fit, session::Version::v2c, collector_);
    walk::Scratch scratch;
    model::Timestamp at = 1'700'000'000'000;
    while (walk.next(scratch)) walk.take(agent.answer(scratch.request, at += 10));
    fault_ = walk.fault_text();
    collector_.end(!walk.is_broken());
    std::vector<std::string> out;
    found_.records.for_each([&](const RecordView& record) {
      const auto metrics = texts_of(record.metrics);
      std::string interface;
      for (const auto& tag : tags_of(record.tags)) {
        if (tag.key == "interface") interface = tag.value;
      }
      for (std::size_t i = 0; i < metrics.size() && !interface.empty(); ++i) {
        const std::string metric(metrics[i].substr(5));  // behind "snmp."
        if (metric != "ifCounterDiscontinuityTime") {
          out.push_back(interface + " " + metric + "=" + std::to_string(record.values[i]));
        }
      }
    });
    std::ranges::sort(out);
    return out;
  }

  // The speeds that the history knows: "Gi0/0 1000000000".
  std::vector<std::string> speeds(const std::string& name) {
    memory_ = {};
    poll(name, "IfRefPoll");
    std::vector<std::string> out;
    for (const auto& row : inventory::history_rows(plan_->oidset, found_.history)) {
      out.push_back(row.name + " " + std::to_string(inventory::bits_per_second(row)));
    }
    std::ranges::sort(out);
    memory_ = {};
    return out;
  }

  std::shared_ptr<const walk::Plan> plan_;
  Memory memory_;
  NoGroups groups_;
  Collector collector_;
  Found found_;
  std::string fault_;
};

using Lines = std::vector<std::string>;

TEST_F(RecordedDevice, EveryPollBringsWhatIsThere) {
  const std::map<std::string, Lines> devices{
      {"without-64-bits", {"0 ifInOctets=1000", "0 ifOutOctets=2000", "1 ifInOctets=3000", "1 ifOutOctets=4000"}},
      {"mixed",
       {"Gi0/0 ifHCInOctets=5000000000", "Gi0/0 ifHCOutOctets=6000000000", "Se0/0/0:0 ifInOctets=70",
        "Se0/0/0:0 ifOutOctets=71"}},
      {"same-names", {"uplink ifHCInOctets=5", "uplink ifHCOutOctets=6"}},
      {"no-names", {"eth1 ifHCInOctets=3", "eth1 ifHCOutOctets=4"}},
      {"gauges", {"eth1 ifInOctets=5", "eth1 ifOutOctets=6", "eth2 ifHCInOctets=7", "eth2 ifHCOutOctets=8"}},
  };
  for (const auto& [name, lines] : devices) {
    memory_ = {};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(poll(name), lines) << name << " " << i;
  }
}

TEST_F(RecordedDevice, NamesAreTexts) {
  for (const std::string& line : poll("nul")) {
    EXPECT_TRUE(line.starts_with("eth0 ") || line.starts_with("eth1 ")) << line;
  }
  EXPECT_EQ(poll("nul").size(), 4U);
  memory_ = {};
  const Lines lines = poll("latin1");
  EXPECT_EQ(lines.size(), 4U);
  for (const std::string& line : lines) EXPECT_NE(line.find("\xEF\xBF\xBD"), std::string::npos) << line;
}

TEST_F(RecordedDevice, WhatIsLeftOutIsTold) {
  poll("same-names");
  EXPECT_EQ(found_.doubled, 2U);
  EXPECT_EQ(found_.doubled_name, "port");
  memory_ = {};
  poll("no-names");
  EXPECT_EQ(found_.unnamed, 2U);
  memory_ = {};
  poll("gauges");
  EXPECT_EQ(fault_, "wrong type: ifHCInOctets");
}

TEST_F(RecordedDevice, SpeedsAreThoseOfTheLines) {
  EXPECT_EQ(speeds("tunnels"), (Lines{"Et0/0 10000000", "Lo0 8000000000", "Tu7 9000", "Vl10 0"}));
  EXPECT_EQ(speeds("t1"), (Lines{"et-0/0/0 100000000000", "t1-0/0 1544000", "t1-0/1 1344000"}));
  EXPECT_EQ(speeds("mixed"), (Lines{"Gi0/0 1000000000", "Nu0 10000000000", "Se0/0/0:0 1544000"}));
  EXPECT_EQ(speeds("without-64-bits"), (Lines{"0 8000000000", "1 8000000000"}));
}

TEST_F(RecordedDevice, ARenumberedOneKeepsItsNames) {
  EXPECT_EQ(poll("renumbered-before"), (Lines{"ge-0/0/0 ifHCInOctets=100", "ge-0/0/0 ifHCOutOctets=101",
                                              "ge-0/0/1 ifHCInOctets=200", "ge-0/0/1 ifHCOutOctets=201"}));
  EXPECT_EQ(poll("renumbered-after"),
            (Lines{"ge-0/0/0 ifHCInOctets=110", "ge-0/0/0 ifHCOutOctets=111", "ge-0/0/1 ifHCInOctets=210",
                   "ge-0/0/1 ifHCOutOctets=211", "ge-1/0/0 ifHCInOctets=5", "ge-1/0/0 ifHCOutOctets=6"}));
}

}  // namespace
}  // namespace varve::snmp::correlation
