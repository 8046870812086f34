// SPDX-License-Identifier: Apache-2.0
// The contract of stores, and random work, on a real Cassandra, which tests/schema_test.py starts, and a real Redis.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>

#include "base/periodic.h"
#include "driver/testing/redis_server.h"
#include "driver/wait.h"
#include "engine/cassandra/connection.h"
#include "engine/cassandra/tables/apply.h"
#include "storage/testing/catalog_contract.h"
#include "storage/testing/histogram_contract.h"
#include "storage/testing/marker_contract.h"
#include "storage/testing/message_contract.h"
#include "storage/testing/store_contract.h"
#include "storage/testing/store_model.h"
#include "storage/testing/tenants_apart.h"
#include "storage/testing/text_contract.h"
#include "storage/testing/ttl_contract.h"

namespace varve::storage::testing {
namespace {

using engine::cassandra::Connection;

constexpr std::uint32_t kPartitions = 4;
const std::vector<rollup::Level> kRollups = {{300'000, rollup::kForEver}, {3'600'000, rollup::kForEver}};

// The servers of all tests of the program.
struct Shared {
  Shared() {
    servers.cassandra.contact_points = std::getenv("VARVE_CASSANDRA");  // NOLINT(concurrency-mt-unsafe)
    servers.redis = redis.options();
    auto runtime = driver::Runtime::start(1).value();
    const auto session = driver::wait<driver::Session>([&](driver::Done<driver::Session> done) {
                           driver::Session::connect(runtime, servers.cassandra, std::move(done));
                         }).value();
    const Status applied = engine::cassandra::apply_schema(
        session, {.keyspace = "store", .rollups = kRollups, .partitions = kPartitions}, [](std::string_view) {});
    EXPECT_TRUE(applied) << applied.error().message;
  }
  static Shared& instance() {
    static Shared shared;
    return shared;
  }
  // Another process on the keyspace.
  std::unique_ptr<Connection> open(engine::cassandra::Options options) {
    options.schema.keyspace = "store";
    options.schema.partitions = kPartitions;
    options.source = ++sources;
    return Connection::open(options, servers, clock, Connection::Waiting()).value();
  }
  // The Cassandra may have been used before.
  std::string next_prefix() { return "test" + std::to_string(begun_ms) + "-" + std::to_string(++engines) + "."; }
  SystemClock clock;
  const std::int64_t begun_ms = clock.now_ms();
  driver::testing::RedisServer redis;
  Connection::Servers servers;
  std::int64_t engines = 0, sources = 0;
};

// Messages of tenants whose names begin with the prefix.
class MessagesApart final : public MessageStore {
 public:
  MessagesApart(MessageStore& below, std::string prefix) : below_(below), prefix_(std::move(prefix)) {}
  void append_messages(std::string_view tenant, const message::Batch& batch, AppendDone done) override {
    below_.append_messages(prefix_ + std::string(tenant), batch, std::move(done));
  }
  [[nodiscard]] Result<std::vector<MessagePart>> message_parts(std::string_view tenant, std::int64_t first_us,
                                                               std::int64_t last_us) const override {
    return below_.message_parts(prefix_ + std::string(tenant), first_us, last_us);
  }
  [[nodiscard]] Result<MessageNames> message_names(std::string_view tenant) const override {
    return below_.message_names(prefix_ + std::string(tenant));
  }
  Result<std::uint64_t> delete_messages(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                        const message::Condition& condition, const storage::GoOn& go_on) override {
    return below_.delete_messages(prefix_ + std::string(tenant), first_us, last_us, condition, go_on);
  }

 private:
  MessageStore& below_;
  const std::string prefix_;
};

class LiveEngine final : public Engine {
 public:
  explicit LiveEngine(bool rolled_up) : prefix_(Shared::instance().next_prefix()) {
    options_.rollups.counter_suffixes = {"_count"};
    if (rolled_up) options_.rollups.levels = kRollups;
    open();
  }
  SeriesStore& series() override { return *series_; }
  SampleStore& samples() override { return connection_->store(); }
  MessageStore* messages() override { return &*messages_; }
  void restart() override {
    renew_.reset();
    connection_.reset();
    open();
  }

 private:
  void open() {
    connection_ = Shared::instance().open(options_);
    renew_.emplace(std::chrono::milliseconds(1000),
                   [this](const auto&) { EXPECT_TRUE(connection_->store().renew()) << "the lease to write"; });
    series_.emplace(connection_->store().series(), prefix_);
    messages_.emplace(connection_->store(), prefix_);
    // A Redis that was just started, or that is empty, is a lost one.
    for (int attempt = 0; attempt < 500 && !connection_->store().listen(); ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  const std::string prefix_;
  engine::cassandra::Options options_;
  std::unique_ptr<Connection> connection_;
  std::optional<TenantsApart> series_;
  std::optional<MessagesApart> messages_;
  std::optional<Periodic> renew_;
};

// The Cassandra may have been used before: tenants have names of their own.
class LiveTexts final : public TextEngine, private TextStore {
 public:
  TextStore& texts() override { return *this; }
  void restart() override {
    connection_.reset();
    open();
  }

 private:
  void open() {
    engine::cassandra::Options options;
    options.rollups.levels = kRollups;
    connection_ = Shared::instance().open(std::move(options));
  }
  TextName own(TextName name) const {
    if (!name.tenant.empty()) name.tenant = prefix_ + name.tenant;
    if (name.tenant.empty() && !name.service.empty()) name.service = prefix_ + name.service;
    return name;
  }
  Status put_text(const TextName& name, std::string_view text) override {
    return connection_->texts().put_text(own(name), text);
  }
  Status erase_text(const TextName& name) override { return connection_->texts().erase_text(own(name)); }
  Result<std::optional<std::string>> text(const TextName& name) const override {
    return connection_->texts().text(own(name));
  }
  Result<std::vector<TextName>> text_names(std::string_view tenant, std::string_view service) const override {
    const TextName group = own({std::string(tenant), std::string(service), "", ""});
    VARVE_ASSIGN_OR_RETURN(auto names, connection_->texts().text_names(group.tenant, group.service));
    for (TextName& name : names) {
      name.tenant = tenant;
      name.service = service;
    }
    return names;
  }
  Result<std::vector<std::string>> text_keys(std::string_view tenant, std::string_view service,
                                             std::string_view service_key, std::string_view prefix) const override {
    const TextName group = own({std::string(tenant), std::string(service), "", ""});
    return connection_->texts().text_keys(group.tenant, group.service, service_key, prefix);
  }

  const std::string prefix_ = Shared::instance().next_prefix();
  std::unique_ptr<Connection> connection_;

 public:
  LiveTexts() { open(); }
};

MakeEngine make(bool rolled_up) {
  return [rolled_up] { return std::make_unique<LiveEngine>(rolled_up); };
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Cassandra, StoreContract, ::testing::Values(make(false)));
INSTANTIATE_TEST_SUITE_P(CassandraRolledUp, StoreContract, ::testing::Values(make(true)));
INSTANTIATE_TEST_SUITE_P(Cassandra, MessageContract, ::testing::Values(make(false)));
INSTANTIATE_TEST_SUITE_P(Cassandra, TextContract,
                         ::testing::Values(MakeTexts([] { return std::make_unique<LiveTexts>(); })));

TEST(ClusterStoreModel, random_work) {
  LiveEngine engine(true);
  StoreModel(engine, 1).run(150);
}

}  // namespace varve::storage::testing
