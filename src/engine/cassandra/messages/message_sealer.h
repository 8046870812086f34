// SPDX-License-Identifier: Apache-2.0
// Message sealer: makes blocks of a slot's hot rows, publishes them, and later deletes what they replace
// (docs/decisions/0041).
//
//   W → version V → read: hot rows, then what is published → write blocks → publish with V: covers all before W, and by
//   name what else was read → much later: drop buckets that end before W, and replaced blocks
//
// W is taken before V is drawn: whoever draws a later version reads later, and so finds all that arrived before W, in
// hot rows or in what is published. So a publication that comes late, with a later version, lacks nothing that was
// deleted because of an earlier one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "engine/cassandra/messages/message_tables.h"
#include "engine/cassandra/tables/write_versions.h"

namespace varve::engine::cassandra {

class MessageSealer {
 public:
  // Who takes longer from reading to publishing gives up. What is published that long ago nobody replaces with
  // something that needs blocks which were replaced by it.
  static constexpr std::int64_t kPublishWithinMs = 1'800'000;
  static constexpr std::int64_t kReplacedKeptMs = 2 * kPublishWithinMs;
  // Queries that have listed hot rows read them in that time: the least that they are kept after they were sealed.
  static constexpr std::int64_t kHotKeptMs = 300'000;
  static constexpr std::uint32_t kSmallBlock = 16'384;  // messages: it is merged with what is new

  // W, in µs; nullopt: not known now.
  using Watermark = std::function<std::optional<std::int64_t>()>;
  // `clock`: the one that all replicas share.
  MessageSealer(const MessageTables& messages, RowStore& rows, WriteVersions& versions, Watermark watermark,
                const Clock& clock, std::int64_t hot_kept_ms = kHotKeptMs)
      : messages_(messages),
        rows_(rows),
        versions_(versions),
        watermark_(std::move(watermark)),
        clock_(clock),
        hot_kept_ms_(std::max(hot_kept_ms, kHotKeptMs)) {}

  struct Report {
    std::uint64_t blocks = 0;  // written
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  // Errors: corrupt (and what else tells of the slot's data), those of store and versions, unavailable (no W).
  Result<Report> seal(std::string_view tenant, model::Timestamp slot) const;

  // What drop() may do with a slot now.
  enum class Left : std::uint8_t {
    nothing,  // no bucket
    later,    // what is there is needed yet
    to_seal,  // to be sealed (again) first
  };
  // Deletes buckets that are covered, and replaced blocks. Errors: those of the store, corrupt.
  Result<Left> drop(std::string_view tenant, model::Timestamp slot) const;

 private:
  struct Reading {
    std::int64_t until_us = 0;  // W
    std::int64_t version = 0;
    std::int64_t began_ns = 0;
    SlotMessages slot;
  };
  Result<Reading> read(std::string_view tenant, model::Timestamp slot) const;
  // Has the block messages that a mark erases which nobody has applied to it?
  Result<bool> is_stale(std::string_view tenant, const SlotMessages& slot, const SealedBlock& block) const;
  Status publish(std::string_view tenant, const Reading& reading, SealedMessages next) const;

  const MessageTables& messages_;
  RowStore& rows_;
  WriteVersions& versions_;
  const Watermark watermark_;
  const Clock& clock_;
  const std::int64_t hot_kept_ms_;
};

}  // namespace varve::engine::cassandra
