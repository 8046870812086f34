// SPDX-License-Identifier: Apache-2.0
// For tests: a redis-server, links to it, and names of members.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "driver/testing/redis_server.h"
#include "tracker/redis/link.h"
#include "tracker/redis/member_names.h"

namespace varve::tracker::redis::testing {

inline const Clock& local_clock() {
  static const SystemClock clock;
  return clock;
}

// Numbers in the order of first sight, as an engine's index gives them: two of these are two replicas. Tenants have
// the same numbers everywhere, for brevity: "t7" is 7.
class TestNames final : public MemberNames {
 public:
  // The name of the member with this number of its tenant, before anybody has given it another.
  static std::string name_of(const Member& member) {
    model::SeriesSetHash hash;
    for (std::size_t i = 0; i < 4; ++i) hash.bytes[i] = static_cast<unsigned char>(member.id >> (8 * i));
    hash.bytes[4] = '|';  // names are any bytes
    return member_name(tenant_name(member.tenant), hash);
  }
  static std::string tenant_name(model::TenantId tenant) { return "t" + std::to_string(to_int(tenant)); }

  [[nodiscard]] std::string tenant(model::TenantId tenant) const override { return tenant_name(tenant); }
  [[nodiscard]] std::string name(const Member& member) const override {
    const MutexLock lock(mutex_);
    const auto known = names_.find(member);
    return known == names_.end() ? name_of(member) : known->second;
  }
  Result<std::vector<std::optional<Member>>> find(std::span<const std::string_view> names) override {
    const MutexLock lock(mutex_);
    if (away) return fail(Code::unavailable, "the store is away");
    std::vector<std::optional<Member>> found;
    for (const std::string_view name : names) found.push_back(find_one(name));
    return found;
  }

  // Of a name that is seen first: this number and those after it, instead of the one in the name.
  std::optional<std::uint32_t> renumber_from;
  std::function<bool(std::string_view)> unknown;
  bool away = false;

 private:
  std::optional<Member> find_one(std::string_view name) VARVE_REQUIRES(mutex_) {
    if (unknown && unknown(name)) return std::nullopt;
    const auto known = members_.find(std::string(name));
    if (known != members_.end()) return known->second;
    const auto parts = split_name(name);
    if (!parts) return std::nullopt;
    Member member{model::TenantId{static_cast<std::uint32_t>(std::stoul(std::string(parts->tenant.substr(1))))}, 0};
    for (std::size_t i = 0; i < 4; ++i) member.id |= std::uint32_t{parts->hash.bytes[i]} << (8 * i);
    if (renumber_from) member.id = (*renumber_from)++;
    members_[std::string(name)] = member;
    names_[member] = name;
    return member;
  }

  mutable Mutex mutex_;
  std::map<std::string, Member> members_ VARVE_GUARDED_BY(mutex_);
  std::map<Member, std::string> names_ VARVE_GUARDED_BY(mutex_);
};

// One runtime and one server for all tests of the program that only need one that is there.
inline driver::Runtime& runtime() {
  static driver::Runtime runtime = *driver::Runtime::start(2);
  return runtime;
}

// A link to `server`; where that is down, too.
inline std::unique_ptr<Link> link_to(const driver::testing::RedisServer& server, LinkOptions options) {
  driver::RedisOptions redis = server.options();
  redis.lazy = true;
  auto connected = driver::testing::connect(runtime(), redis);
  EXPECT_TRUE(connected);
  return std::make_unique<Link>(std::move(*connected), std::move(options), local_clock());
}

// Until the server answers: it needs some milliseconds to start.
inline void await(Link& link) {
  Status status;
  for (int attempt = 0; attempt < 500; ++attempt) {
    status = link.check();
    if (status) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL() << "redis-server does not answer; is it installed? " << status.error().message;
}

// A link with keys of its own, and nothing lost.
inline std::unique_ptr<Link> fresh_link(std::string prefix = "") {
  static driver::testing::RedisServer server;
  static int number = 0;
  if (prefix.empty()) prefix = "test" + std::to_string(++number) + "|";
  auto link = link_to(server, {.prefix = std::move(prefix), .timeout_ms = 10'000, .pause_ms = 1});
  await(*link);
  EXPECT_TRUE(link->recover([] { return Status(); }));
  return link;
}

}  // namespace varve::tracker::redis::testing
