// SPDX-License-Identifier: Apache-2.0
// Runs a walk against a FakeAgent and notes what it finds, as texts.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "snmp/inventory/inventory.h"
#include "snmp/walk/testing/fake_agent.h"
#include "snmp/walk/walk.h"

namespace varve::snmp::walk::testing {

inline const ArcVector kIfName{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1};
inline const ArcVector kIn{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6};
inline const ArcVector kOut{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10};
inline const ArcVector kDiscontinuities{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 19};
inline const ArcVector kIn32{1, 3, 6, 1, 2, 1, 2, 2, 1, 10};
inline const ArcVector kUptimeOid{1, 3, 6, 1, 2, 1, 1, 3, 0};

inline ArcVector at(ArcVector oid, std::initializer_list<Arc> index) {
  oid.insert(oid.end(), index);
  return oid;
}

// What a walk found, as texts: "1: xe-1 ifHCInOctets=100".
class Notes final : public Sink {
 public:
  explicit Notes(const Plan& plan) : plan_(plan) {}
  void on_uptime(std::uint32_t ticks, model::Timestamp) override { uptimes.push_back(ticks); }
  void on_scalar(std::uint16_t measure, const session::Binding& value, model::Timestamp) override {
    scalars.push_back(plan_.measures[measure].name + "=" + std::to_string(value.number));
  }
  void on_row(const Row& row) override {
    std::string text;
    for (const Arc arc : row.index) text += (text.empty() ? "" : ".") + std::to_string(arc);
    text += ":";
    for (const auto* const cell : row.names) text += " " + (cell == nullptr ? "-" : std::string(cell->octets));
    const auto& columns = plan_.passes[row.pass].columns;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      if (row.values[i] == nullptr) continue;
      text +=
          " " + plan_.measures[columns[row.first_value + i].place].name + "=" + std::to_string(row.values[i]->number);
    }
    rows.push_back(text);
    times.push_back(row.at);
  }
  void on_whole_pass(std::size_t) override { ++whole; }

  std::vector<std::uint32_t> uptimes;
  std::vector<std::string> scalars, rows;
  std::vector<model::Timestamp> times;
  int whole = 0;

 private:
  const Plan& plan_;
};

inline std::shared_ptr<const Plan> plan_of(std::string_view oidset) {
  const auto& all = inventory::built_in();
  const auto* const set = inventory::find_oidset(all, oidset);
  return make_plan(*set, *inventory::find_correlator(all, set->correlator));
}

inline FakeAgent interfaces(Arc count) {
  FakeAgent agent;
  agent.set(kUptimeOid, {Kind::ticks, 4711});
  for (Arc i = 1; i <= count; ++i) {
    agent.set(at(kIfName, {i}), {Kind::octets, 0, "xe-" + std::to_string(i)});
    agent.set(at(kIn, {i}), {Kind::counter64, i * 100});
    agent.set(at(kOut, {i}), {Kind::counter64, i * 100 + 1});
    agent.set(at(kDiscontinuities, {i}), {Kind::ticks, 0});
  }
  return agent;
}

inline std::string interface_row(Arc i) {
  const std::string n = std::to_string(i);
  return n + ": xe-" + n + " ifCounterDiscontinuityTime=0 ifHCInOctets=" + std::to_string(i * 100) +
         " ifHCOutOctets=" + std::to_string(i * 100 + 1);
}

struct Walked {
  Notes notes;
  Fault fault = Fault::none;
  std::string text = {};
  bool broken = false;
  int requests = 0;
};

// Runs a walk to its end; each answer is received a second after the one before.
inline Walked run(const Plan& plan, Fit& fit, FakeAgent& agent, session::Version version = session::Version::v2c,
                  const std::function<session::Answer(const session::Request&, session::Answer)>& spoil = {}) {
  Walked out{Notes(plan)};
  Scratch scratch;
  Walk walk(plan, fit, version, out.notes);
  model::Timestamp now = 0;
  while (walk.next(scratch)) {
    if (++out.requests > 100'000) {
      ADD_FAILURE() << "the walk does not end";
      break;
    }
    session::Answer answer = agent.answer(scratch.request, now += 1000);
    if (spoil) answer = spoil(scratch.request, answer);
    walk.take(answer);
  }
  out.fault = walk.fault();
  out.text = walk.fault_text();
  out.broken = walk.is_broken();
  return out;
}

}  // namespace varve::snmp::walk::testing
