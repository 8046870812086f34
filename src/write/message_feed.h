// SPDX-License-Identifier: Apache-2.0
// MessageFeed: hands out what is appended to a store of messages, to those who listen, once it is acknowledged.
//
//   MessageFeed feed(store, metrics);          // appends through `feed` are heard
//   const auto hold = feed.listen("tenant", [](std::span<const std::byte> rows) { … });
//
// What other processes append to the same store is heard, too, where the store hears it (storage::MessageArrivals).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "storage/message_news.h"
#include "storage/message_store.h"

namespace varve::write {

class Refusals;
class TenantFigures;

class MessageFeed final : public storage::MessageStore, public storage::MessageNews {
 public:
  // Of batches that wait to be handed out; with more, listeners are told that some are missing.
  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 20;

  // Told of every batch that is appended, if set.
  struct Witnesses {
    Refusals* refusals = nullptr;
    TenantFigures* figures = nullptr;
  };
  // The store has to outlive every append, and this the store's last call.
  MessageFeed(storage::MessageStore& store, Metrics& metrics) : MessageFeed(store, metrics, {}) {}
  MessageFeed(storage::MessageStore& store, Metrics& metrics, Witnesses witnesses);
  ~MessageFeed() override;

  void append_messages(std::string_view tenant, const message::Batch& batch, AppendDone done) override;
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view tenant, std::int64_t first_us,
                                                                        std::int64_t last_us) const override {
    return store_.message_parts(tenant, first_us, last_us);
  }
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view tenant) const override {
    return store_.message_names(tenant);
  }
  Result<std::uint64_t> delete_messages(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                        const message::Condition& condition, const storage::GoOn& go_on) override {
    return store_.delete_messages(tenant, first_us, last_us, condition, go_on);
  }

  [[nodiscard]] std::shared_ptr<const void> listen(std::string tenant, Listener listener) override;
  Status settle(const std::string& tenant, std::chrono::milliseconds most) override;

 private:
  struct Listening {
    std::string tenant;
    Listener call;
    std::shared_ptr<const void> elsewhere = nullptr;  // listens to what other processes append
  };
  struct Heard;
  // What a tenant's listeners have yet to be given.
  struct Waiting {
    std::deque<std::shared_ptr<const Heard>> batches;
    std::vector<std::shared_ptr<const Listening>> listeners;  // of the first batch
    std::size_t next = 0;                                     // of them
  };
  std::shared_ptr<const Heard> begin(std::string_view tenant, const message::Batch& batch);
  void end(const Heard& heard);
  void hand_out(const std::shared_ptr<const Heard>& heard);
  bool wait_for_turn(const std::shared_ptr<const Heard>& heard);
  void publish_all();
  bool publish_to_one();
  void end_turn(const Heard& heard, bool is_last, std::chrono::nanoseconds took);
  void heard_elsewhere(const std::string& tenant, const Result<std::span<const std::byte>>& rows);
  void remove(const Listening* listening);
  std::shared_ptr<const void> listen_elsewhere(const std::string& tenant) VARVE_REQUIRES(mutex_);
  [[nodiscard]] std::vector<std::shared_ptr<const Listening>> listeners_of(std::string_view tenant) const
      VARVE_REQUIRES(mutex_);

  storage::MessageStore& store_;
  const Witnesses witnesses_;
  Counter& lost_;
  mutable Mutex mutex_;
  std::map<std::string, std::weak_ptr<const void>, std::less<>> elsewhere_ VARVE_GUARDED_BY(mutex_);  // by tenant
  Condition ended_;
  // Appends under way of each tenant, by when they began: settle() begins a new era and waits for the old ones.
  std::uint64_t era_ VARVE_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::map<std::uint64_t, std::size_t>, std::less<>> under_way_ VARVE_GUARDED_BY(mutex_);
  std::multimap<std::string, std::shared_ptr<const Listening>, std::less<>> listeners_ VARVE_GUARDED_BY(mutex_);
  std::map<std::string, Waiting, std::less<>> waiting_ VARVE_GUARDED_BY(mutex_);  // by tenant
  // Tenants in waiting_ but for the one whose turn it is, by the time that they have had; and what that one had.
  std::set<std::pair<std::int64_t, std::string>> turns_ VARVE_GUARDED_BY(mutex_);
  std::int64_t spent_ns_ VARVE_GUARDED_BY(mutex_) = 0;
  std::size_t waiting_bytes_ VARVE_GUARDED_BY(mutex_) = 0;
  bool is_publishing_ VARVE_GUARDED_BY(mutex_) = false;
  TaskPool thread_;  // the last member: it uses the others
};

}  // namespace varve::write
