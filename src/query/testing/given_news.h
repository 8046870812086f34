// SPDX-License-Identifier: Apache-2.0
// For tests: news of messages, which are what the test says.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "message/builder.h"
#include "storage/message_news.h"

namespace varve::query::testing {

// Hands out what it is given; while somebody waits for appends the second time, also those that are under way then.
class GivenNews final : public storage::MessageNews {
 public:
  std::shared_ptr<const void> listen(std::string tenant, Listener listener) override {
    const auto at = listeners.emplace(std::move(tenant), std::move(listener));
    return {&listeners, [this, at](const void*) { listeners.erase(at); }};
  }
  Status settle(const std::string&, std::chrono::milliseconds) override {
    if (++settles == 2 && meanwhile != nullptr) publish("t", meanwhile->bytes());
    return {};
  }
  void publish(const std::string& tenant, std::span<const std::byte> rows) {
    for (auto [at, end] = listeners.equal_range(tenant); at != end; ++at) at->second(rows);
  }
  void publish(const std::string& tenant, const message::Batch& batch) { publish(tenant, batch.bytes()); }
  // A message of this text.
  void publish(const std::string& tenant, std::string_view text) {
    message::Batch batch;
    message::Builder builder(batch);
    builder.start();
    check(builder.set(message::Column::text, text).has_value(), "the text fits into a message");
    builder.finish(5);
    publish(tenant, batch);
  }
  void fail_all(const Error& error) {
    for (const auto& [tenant, listener] : listeners) listener(std::unexpected(error));
  }

  std::multimap<std::string, Listener> listeners;
  const message::Batch* meanwhile = nullptr;
  int settles = 0;
};

}  // namespace varve::query::testing
