// SPDX-License-Identifier: Apache-2.0
#include "model/line_group.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace varve::model {
namespace {

// Both forms of a group: with its name, and with the hash of its name only.
TEST(LineGroup, ATimeToLiveOfWhatIsOldLastsFromNow) {
  constexpr Timestamp kNow = 1'800'000'000'000;
  const struct {
    std::uint32_t ttl_s;
    std::int64_t age_s;
    std::uint32_t expected;
  } cases[] = {
      {0, 1'000'000, 0},                       // none stays none
      {3600, 0, 3600},                         // written as it happens
      {3600, -86'400, 3600},                   // of the future
      {3600, 225, 3600},                       // a sixteenth
      {3600, 226, 3840},                       // 3826, up to the next 256
      {1, 1, 3},                               // two seconds, and one for what rounding takes
      {300, 94'608'000, 100'663'296},          // three years
      {0x7fffffff, 1'000'000'000, 0x7fffffff}  // the most
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ttl_s_of_age(c.ttl_s, kNow - c.age_s * 1000, kNow), c.expected) << c.ttl_s << ' ' << c.age_s;
  }
  // Never shorter than asked for, and few of them.
  std::set<std::uint32_t> groups;
  for (std::int64_t age_s = 0; age_s < 365 * 86'400; age_s += 3607) {
    const std::uint32_t ttl_s = ttl_s_of_age(86'400, kNow - age_s * 1000, kNow);
    EXPECT_GE(ttl_s, age_s > 86'400 / 16 ? age_s + 86'400 : 86'400);
    EXPECT_LE(ttl_s, (age_s + 86'400) / 8 * 9 + 1);
    groups.insert(ttl_s);
  }
  EXPECT_LE(groups.size(), 80U);
}

TEST(LineGroup, IsNamedByExactlyItsBytes) {
  const std::string name = "cpu,host=a,region=eu" + std::string(LineGroup::kReadable, '\0');
  LineGroup named;
  named.raw_name = name.data();
  LineGroup hashed;
  for (LineGroup* group : {&named, &hashed}) {
    group->name_bytes = 20;
    group->hash = codec::hash128({name.data(), 20});
    EXPECT_TRUE(group->is("cpu,host=a,region=eu"));
    EXPECT_FALSE(group->is("cpu,host=a,region=us"));
    EXPECT_FALSE(group->is("cpu,host=a,region=e"));
    EXPECT_FALSE(group->is("cpu,host=a,region=eu "));
    EXPECT_FALSE(group->is(""));
    EXPECT_TRUE(group->starts("cpu,host=a,region=eu usage=1"));
    EXPECT_FALSE(group->starts("cpu,host=b,region=eu usage=1"));
  }
}

}  // namespace
}  // namespace varve::model
