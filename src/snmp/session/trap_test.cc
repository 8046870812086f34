// SPDX-License-Identifier: Apache-2.0
// Traps as Net-SNMP's snmptrap and snmpinform sent them.
#include "snmp/session/trap.h"

#include <gtest/gtest.h>

#include <string>

#include "snmp/session/testing/bytes.h"
#include "snmp/session/v3_message.h"

namespace varve::snmp::session {
namespace {

using testing::bytes;

constexpr const char* kLinkDown2c =
    "305502010104067075626c6963a74802042833477b020100020100303a300e06082b06010201010300430212673017060a2b060106030101"
    "04010006092b0601060301010503300f060a2b060102010202010107020107";
constexpr const char* kInform2c =
    "304402010104067075626c6963a6370204138a71750201000201003029300e06082b06010201010300430212673017060a2b060106030101"
    "04010006092b0601060301010504";
constexpr const char* kTrapV1 = "302702010004067075626c6963a41a06062b060104010140040a000001020103020100430212673000";
// SHA and AES
constexpr const char* kLinkUpHidden =
    "30819d020103301102042c401933020300ffe304010302010304333031040980001f88010a000001020107020203e804057661727665040c"
    "b0fc42975fce080ec69d47bc0408b5d5ebd86c4e2c3a0450d13312c7e9d383a28c7e9040bfc54ce33d5c6c05ca9c836384a029dd1a219db4"
    "a13f0f401d30cb25bc8f09684190e9485edb9537d4f61bb0d9e8642e4dbad71dfb7e368bdf2d83f5f1c30700329fb7b8";
// MD5 and DES
constexpr const char* kColdStartHidden =
    "30819d02010330110204272464d1020300ffe304010302010304333031040980001f88010a000001020107020203e804057661727665040c"
    "0c8c3a0c58121e4f70dc58e6040800000001bf69e54a0450e10353f094903f620e9c387d6d3af6416c92f67686f2d63b4ef29ab7bbdd0cd2"
    "62aca7bda508017ec3aa89936a0fb970371d71c9ea0ece678a9cffdfaf0ea1955c4942925025627a577795ca02764937";
// SHA-256, a trap of an enterprise
constexpr const char* kOtherSigned =
    "3081a0020103301102040eb35345020300ffe304010102010304373035040980001f88010a000001020107020203e8040576617276650418"
    "eb249a97ba47135408b00a7789d526ddddc247b35ad40f130400304f041180001f88801a5de53bad49086b000000000400a73802045b7cce"
    "35020100020100302a300e06082b06010201010300430212673018060a2b060106030101040100060a2b06010401bf08040001";
// SHA-512 and AES
constexpr const char* kLinkUpLong =
    "3081c10201033011020405038056020300ffe304010302010304573055040980001f88010a000001020107020203e8040576617276650430"
    "bcbda69e00d45132ba1882c317e07975282a4a7e45b2a616a6fd66c85133ab862949144016b04487c32dde81038f7a6804081317c46f210e"
    "d71d04505f05089fe0a89d41a4a662eedf76c8efae64980e1af5d153a986671cf8629e469a7460f5dc3e5926bfbc460e25570ea0a12246b9"
    "80bdee7ba01ff7fe6ec6acb752de14bc62f184191abd453a1a1d6feb";
constexpr const char* kLinkUpOpen =
    "308186020103301102046acb4c0e020300ffe3040100020103041e301c040980001f88010a000001020107020203e804046f70656e040004"
    "00304e041180001f88809b793277ad49086b000000000400a73702045bbdab200201000201003029300e06082b0601020101030043021267"
    "3017060a2b06010603010104010006092b0601060301010504";

Secret community(const std::string& name, Version version = Version::v2c) {
  Credential credential;
  credential.version = version;
  credential.community = name;
  return **make_secret(credential);
}

Secret user(const std::string& auth, const std::string& priv, Level level = Level::auth_priv,
            const std::string& secret = "a secret to sign") {
  Credential credential;
  credential.version = Version::v3;
  credential.user = "varve";
  credential.level = level;
  credential.auth = auth;
  credential.auth_secret = secret;
  credential.priv = priv;
  credential.priv_secret = "a secret to hide";
  return **make_secret(credential);
}

std::optional<Trap> kind_of_trap(std::string_view datagram, const Secret& secret) {
  const auto trap = read_trap(datagram, secret);
  return trap ? std::optional(trap->kind) : std::nullopt;
}

// "1.3.6.1.6.3.1.1.5.3 1.2.7=7"
std::string text_of_trap(const TrapMessage& trap) {
  std::string out;
  const auto add = [&](const std::vector<Arc>& name) {
    for (std::size_t i = 0; i < name.size(); ++i) out += (i == 0 ? "" : ".") + std::to_string(name[i]);
  };
  add(trap.name);
  for (const TrapValue& value : trap.values) {
    out += " ";
    add(value.name);
    out += "=" + value.text;
  }
  return out;
}

TEST(TrapTest, OfACommunity) {
  EXPECT_EQ(kind_of_trap(bytes(kLinkDown2c), community("public")), Trap::link_down);
  EXPECT_EQ(kind_of_trap(bytes(kLinkDown2c), community("public", Version::v1)), Trap::link_down);
  for (const char* other : {"Public", "publi", "public2", "x"}) {
    EXPECT_FALSE(kind_of_trap(bytes(kLinkDown2c), community(other))) << other;
  }
  EXPECT_FALSE(kind_of_trap(bytes(kLinkDown2c), user("SHA", "AES")));
}

TEST(TrapTest, OfAUser) {
  EXPECT_EQ(kind_of_trap(bytes(kLinkUpHidden), user("SHA", "AES")), Trap::link_up);
  EXPECT_EQ(kind_of_trap(bytes(kLinkUpLong), user("SHA-512", "AES")), Trap::link_up);
  EXPECT_EQ(kind_of_trap(bytes(kOtherSigned), user("SHA-256", "", Level::auth)), Trap::other);
  if (check_credential(user("MD5", "DES").credential)) {
    EXPECT_EQ(kind_of_trap(bytes(kColdStartHidden), user("MD5", "DES")), Trap::cold_start);
  }
  Credential open;
  open.version = Version::v3;
  open.user = "open";
  EXPECT_EQ(kind_of_trap(bytes(kLinkUpOpen), **make_secret(open)), Trap::link_up);
}

TEST(TrapTest, OfAnotherUserItIsNone) {
  EXPECT_FALSE(kind_of_trap(bytes(kLinkUpHidden), user("SHA", "AES", Level::auth_priv, "another secret")));
  EXPECT_FALSE(kind_of_trap(bytes(kLinkUpHidden), user("MD5", "AES")));
  EXPECT_FALSE(kind_of_trap(bytes(kLinkUpHidden), user("SHA", "DES")));
  EXPECT_FALSE(kind_of_trap(bytes(kLinkUpHidden), community("public")));
  Secret named = user("SHA", "AES");
  named.credential.user = "other";
  EXPECT_FALSE(kind_of_trap(bytes(kLinkUpHidden), named));
  // What a user signs and hides is not taken unsigned or in clear text, nor the other way.
  Secret strict = user("SHA-256", "AES");
  EXPECT_FALSE(kind_of_trap(bytes(kOtherSigned), strict));
  strict.credential.user = "open";
  EXPECT_FALSE(kind_of_trap(bytes(kLinkUpOpen), strict));
  EXPECT_FALSE(kind_of_trap(bytes(kLinkUpHidden), user("SHA", "AES", Level::auth)));
}

TEST(TrapTest, SaysWhatItBrings) {
  EXPECT_EQ(text_of_trap(*read_trap(bytes(kLinkDown2c), community("public"))),
            "1.3.6.1.6.3.1.1.5.3 1.3.6.1.2.1.2.2.1.1.7=7");
  EXPECT_EQ(text_of_trap(*read_trap(bytes(kOtherSigned), user("SHA-256", "", Level::auth))), "1.3.6.1.4.1.8072.4.0.1");
}

TEST(TrapTest, OfVersion1HasTheNameThatItWouldHaveLater) {
  const auto trap = read_trap(bytes(kTrapV1), community("public", Version::v1));
  ASSERT_TRUE(trap);
  EXPECT_EQ(trap->kind, Trap::link_up);
  EXPECT_EQ(text_of_trap(*trap), "1.3.6.1.6.3.1.1.5.4");
  std::string own = bytes(kTrapV1);
  own[own.size() - 10] = 6;  // enterpriseSpecific
  own[own.size() - 7] = 9;
  EXPECT_EQ(text_of_trap(*read_trap(own, community("public"))), "1.3.6.1.4.1.1.0.9");
  EXPECT_FALSE(read_trap(bytes(kTrapV1), community("private")));
}

TEST(TrapTest, AnInformIsAcknowledgedByItself) {
  const std::string inform = bytes(kInform2c);
  const auto trap = read_trap(inform, community("public"));
  ASSERT_TRUE(trap);
  EXPECT_EQ(trap->kind, Trap::link_up);
  std::string answer = inform;
  answer[answer.find('\xa6')] = '\xa2';
  EXPECT_EQ(trap->answer, answer);
  const auto longer = read_trap(inform + "rubbish", community("public"));
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->answer, answer);
  EXPECT_EQ(read_trap(bytes(kLinkDown2c), community("public"))->answer, "");
}

TEST(TrapTest, EveryBitOfASignedMessageCounts) {
  const Secret secret = user("SHA", "AES");
  const std::string whole = bytes(kLinkUpHidden);
  for (std::size_t i = 0; i < whole.size() * 8; ++i) {
    std::string changed = whole;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
    EXPECT_FALSE(kind_of_trap(changed, secret)) << i;
  }
}

TEST(TrapTest, AShorterSignatureIsNone) {
  // As if the sender had said only the first bytes of it: lengths before it are put right.
  const Secret secret = user("SHA", "AES");
  const std::string whole = bytes(kLinkUpHidden);
  const auto at = static_cast<std::size_t>(read_v3_message(whole)->signature.data() - whole.data());
  for (std::size_t size = 0; size < 12; ++size) {
    const auto less = static_cast<char>(12 - size);
    std::string cut = whole;
    cut.erase(at + size, 12 - size);
    for (const std::size_t length : {std::size_t{2}, std::size_t{26}, std::size_t{28}, at - 1}) cut[length] -= less;
    const auto message = read_v3_message(cut);
    ASSERT_TRUE(message.has_value()) << size;
    EXPECT_EQ(message->signature.size(), size);
    EXPECT_FALSE(kind_of_trap(cut, secret)) << size;
  }
}

TEST(TrapTest, ACutOneIsNone) {
  const Secret secrets[] = {community("public"), user("SHA", "AES"), user("SHA-256", "", Level::auth)};
  for (const char* hex : {kLinkDown2c, kLinkUpHidden, kOtherSigned, kLinkUpOpen}) {
    const std::string whole = bytes(hex);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string cut = whole.substr(0, size);
      for (const Secret& secret : secrets) EXPECT_FALSE(kind_of_trap(cut, secret)) << size;
    }
  }
}

TEST(V3MessageTest, ItsParts) {
  const std::string whole = bytes(kLinkUpHidden);
  const auto message = read_v3_message(whole);
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->level, Level::auth_priv);
  EXPECT_EQ(message->engine, bytes("80001f88010a000001"));
  EXPECT_EQ(message->boots, 7U);
  EXPECT_EQ(message->time, 1000U);
  EXPECT_EQ(message->user, "varve");
  EXPECT_EQ(message->signature.size(), 12U);
  EXPECT_EQ(message->salt.size(), 8U);
  EXPECT_EQ(message->scoped.size(), 0x50U);
  EXPECT_FALSE(read_v3_message(bytes(kLinkDown2c)).has_value());
}

}  // namespace
}  // namespace varve::snmp::session
