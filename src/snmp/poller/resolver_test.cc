// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/resolver.h"

#include <gtest/gtest.h>

#include <future>
#include <map>

namespace varve::snmp::poller {
namespace {

const session::Peer kThere = *session::peer_of_address("127.0.0.7", 161);

TEST(ResolverTest, ANameThatIsSlowDelaysNoOtherAndNobodysEnd) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::promise<Result<session::Peer>> found;
  std::atomic<bool> slow_is_told = false;
  auto ended = std::make_shared<std::promise<void>>();
  auto end = ended->get_future();
  {
    Resolver resolver([released, ended](const inventory::HostPort& at) -> Result<session::Peer> {
      if (at.host == "fast") return kThere;
      released.wait();
      if (at.host == "slow") ended->set_value();
      return fail(Code::not_found, "nothing");
    });
    ASSERT_TRUE(resolver.post({"slow", 161}, [&](const auto&) { slow_is_told = true; }));
    ASSERT_TRUE(resolver.post({"slower", 161}, [&](const auto&) { slow_is_told = true; }));
    ASSERT_TRUE(resolver.post({"fast", 161}, [&](const auto& peer) { found.set_value(peer); }));
    const auto peer = found.get_future().get();
    ASSERT_TRUE(peer);
    EXPECT_EQ(*peer, kThere);
  }
  release.set_value();  // the resolver is gone already
  end.get();
  EXPECT_FALSE(slow_is_told);
}

TEST(ResolverTest, SoManyMayWait) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  Resolver resolver([released](const inventory::HostPort&) -> Result<session::Peer> {
    released.wait();
    return kThere;
  });
  int taken = 0;
  while (resolver.post({"slow", 161}, [](const auto&) {})) ++taken;
  EXPECT_GE(taken, 20'000);
  EXPECT_LE(taken, 20'008);
  release.set_value();
}

}  // namespace
}  // namespace varve::snmp::poller
