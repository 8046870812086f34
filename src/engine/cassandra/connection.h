// SPDX-License-Identifier: Apache-2.0
// Connection: the store together with the servers that it stands on, a Cassandra and a Redis, as the drivers reach
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "driver/cassandra.h"
#include "driver/redis.h"
#include "engine/cassandra/options.h"
#include "engine/cassandra/store.h"
#include "engine/cassandra/tables/cassandra_rows.h"
#include "engine/cassandra/texts/texts.h"
#include "tracker/redis/eviction.h"
#include "tracker/redis/link.h"

namespace varve::engine::cassandra {

// Blocking. Errors: those of the driver, naming the contact points.
Result<driver::Session> connect(const driver::Runtime& runtime, const driver::SessionOptions& options);

class Connection {
 public:
  struct Servers {
    driver::SessionOptions cassandra;  // with the consistency of all reads and writes
    driver::RedisOptions redis;
  };
  // While Redis is away.
  struct Waiting {
    std::function<bool()> go_on = [] { return true; };
    std::function<void(std::string)> say = [](const std::string&) {};  // for what; empty: it is over
  };
  // Blocking. Redis is waited for: before its time is known nothing can be taken or answered. Keys in it begin with the
  // keyspace. Errors: io (no Cassandra answers), cancelled (it is not to go on), unavailable (too few of Cassandra's
  // nodes), unsupported (the schema is missing or another one: it says what to do), invalid (credentials, the URL of
  // Redis, a Redis that may evict what is pending).
  static Result<std::unique_ptr<Connection>> open(const Options& options, const Servers& servers, const Clock& clock,
                                                  const Waiting& waiting);

  [[nodiscard]] Store& store() { return *store_; }
  [[nodiscard]] Texts& texts() { return *texts_; }
  [[nodiscard]] tracker::redis::Link& redis() { return *link_; }
  [[nodiscard]] tracker::redis::Eviction& eviction() { return *eviction_; }
  [[nodiscard]] WriteQueue::Load writes() const { return rows_->load(); }

 private:
  Connection(driver::Runtime runtime, driver::Session session, const SchemaOptions& schema)
      : runtime_(std::move(runtime)), session_(std::move(session)), tables_(schema) {}
  Status open_store(const Options& options, const Servers& servers, const Clock& clock, const Waiting& waiting);

  driver::Runtime runtime_;
  driver::Session session_;
  const Tables tables_;
  std::unique_ptr<tracker::redis::Link> link_;
  std::unique_ptr<tracker::redis::Eviction> eviction_;
  std::unique_ptr<tracker::redis::RedisVersions> versions_;
  std::unique_ptr<CassandraRows> rows_, lease_rows_;
  std::unique_ptr<Texts> texts_;
  std::unique_ptr<Store> store_;
};

}  // namespace varve::engine::cassandra
