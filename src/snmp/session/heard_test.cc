// SPDX-License-Identifier: Apache-2.0
// Informs of v3 as Net-SNMP's snmpinform sent them, to an engine in its first second; what is answered is read by what
// asks agents.
#include "snmp/session/heard.h"

#include <gtest/gtest.h>

#include "snmp/session/ber_reader.h"
#include "snmp/session/engine_report.h"
#include "snmp/session/testing/bytes.h"
#include "snmp/session/trap_pdu.h"
#include "snmp/session/v3_keys.h"

namespace varve::snmp::session {
namespace {

using testing::bytes;

const std::string kEngineId = bytes("80001f88050102030405060708090a0b0c");
constexpr const char* kProbe =
    "304f020103301102047185c3a8020300ffe30401040201030410300e04000201000201000400040004003025041180001f888087c15f73e825"
    "0d6b000000000400a00e020416c636190201000201003000";
// SHA and AES, linkUp
constexpr const char* kInformHidden =
    "3081a4020103301102043aa9a152020300ffe3040107020103043a3038041180001f88050102030405060708090a0b0c020100020100040576"
    "61727665040cb9269dcd24edd024740708ea0408fd95fb428853331d0450aa5df2e9dd9716bf6d6fdfe3baddca805704fc4c994533f5cab1f4"
    "675720580023157d81479febf047e6fb868bfe481ef72868ebe3e38d6316e5bf5362945b779f35fd24e964814588dfacd7af69a3e8";
// MD5 and DES
constexpr const char* kInformDes =
    "3081a40201033011020439eb3c44020300ffe3040107020103043a3038041180001f88050102030405060708090a0b0c020100020100040576"
    "61727665040c8b1149963cd2e13608b9279e040800000001dcd2ed500450795079c7450d976d55071337d2f248fdc5eb6898faa6158f0b3c17"
    "f05df17c194dba540fcc03d308372cc217dba95d89d5c4b99355e66673b4a4cc9979c6709bc9982834d4eaae8c26156f751c9b3581";
// SHA-256
constexpr const char* kInformSigned =
    "3081a60201033011020426eb447e020300ffe3040105020103043e303c041180001f88050102030405060708090a0b0c020100020100040576"
    "61727665041822b8a4fe5d836680804e256443c3ec726c2f2d7fea53e4df0400304e041180001f88804a2c651ae5250d6b000000000400a637"
    "02043cd344d90201000201003029300e06082b06010201010300430212673017060a2b06010603010104010006092b0601060301010504";
// SHA-512 and AES
constexpr const char* kInformLong =
    "3081c80201033011020414e25fad020300ffe3040107020103045e305c041180001f88050102030405060708090a0b0c020100020100040576"
    "6172766504301d6e197b585d23b16584ac07d0e251fc56a3aa5a2ebd17575245002c8f27c483c5e15684874d8b00c68a2e2f94f8aa0b040883"
    "b4c8de784355500450e40fdb47c3ba53300da1d43f816d6bfc42734912023ffbc7c2078d257e0be1f330724c89c696fa0fbc66bdf651b290af"
    "234c7caa5368d60ea17ee25763d8d57c8b17f05e6e8e2a88b3fbaa76ba530328";
constexpr const char* kInformOpen =
    "30818d020103301102045047ebc6020300ffe304010402010304253023041180001f88050102030405060708090a0b0c02010002010004046f"
    "70656e04000400304e041180001f8880309f9a19e7250d6b000000000400a63702045b170a1f0201000201003029300e06082b060102010103"
    "00430212673017060a2b06010603010104010006092b0601060301010504";

Secret secret_of(const std::string& user, Level level, const std::string& auth = "SHA",
                 const std::string& priv = "AES") {
  Credential credential;
  credential.version = Version::v3;
  credential.user = user;
  credential.level = level;
  credential.auth = auth;
  credential.auth_secret = "a secret to sign";
  credential.priv = priv;
  credential.priv_secret = "a secret to hide";
  return **make_secret(credential);
}

Secret varve(const std::string& auth = "SHA", const std::string& priv = "AES") {
  return secret_of("varve", Level::auth_priv, auth, priv);
}

class HeardTest : public ::testing::Test {
 protected:
  struct Outcome {
    std::optional<TrapMessage> trap;
    std::optional<Refusal> refusal;
    std::string report;
  };
  Outcome hear(std::string_view datagram, const std::vector<Secret>& secrets, bool knows = true) {
    Heard heard(datagram, knows ? &engine_ : nullptr);
    Outcome out;
    for (const Secret& secret : secrets) {
      if (auto trap = heard.read(secret)) out.trap = std::move(trap);
    }
    out.refusal = heard.refusal();
    if (!out.trap) out.report = heard.report();
    return out;
  }

  // The inside of an answer that this user can read.
  static std::string inside(const std::string& answer, const Secret& secret) {
    const auto message = read_v3_message(answer);
    if (!message) return "no message";
    if (message->level != Level::no_auth && !is_signed(answer, *message, secret)) return "not signed";
    if (message->level != Level::auth_priv) return std::string(message->scoped);
    return unhide(*message, secret).value_or("not hidden");
  }
  // "LEVEL WHY COUNT", by usmStats.
  static std::string report_text(const std::string& report, const Secret& secret) {
    const auto message = read_v3_message(report);
    if (!message) return "no message";
    const std::string scoped = inside(report, secret);
    const std::string name = bytes("2b060106030f0101");
    const std::size_t at = scoped.find(name);
    if (at == std::string::npos || message->engine != kEngineId || message->wants_report) return "no report";
    return std::to_string(static_cast<int>(message->level)) + " " + std::to_string(scoped[at + name.size()]) + " " +
           std::to_string(scoped.back());
  }

  ManualClock clock_;
  Engine engine_{kEngineId, 0, clock_};
};

TEST_F(HeardTest, AnInformIsAcknowledgedByTheSameInside) {
  const struct {
    const char* inform;
    Secret secret;
  } cases[] = {{kInformHidden, varve()},
               {kInformLong, varve("SHA-512")},
               {kInformSigned, secret_of("varve", Level::auth, "SHA-256")},
               {kInformOpen, secret_of("open", Level::no_auth)}};
  for (const auto& [hex, secret] : cases) {
    clock_.advance_ms(1000);
    const std::string inform = bytes(hex);
    const auto heard = hear(inform, {secret});
    ASSERT_TRUE(heard.trap) << hex;
    EXPECT_TRUE(heard.trap->is_inform);
    EXPECT_EQ(heard.trap->kind, Trap::link_up);
    const auto asked = read_v3_message(inform), answer = read_v3_message(heard.trap->answer);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->id, asked->id);
    EXPECT_EQ(answer->level, asked->level);
    EXPECT_FALSE(answer->wants_report);
    EXPECT_EQ(answer->engine, kEngineId);
    EXPECT_EQ(answer->time, engine_.time());
    std::string said = inside(inform, secret), told = inside(heard.trap->answer, secret);
    said[said.size() - pdu_of(said)->size()] = '\xa2';
    EXPECT_EQ(told, said);
  }
}

TEST_F(HeardTest, DesIsPadded) {
  const Secret secret = varve("MD5", "DES");
  if (!check_credential(secret.credential)) GTEST_SKIP() << "this libsnmp has no DES";
  const auto heard = hear(bytes(kInformDes), {secret});
  ASSERT_TRUE(heard.trap);
  EXPECT_TRUE(read_trap_pdu(*pdu_of(inside(bytes(kInformDes), secret)), Version::v3));
  const std::string told = inside(heard.trap->answer, secret);
  EXPECT_EQ(told.size() % 8, 0U);
  EXPECT_EQ(static_cast<unsigned char>(pdu_of(told)->front()), kResponseTag);
}

TEST_F(HeardTest, TwoAnswersAreNotHiddenAlike) {
  const std::string one = hear(bytes(kInformHidden), {varve()}).trap->answer;
  EXPECT_NE(one, hear(bytes(kInformHidden), {varve()}).trap->answer);
}

TEST_F(HeardTest, WhoDoesNotKnowTheEngineIsTold) {
  const auto heard = hear(bytes(kProbe), {varve()});
  EXPECT_FALSE(heard.trap);
  EXPECT_EQ(engine_of_report(heard.report, 0x7185c3a8), kEngineId);
  EXPECT_EQ(report_text(heard.report, varve()), "0 4 1");
  EXPECT_NE(heard.report.find(bytes("020416c63619")), std::string::npos) << "the request's number";
  EXPECT_EQ(report_text(hear(bytes(kProbe), {varve()}).report, varve()), "0 4 2");
  std::string another = bytes(kInformHidden);
  another[another.find(kEngineId) + 5] ^= 1;
  EXPECT_EQ(report_text(hear(another, {varve()}).report, varve()), "0 4 3");
}

TEST_F(HeardTest, WhoHasNoUserIsToldNothing) {
  Credential community;
  community.community = "public";
  EXPECT_EQ(hear(bytes(kProbe), {**make_secret(community)}).report, "");
  EXPECT_EQ(hear(bytes(kProbe), {}).report, "");
  EXPECT_EQ(hear(bytes(kProbe), {varve()}, false).report, "") << "we are no engine yet";
  EXPECT_FALSE(hear(bytes(kInformHidden), {varve()}, false).trap);
}

TEST_F(HeardTest, AMessageOutOfTheTimeWindowIsRefusedAndItsSenderToldTheTime) {
  clock_.advance_ms(150'999);
  EXPECT_TRUE(hear(bytes(kInformHidden), {varve()}).trap);
  clock_.advance_ms(1);
  const auto heard = hear(bytes(kInformHidden), {varve()});
  EXPECT_FALSE(heard.trap);
  EXPECT_EQ(heard.refusal, Refusal::not_in_time_window);
  EXPECT_EQ(report_text(heard.report, varve()), "1 2 1") << "signed, not hidden";
  const auto report = read_v3_message(heard.report);
  EXPECT_EQ(report->time, 151U);
  EXPECT_EQ(report->user, "varve");
  EXPECT_EQ(report->signature.size(), 12U);
  // What nobody has signed has no time.
  EXPECT_TRUE(hear(bytes(kInformOpen), {secret_of("open", Level::no_auth)}).trap);
}

TEST_F(HeardTest, AMessageOfAnotherStartIsRefused) {
  Engine later(kEngineId, 1, clock_);
  const std::string inform = bytes(kInformHidden);
  Heard heard(inform, &later);
  EXPECT_FALSE(heard.read(varve()));
}

TEST_F(HeardTest, TheSenderIsToldWhatIsWrong) {
  const std::string inform = bytes(kInformHidden);
  EXPECT_EQ(report_text(hear(inform, {secret_of("other", Level::auth_priv)}).report, varve()), "0 3 1");
  EXPECT_EQ(report_text(hear(inform, {secret_of("varve", Level::auth)}).report, varve()), "0 1 1");
  EXPECT_EQ(report_text(hear(inform, {varve("SHA-256")}).report, varve()), "0 5 1");
  Secret wrong = varve();
  wrong.keys.auth.bytes[3] ^= 1;
  EXPECT_EQ(report_text(hear(inform, {wrong}).report, varve()), "0 5 2");
  wrong = varve();
  wrong.keys.priv.bytes[3] ^= 1;
  EXPECT_EQ(report_text(hear(inform, {wrong}).report, varve()), "0 6 1");
  // Of several secrets that of the sender is the one that it is refused for.
  EXPECT_EQ(hear(inform, {secret_of("other", Level::auth), wrong, varve("MD5")}).refusal, Refusal::decryption_error);
  EXPECT_TRUE(hear(inform, {secret_of("other", Level::auth), wrong, varve()}).trap);
}

TEST_F(HeardTest, WhoDoesNotWantToKnowIsNotTold) {
  std::string inform = bytes(kInformOpen);
  inform[inform.find(bytes("040104020103")) + 2] = '\0';
  const auto heard = hear(inform, {varve()});
  EXPECT_FALSE(heard.trap);
  EXPECT_EQ(heard.report, "");
  EXPECT_FALSE(heard.refusal);
}

TEST_F(HeardTest, WhatIsNoInformIsNotTaken) {
  for (const char tag : {'\xa7', '\xa0', '\xa2', '\xa8', '\xa4'}) {
    std::string other = bytes(kInformOpen);
    other[other.find('\xa6')] = tag;
    const auto heard = hear(other, {secret_of("open", Level::no_auth)});
    EXPECT_FALSE(heard.trap) << static_cast<int>(tag);
    EXPECT_EQ(heard.report, "");
  }
}

TEST_F(HeardTest, EveryBitOfAnInformCounts) {
  const std::string whole = bytes(kInformHidden);
  for (std::size_t i = 0; i < whole.size() * 8; ++i) {
    std::string changed = whole;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
    EXPECT_FALSE(hear(changed, {varve()}).trap) << i;
  }
}

TEST_F(HeardTest, ACutInformIsNone) {
  const std::vector<Secret> secrets = {varve(), secret_of("open", Level::no_auth)};
  for (const char* hex : {kInformHidden, kInformOpen, kProbe}) {
    const std::string whole = bytes(hex);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto heard = hear(whole.substr(0, size), secrets);
      EXPECT_FALSE(heard.trap) << size;
      EXPECT_EQ(heard.report, "") << size;
    }
  }
}

TEST(EngineTest, TheTimeWindow) {
  ManualClock clock;
  const Engine engine("12345", 7, clock);
  clock.advance_ms(1'000'000);
  EXPECT_EQ(engine.time(), 1000U);
  EXPECT_TRUE(engine.is_timely(7, 850));
  EXPECT_TRUE(engine.is_timely(7, 1150));
  EXPECT_FALSE(engine.is_timely(7, 849));
  EXPECT_FALSE(engine.is_timely(7, 1151));
  EXPECT_FALSE(engine.is_timely(7, 0x7fffffff));
  EXPECT_FALSE(engine.is_timely(6, 1000));
  EXPECT_FALSE(engine.is_timely(8, 1000));
  const Engine last("12345", 0x7fffffff, clock);
  EXPECT_FALSE(last.is_timely(0x7fffffff, 0)) << "its starts are used up";
}

}  // namespace
}  // namespace varve::snmp::session
