// SPDX-License-Identifier: Apache-2.0
// Message watch: hears what other replicas have appended, for those who follow (docs/decisions/0043). While somebody
// follows a tenant, its hot rows are asked for what is new, some times a second: the directory, and the keys of the
// buckets that are still written. A row is new if it is not below the watermark that was known when the last look
// began, and was not seen in it. Nobody follows: nothing is asked, and there is no thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/cassandra/messages/message_tables.h"
#include "storage/message_store.h"

namespace varve::engine::cassandra {

// What one tenant's hot rows have brought since the last look. For one thread.
class TenantWatch {
 public:
  // As MessageSealer's.
  using Watermark = std::function<std::optional<std::int64_t>()>;
  // Rows of `source` are left out: its process knows them.
  TenantWatch(std::string tenant, const MessageTables& messages, std::int64_t source, Watermark watermark)
      : tenant_(std::move(tenant)), messages_(messages), source_(source), watermark_(std::move(watermark)) {}

  // Packed rows that are new, as they were appended, in order of arrival; the first time: none, whatever stands.
  // Errors: those of the store; the next look finds it all.
  Result<std::vector<std::string>> look();
  // The next one is the first.
  // Was all of it read?
  [[nodiscard]] bool is_whole() const { return to_come_.empty(); }
  void start_anew() { has_looked_ = false; }

 private:
  using Key = std::tuple<std::int64_t, HotBucket, std::string>;  // arrival, and the owner (message_owner.h)
  struct New {
    std::string owner;
    model::Timestamp slot;
    HotMessages row;
  };
  Result<std::vector<New>> new_rows();
  Status add_new(const std::string& owner, std::int64_t from_us, std::set<Key>& seen, std::vector<New>& found) const;

  const std::string tenant_;
  const MessageTables& messages_;
  const std::int64_t source_;
  const Watermark watermark_;
  bool has_looked_ = false;
  std::int64_t from_us_ = 0;  // below it, all is seen
  std::set<Key> seen_;        // from there on
  std::vector<New> to_come_;  // new, and not read yet
};

// Thread-safe.
class MessageWatch final : public storage::MessageArrivals {
 public:
  static constexpr std::chrono::milliseconds kEvery{40};
  // A bucket may be gone that long after it was written: what nobody could look at until then may be lost.
  static constexpr std::int64_t kBlindMsMax = 120'000;

  MessageWatch(const MessageTables& messages, std::int64_t source, TenantWatch::Watermark watermark, const Clock& clock)
      : messages_(messages), source_(source), watermark_(std::move(watermark)), clock_(clock) {}
  ~MessageWatch() override { close(); }

  [[nodiscard]] std::shared_ptr<const void> listen(std::string tenant, Listener listener) override;
  Status settle(std::chrono::milliseconds most) override;
  // Nothing is heard after it.
  void close();

 private:
  struct Listening;
  struct Watched;
  void run();
  bool look(Watched& watched);
  void remove(const Listening* listening);
  [[nodiscard]] std::vector<std::shared_ptr<Watched>> watched() const VARVE_REQUIRES(mutex_);

  const MessageTables& messages_;
  const std::int64_t source_;
  const TenantWatch::Watermark watermark_;
  const Clock& clock_;
  mutable Mutex mutex_;
  Condition changed_;
  bool closed_ VARVE_GUARDED_BY(mutex_) = false;
  std::uint64_t asked_ VARVE_GUARDED_BY(mutex_) = 0;   // looks that somebody waits for are numbered
  std::uint64_t looked_ VARVE_GUARDED_BY(mutex_) = 0;  // all up to this one are done, of all who are watched
  std::map<std::string, std::shared_ptr<Watched>> tenants_ VARVE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace varve::engine::cassandra
