// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/series/identity.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "engine/cassandra/tables/spans.h"
#include "model/testing/lengths.h"

namespace varve::engine::cassandra {
namespace {

using Metrics = std::vector<std::string_view>;
const model::TagViews kTags = {{"dc", "x"}, {"host", "a"}};

// Shared state of all replicas of all versions: these never change.
TEST(Identity, GoldenHashes) {
  const Metrics metrics = {"cpu.user", "cpu.idle"};
  EXPECT_EQ(model::to_base64(list_hash(metrics)), "4lL5fdNZ1gEILbeSLkIQ8g==");
  EXPECT_EQ(model::to_base64(group_hash(metrics, kTags)), "w9THBgFomOBKtrebinY4Cg==");
  EXPECT_EQ(model::to_base64(group_hash(metrics, {})), "AAAAAAAAAADiUvl901nWAQ==");
  const Metrics other = {"cpu.idle"};
  EXPECT_EQ(blob_of(group_hash(other, kTags)).substr(0, kTagsBytes),
            blob_of(group_hash(metrics, kTags)).substr(0, kTagsBytes));
  EXPECT_EQ(model::to_base64(list_hash(metrics, 3600)), "mnkVPzP+P0Bo26iMSx3HCA==");
  EXPECT_EQ(model::to_base64(group_hash(metrics, kTags, 3600)), "w9THBgFomOBT0YB81OGlIA==");
  EXPECT_EQ(list_hash(metrics, 3600), list_hash(Metrics{"cpu.user", "cpu.idle", "", "3600"}));
  EXPECT_EQ(shard_of(group_hash(metrics, kTags)), 3);
  EXPECT_EQ(shard_of("cpu.user"), 9);
  EXPECT_EQ(shard_of(""), 0);
}

TEST(Identity, ListsSayTheTimeToLive) {
  const Metrics metrics = {"a", "b"};
  using Texts = std::vector<std::string>;
  EXPECT_EQ(list_texts(metrics, 0), (Texts{"a", "b"}));
  EXPECT_EQ(list_texts(metrics, 60), (Texts{"a", "b", "", "60"}));
  for (const std::uint32_t ttl_s : {0U, 1U, 60U, 0x7fffffffU}) {
    const Texts texts = list_texts(metrics, ttl_s);
    const auto list = group_list(texts);
    ASSERT_TRUE(list);
    EXPECT_EQ(list->metrics, metrics);
    EXPECT_EQ(list->ttl_s, ttl_s);
  }
  for (const char* bad : {"", "0", "x", "6 0", "-1", "99999999999"}) {
    EXPECT_EQ(group_list(Texts{"a", "", bad}).error().code, Code::corrupt) << bad;
  }
}

TEST(Identity, OrderAndBordersCount) {
  std::set<std::string> hashes;
  for (const Metrics& metrics :
       {Metrics{"a", "b"}, Metrics{"b", "a"}, Metrics{"ab"}, Metrics{"a"}, Metrics{"a", "a"}}) {
    for (const model::TagViews& tags : {model::TagViews{}, kTags, {{"dc", "xh"}, {"ost", "a"}}, {{"b", "c"}}}) {
      EXPECT_TRUE(hashes.insert(blob_of(group_hash(metrics, tags))).second);
    }
  }
}

TEST(Identity, ShardsAreEven) {
  std::vector<int> counts(kShards);
  for (int i = 0; i < 16'000; ++i) ++counts[static_cast<std::size_t>(shard_of("metric" + std::to_string(i)))];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Identity, BlobsAreHashes) {
  const Hash hash = list_hash(Metrics{"a"});
  Hash back;
  EXPECT_TRUE(hash_of(blob_of(hash), back));
  EXPECT_EQ(back, hash);
  EXPECT_FALSE(hash_of("short", back));
  EXPECT_FALSE(hash_of(blob_of(hash) + "x", back));
}

TEST(Identity, IndexBucketsBeginOnThursdays) {
  using model::testing::kDay;
  EXPECT_EQ(index_bucket_of(0), 0);
  EXPECT_EQ(index_bucket_of(7 * kDay - 1), 0);
  EXPECT_EQ(index_bucket_of(7 * kDay), 7 * kDay);
  EXPECT_EQ(index_bucket_of(-1), -7 * kDay);
  EXPECT_EQ(index_bucket_of(1'700'000'000'000), 1'699'488'000'000);
}

}  // namespace
}  // namespace varve::engine::cassandra
