// SPDX-License-Identifier: Apache-2.0
#include "snmp/walk/walk.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "snmp/inventory/inventory.h"
#include "snmp/walk/testing/walked.h"

namespace varve::snmp::walk {
namespace {

using session::Answer;
using session::Outcome;
using session::Version;
using testing::at;
using testing::FakeAgent;
using testing::interface_row;
using testing::interfaces;
using testing::kDiscontinuities;
using testing::kIfName;
using testing::kIn;
using testing::kIn32;
using testing::Kind;
using testing::kOut;
using testing::kUptimeOid;
using testing::plan_of;
using testing::run;
using testing::Walked;

TEST(WalkTest, ColumnsComeSideBySideWithTheirNamesAndTheUptime) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(30);
  const Walked walked = run(*plan, fit, agent);
  EXPECT_EQ(walked.text, "");
  ASSERT_EQ(walked.notes.rows.size(), 30U);
  for (Arc i = 1; i <= 30; ++i) EXPECT_EQ(walked.notes.rows[i - 1], interface_row(i));
  EXPECT_EQ(walked.notes.uptimes, std::vector<std::uint32_t>{4711});
  EXPECT_EQ(walked.notes.whole, 1);
  EXPECT_EQ(walked.notes.times.front(), 1000);
  EXPECT_GT(walked.notes.times.back(), 1000);
}

TEST(WalkTest, RequestsAreSizedToWhatTheAgentAnswers) {
  const auto plan = plan_of("FastPollHC");
  for (const std::size_t limit : {3, 4, 5, 7, 13, 40, 49, 1000}) {
    Fit fit;
    FakeAgent agent = interfaces(48);
    agent.bindings_max = limit;
    run(*plan, fit, agent);  // stand-ins were asked, too
    const Walked first = run(*plan, fit, agent);
    // Not even one row fits into three bindings: its values are asked in two parts.
    EXPECT_EQ(first.text, "") << limit;
    EXPECT_EQ(first.notes.rows.size(), limit == 3 ? 96U : 48U) << limit;
    const Walked second = run(*plan, fit, agent);
    EXPECT_EQ(second.notes.rows, first.notes.rows) << limit;
    EXPECT_LE(second.requests, first.requests) << limit;
    // Hardly more than full answers.
    if (limit >= 13 && limit < 100) {
      EXPECT_LE(second.requests, static_cast<int>(49 / ((limit - 1) / 4) + 2)) << limit;
    }
  }
}

TEST(WalkTest, TooBigHalvesTheRowsAndIsRemembered) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(48);
  agent.too_big_above = 10;
  const Walked first = run(*plan, fit, agent);
  EXPECT_EQ(first.text, "");
  EXPECT_EQ(first.notes.rows.size(), 48U);
  EXPECT_LE(fit.passes[0].repetitions, 2);
  const Walked second = run(*plan, fit, agent);
  EXPECT_EQ(second.notes.rows, first.notes.rows);
  EXPECT_LT(second.requests, first.requests);
}

TEST(WalkTest, ARowThatFitsNowhereIsAFault) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(3);
  agent.too_big_above = 1;
  const Walked walked = run(*plan, fit, agent);
  EXPECT_EQ(walked.fault, Fault::too_big);
  EXPECT_TRUE(walked.notes.rows.empty());
}

TEST(WalkTest, SparseColumnsMeetAtTheirRows) {
  const auto plan = plan_of("FastPollHC");
  for (const std::size_t limit : {7, 9, 12, 21, 1000}) {
    Fit fit;
    FakeAgent agent = interfaces(40);
    agent.bindings_max = limit;
    for (Arc i = 1; i <= 40; ++i) {
      if (i % 7 != 0) agent.values.erase(at(kIn, {i}));
      if (i % 3 == 0) agent.values.erase(at(kDiscontinuities, {i}));
    }
    const Walked walked = run(*plan, fit, agent);
    EXPECT_EQ(walked.text, "");
    ASSERT_EQ(walked.notes.rows.size(), 40U) << limit;
    for (Arc i = 1; i <= 40; ++i) {
      std::string expected = interface_row(i);
      const auto cut = [&](const std::string& part) { expected.erase(expected.find(part), part.size()); };
      if (i % 7 != 0) cut(" ifHCInOctets=" + std::to_string(i * 100));
      if (i % 3 == 0) cut(" ifCounterDiscontinuityTime=0");
      EXPECT_EQ(walked.notes.rows[i - 1], expected) << limit;
    }
  }
}

// Between any two answers the agent gives all rows other numbers: each value that is found stands beside its own name.
TEST(WalkTest, AValueNeverStandsBesideAnotherRowsName) {
  const auto plan = plan_of("FastPollHC");
  for (const std::size_t limit : {6, 10, 15, 23, 37}) {
    Fit fit;
    FakeAgent agent = interfaces(24);
    agent.bindings_max = limit;
    Arc shift = 0;
    agent.before = [&shift](FakeAgent& of) {
      ++shift;
      of.values.clear();
      of.set(kUptimeOid, {Kind::ticks, 1});
      for (Arc i = 1; i <= 24; ++i) {
        const Arc who = (i + shift * 5) % 24;
        of.set(at(kIfName, {i}), {Kind::octets, 0, "xe-" + std::to_string(who)});
        if (who % 3 != 0) of.set(at(kIn, {i}), {Kind::counter64, who});
        of.set(at(kOut, {i}), {Kind::counter64, who});
      }
    };
    const Walked walked = run(*plan, fit, agent);
    EXPECT_EQ(walked.text, "");
    ASSERT_GT(walked.requests, 1);
    for (const std::string& row : walked.notes.rows) {
      const auto name = row.substr(row.find("xe-") + 3, row.find(' ', row.find("xe-")) - row.find("xe-") - 3);
      std::size_t values = 0;
      for (std::size_t from = row.find('='); from != std::string::npos; from = row.find('=', from + 1), ++values) {
        EXPECT_EQ(row.substr(from + 1, name.size() + 1).substr(0, row.find(' ', from) - from - 1), name) << row;
      }
      EXPECT_GT(values, 0U);
    }
  }
}

TEST(WalkTest, AgentsThatDoNotGetOnAreLeft) {
  const auto plan = plan_of("FastPollHC");
  const ArcVector stuck = at(kIfName, {1}), before{1, 3, 6, 1, 2, 1, 1, 1, 0};
  for (const ArcVector& name : {stuck, before}) {
    Fit fit;
    FakeAgent agent = interfaces(3);
    std::vector<session::Binding> bindings;
    const auto spoil = [&](const session::Request& request, Answer answer) {
      if (agent.requests == 1) return answer;
      bindings.clear();
      const std::size_t count = request.non_repeaters + request.names.size() * request.repetitions;
      for (std::size_t i = 0; i < count; ++i) bindings.push_back({.name = name, .kind = Kind::octets});
      answer.bindings = bindings;
      return answer;
    };
    agent.bindings_max = 9;
    const Walked walked = run(*plan, fit, agent, Version::v2c, spoil);
    EXPECT_EQ(walked.fault, Fault::not_increasing);
    EXPECT_EQ(walked.text, "oid not increasing: ifName");
    EXPECT_EQ(walked.notes.rows.size(), 1U);  // what was right before
  }
}

TEST(WalkTest, AWalkWithoutEndIsLeft) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent;
  Arc next = 0;
  std::vector<ArcVector> names;
  std::vector<session::Binding> bindings;
  const auto spoil = [&](const session::Request& request, Answer answer) {
    names.clear();
    bindings.clear();
    for (unsigned i = 0; i < request.non_repeaters; ++i) names.push_back(kUptimeOid);
    for (unsigned r = 0; r < request.repetitions; ++r) {
      ++next;
      for (std::size_t i = request.non_repeaters; i < request.names.size(); ++i) {
        ArcVector name(request.names[i].begin(), request.names[i].begin() + 11);
        name.push_back(next);
        names.push_back(name);
      }
    }
    for (const ArcVector& name : names) bindings.push_back({.name = name, .kind = Kind::counter64});
    answer.error_status = 0;
    answer.bindings = bindings;
    return answer;
  };
  const Walked walked = run(*plan, fit, agent, Version::v2c, spoil);
  EXPECT_EQ(walked.fault, Fault::endless);
  EXPECT_LE(walked.notes.rows.size(), kRowsMax + 100);
}

TEST(WalkTest, BadAnswersEndTheWalkByName) {
  const auto plan = plan_of("FastPollHC");
  const struct {
    Answer answer;
    Fault fault;
  } cases[] = {
      {{.outcome = Outcome::timed_out}, Fault::timeout},
      {{.outcome = Outcome::not_sent}, Fault::not_sent},
      {{.outcome = Outcome::bad_community}, Fault::bad_community},
      {{.outcome = Outcome::refused, .why = "unknown user"}, Fault::refused},
      {{.outcome = Outcome::malformed}, Fault::malformed},
      {{.outcome = Outcome::answered}, Fault::empty},
      {{.outcome = Outcome::answered, .error_status = 5}, Fault::error_status},
  };
  for (const auto& c : cases) {
    Fit fit;
    FakeAgent agent = interfaces(20);
    agent.bindings_max = 13;
    const Walked walked = run(*plan, fit, agent, Version::v2c, [&](const session::Request&, const Answer& answer) {
      return agent.requests >= 3 ? c.answer : answer;
    });
    EXPECT_EQ(walked.fault, c.fault);
    EXPECT_TRUE(walked.broken);
    EXPECT_GT(walked.notes.rows.size(), 0U);
    EXPECT_LT(walked.notes.rows.size(), 20U);
    EXPECT_FALSE(walked.text.empty());
  }
}

TEST(WalkTest, MoreBindingsThanWereAskedAreNoAnswer) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(20);
  std::vector<session::Binding> many;
  const Walked walked = run(*plan, fit, agent, Version::v2c, [&](const session::Request&, Answer answer) {
    many.assign(answer.bindings.begin(), answer.bindings.end());
    many.resize(2000, many.back());
    answer.bindings = many;
    return answer;
  });
  EXPECT_EQ(walked.fault, Fault::malformed);
  EXPECT_TRUE(walked.notes.rows.empty());
}

TEST(WalkTest, AValueOfAnotherTypeIsLeftOutAndNamed) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(3);
  agent.set(at(kIn, {2}), {Kind::counter32, 7});
  const Walked walked = run(*plan, fit, agent);
  EXPECT_EQ(walked.fault, Fault::wrong_type);
  EXPECT_EQ(walked.text, "wrong type: ifHCInOctets");
  EXPECT_FALSE(walked.broken);
  ASSERT_EQ(walked.notes.rows.size(), 3U);
  EXPECT_EQ(walked.notes.rows[1], "2: xe-2 ifCounterDiscontinuityTime=0 ifHCOutOctets=201");
}

TEST(WalkTest, ARowWithoutA64BitCounterHasItsStandIn) {
  const auto plan = plan_of("FastPollHC");
  for (const std::size_t limit : {4, 7, 1000}) {
    Fit fit;
    FakeAgent agent = interfaces(3);
    agent.bindings_max = limit;
    for (Arc i = 1; i <= 3; ++i) agent.set(at(kIn32, {i}), {Kind::counter32, i});
    agent.values.erase(at(kIn, {2}));
    agent.values.erase(at(kIn, {3}));
    agent.values.erase(at(kIn32, {3}));
    for (int i = 0; i < 3; ++i) {
      const Walked walked = run(*plan, fit, agent);
      EXPECT_EQ(walked.text, "");
      std::string all;
      for (const std::string& row : walked.notes.rows) all += row + ";";
      if (limit == 1000) {
        EXPECT_EQ(all,
                  "1: xe-1 ifCounterDiscontinuityTime=0 ifHCInOctets=100 ifHCOutOctets=101;"
                  "2: xe-2 ifCounterDiscontinuityTime=0 ifInOctets=2 ifHCOutOctets=201;"
                  "3: xe-3 ifCounterDiscontinuityTime=0 ifHCOutOctets=301;");
      }
      for (const char* const value : {"ifHCInOctets=100", "ifInOctets=2", "ifHCOutOctets=301"}) {
        EXPECT_NE((all + " ").find(value), std::string::npos) << all << limit;
      }
      EXPECT_EQ(all.find(" ifInOctets=1"), std::string::npos) << all << limit;
    }
  }
}

TEST(WalkTest, StandInsAreAskedUntilEveryRowHasTheValueItself) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(2);
  for (Arc i = 1; i <= 2; ++i) agent.set(at(kIn32, {i}), {Kind::counter32, i});
  std::vector<std::size_t> columns;
  const auto note = [&](const session::Request& request, const Answer& answer) {
    columns.push_back(request.names.size());
    return answer;
  };
  run(*plan, fit, agent, Version::v2c, note);
  run(*plan, fit, agent, Version::v2c, note);
  EXPECT_EQ(columns, (std::vector<std::size_t>{7, 5})) << "with sysUpTime";
  agent.values.erase(at(kIn, {2}));
  run(*plan, fit, agent);
  EXPECT_EQ(run(*plan, fit, agent).notes.rows[1],
            "2: xe-2 ifCounterDiscontinuityTime=0 ifInOctets=2 ifHCOutOctets=201");
}

TEST(WalkTest, WhereLargeAnswersAreLostSmallerOnesAreAsked) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(300);
  int lost = 0;
  const auto drop = [&](const session::Request&, Answer answer) {
    if (agent.last_size <= 30) return answer;
    ++lost;
    return Answer{.outcome = Outcome::timed_out};
  };
  // The first request is too large already. Whether the agent is there nobody knows, so it fails twice.
  EXPECT_EQ(run(*plan, fit, agent, Version::v2c, drop).fault, Fault::timeout);
  EXPECT_EQ(run(*plan, fit, agent, Version::v2c, drop).fault, Fault::timeout);
  for (int i = 0; i < 3; ++i) {
    const Walked walked = run(*plan, fit, agent, Version::v2c, drop);
    EXPECT_EQ(walked.text, "");
    EXPECT_EQ(walked.notes.rows.size(), 300U);
  }
  EXPECT_LE(lost, 4) << "once it is known nothing is lost, until it is tried again after a while";
}

TEST(WalkTest, AnAgentThatFallsSilentIsNotAskedForLess) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(100);
  for (int i = 0; i < 3; ++i) run(*plan, fit, agent);
  const auto repetitions = fit.passes[0].repetitions;
  bool is_there = false;
  const auto silent = [&](const session::Request&, Answer answer) {
    return is_there ? answer : Answer{.outcome = Outcome::timed_out};
  };
  for (int i = 0; i < 4; ++i) {
    is_there = false;
    const Walked walked = run(*plan, fit, agent, Version::v2c, silent);
    EXPECT_EQ(walked.fault, Fault::timeout);
    EXPECT_EQ(walked.requests, 1);
    is_there = true;
    EXPECT_EQ(run(*plan, fit, agent, Version::v2c, silent).text, "");
  }
  EXPECT_EQ(fit.passes[0].repetitions, repetitions);
}

TEST(WalkTest, NoMoreIsAskedThanFitsIntoADatagram) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(300);
  for (Arc i = 1; i <= 300; ++i)
    agent.set(at(kIfName, {i}), {Kind::octets, 0, std::string(90, 'x') + std::to_string(i)});
  std::size_t most = 0;
  for (int i = 0; i < 3; ++i) {
    run(*plan, fit, agent, Version::v2c, [&](const session::Request&, const Answer& answer) {
      most = std::max(most, agent.last_size);
      return answer;
    });
  }
  // A row of four has 93 bytes of a name, three numbers, and four names of objects.
  EXPECT_GE(most, 4 * 6U);
  EXPECT_LE(most, 50U) << "as at first";
}

TEST(WalkTest, ARowThatSaysThatItLacksAValueEndsNoColumn) {
  const auto plan = plan_of("FastPollHC");
  Fit fit;
  FakeAgent agent = interfaces(12);
  agent.set(at(kIn, {4}), {Kind::no_instance});
  agent.set(at(kIfName, {7}), {Kind::no_object});
  const Walked walked = run(*plan, fit, agent);
  EXPECT_EQ(walked.text, "");
  ASSERT_EQ(walked.notes.rows.size(), 12U);
  EXPECT_EQ(walked.notes.rows[3], "4: xe-4 ifCounterDiscontinuityTime=0 ifHCOutOctets=401");
  EXPECT_EQ(walked.notes.rows[6], "7: - ifCounterDiscontinuityTime=0 ifHCInOctets=700 ifHCOutOctets=701");
  for (const Arc i : {5, 6, 8, 12}) EXPECT_EQ(walked.notes.rows[i - 1], interface_row(i));
}

TEST(WalkTest, AVersion1AgentIsAskedRowByRow) {
  const auto plan = plan_of("FastPoll");
  Fit fit;
  FakeAgent agent;
  agent.is_v1 = true;
  agent.set(kUptimeOid, {Kind::ticks, 5});
  const ArcVector out32{1, 3, 6, 1, 2, 1, 2, 2, 1, 16};
  for (Arc i = 1; i <= 3; ++i) {
    agent.set(at(kIn32, {i}), {Kind::counter32, i});
    agent.set(at(out32, {i}), {Kind::counter32, i});
    agent.set(at(kIfName, {i}), {Kind::octets, 0, "e" + std::to_string(i)});  // the last of its tree: noSuchName
  }
  const Walked walked = run(*plan, fit, agent, Version::v1);
  EXPECT_EQ(walked.text, "");
  EXPECT_EQ(walked.notes.uptimes, std::vector<std::uint32_t>{5});
  ASSERT_EQ(walked.notes.rows.size(), 3U);
  EXPECT_EQ(walked.notes.rows[2], "3: e3 - ifInOctets=3 ifOutOctets=3");
}

TEST(WalkTest, WideSetsAreAskedInParts) {
  inventory::Oidset set{.name = "wide", .frequency_ms = 1000, .correlator = "index"};
  FakeAgent agent;
  for (std::uint32_t i = 1; i <= 150; ++i) {
    set.objects.push_back({.name = "c" + std::to_string(i), .oid = {1, 3, 6, 1, 4, 1, 9, 1, i}});
    for (Arc row = 1; row <= 4; ++row) agent.set({1, 3, 6, 1, 4, 1, 9, 1, i, row}, {Kind::counter64, i * row});
  }
  const auto plan = make_plan(set, *inventory::find_correlator(inventory::built_in(), "index"));
  Fit fit;
  agent.bindings_max = 100;
  const Walked walked = run(*plan, fit, agent);
  EXPECT_EQ(walked.text, "");
  EXPECT_EQ(walked.notes.rows.size(), 12U);
  EXPECT_NE(walked.notes.rows.back().find("c150=600"), std::string::npos);
}

TEST(WalkTest, NamesOfOtherIndexesAreWalkedBeforeAndAgainBehind) {
  const auto plan = plan_of("JnxCOS");
  ASSERT_EQ(plan->passes.size(), 3U);
  EXPECT_EQ(plan->passes[0].kind, PassKind::look_up);
  EXPECT_EQ(plan->passes[1].kind, PassKind::table);
  EXPECT_EQ(plan->passes[1].names, 0U);
  EXPECT_EQ(plan->passes[2].kind, PassKind::look_up_again);
}

TEST(WalkTest, TablesOfAnotherLayoutAreAskedWithTheirOwnNames) {
  const auto plan = plan_of("SentryPoll");
  ASSERT_EQ(plan->passes.size(), 2U);
  for (const Pass& pass : plan->passes) EXPECT_EQ(pass.names, 1U);
  EXPECT_NE(plan->passes[0].columns[0].oid, plan->passes[1].columns[0].oid);
}

}  // namespace
}  // namespace varve::snmp::walk
