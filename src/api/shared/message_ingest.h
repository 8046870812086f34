// SPDX-License-Identifier: Apache-2.0
// MessageIngest: what the ways in for log messages have in common: which times are kept, counting, and the answer once
// they are durable.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/shared/context.h"
#include "api/shared/http.h"
#include "message/builder.h"
#include "protocol/messages/ndjson.h"
#include "protocol/outcome.h"

namespace varve::api {

// Outlives the router's server, as everything that it refers to.
class MessageIngest {
 public:
  // `protocol`: of the counters. The engine keeps messages.
  MessageIngest(const Context& context, std::string_view protocol);

  [[nodiscard]] std::int64_t now_us() const;
  // What is taken of a request that comes now.
  [[nodiscard]] protocol::messages::Limits limits() const { return intake_.limits(); }

  void count_rejected(Code code, std::size_t messages = 1) const;
  void count_rejected(const protocol::Outcome& outcome) const;
  // Counts what overload dropped of the request.
  void count_shed(const protocol::messages::Limits& limits) const { intake_.count(limits); }
  // Stores them and counts those that are stored; a tenant comes to be with its first message.
  void append(std::string_view tenant, const message::Batch& batch,
              std::function<void(const Status& status)> done) const;

 private:
  storage::MessageStore& store_;
  write::Writer& writer_;  // knows how many tenants there may be
  const Clock& clock_;
  write::MessageIntake& intake_;
  Counter& accepted_;
  std::vector<std::pair<Code, Counter*>> rejected_;
};

}  // namespace varve::api
