// SPDX-License-Identifier: Apache-2.0
// Message appender: takes messages in. A batch is acknowledged when its rows stand, the directory names their buckets,
// names and times are written, and its slots are touched; or, instead of the touch, when a missed-touch marker is heard
// (hot/appender.h does the same for samples). Until then the watermark stays below it. Nothing is read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/hot/missed_touches.h"
#include "engine/cassandra/hot/watermark.h"
#include "engine/cassandra/messages/hot_buckets.h"
#include "engine/cassandra/messages/message_touches.h"
#include "engine/cassandra/messages/new_names.h"
#include "message/builder.h"

namespace varve::engine::cassandra {

// Of messages with the number `stamp` from the process `source`: greater stamps are later, and no two processes meet
// (docs/formats/cluster.md).
std::uint64_t message_arrival(std::int64_t stamp, std::int64_t source);

// Thread-safe. Must stay until all it was given is done.
class MessageAppender {
 public:
  using Done = std::function<void(Status)>;
  struct Options {
    std::int64_t quiet_ms = 300'000;
    std::int64_t source = 0;  // of this process: random
  };
  // `clock`: the one that all replicas share.
  MessageAppender(Options options, const Tables& tables, RowStore& rows, const MessageTables& messages, Stamps& stamps,
                  MessageTouches& touches, MissedTouches& missed_touches, Watermark& watermark, const Clock& clock)
      : options_(options),
        rows_(rows),
        messages_(messages),
        stamps_(stamps),
        touches_(touches),
        missed_touches_(missed_touches),
        watermark_(watermark),
        clock_(clock),
        names_(tables) {}

  // As MessageStore::append_messages(), without blocking. An error: nothing is acknowledged; some of it may stand.
  void append(std::string_view tenant, const message::Batch& batch, Done done);

 private:
  struct Append;
  using Shared = std::shared_ptr<Append>;
  struct Piece;
  class Cutter;

  Status prepare(const message::Batch& batch, Append& append, std::vector<RowWrite>& rows);
  void add_piece(Piece& piece, Append& append, std::vector<RowWrite>& rows);
  void written(const Shared& append, Status status);
  void finish(const Shared& append, Status status);

  const Options options_;
  RowStore& rows_;
  const MessageTables& messages_;
  Stamps& stamps_;
  MessageTouches& touches_;
  MissedTouches& missed_touches_;
  Watermark& watermark_;
  const Clock& clock_;
  HotBuckets buckets_;
  NewNames names_;
};

}  // namespace varve::engine::cassandra
