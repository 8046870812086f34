// SPDX-License-Identifier: Apache-2.0
#include "model/line_group.h"

#include <gtest/gtest.h>

#include <string>

namespace varve::model {
namespace {

// Both forms of a group: with its name, and with the hash of its name only.
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
