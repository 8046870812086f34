// SPDX-License-Identifier: Apache-2.0
// Appender: takes samples in. A batch is acknowledged when its rows are written, its groups are announced, the journal
// names their slots, and these are touched; or, instead of the touch, when a missed-touch marker is written and every
// replica has heard of it (docs/decisions/0015, 0024). Until then the watermark stays below it. The prefix lengths are
// those that this process has not written lately; hot rows are written when they stand, so none is ever without.
//
//   prefix lengths → hot rows + journal rows ─┐
//   announcement ─────────────────────────────┴→ touch (or marker) → still announced? → done
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/hot/journal.h"
#include "engine/cassandra/hot/known_lengths.h"
#include "engine/cassandra/hot/missed_touches.h"
#include "engine/cassandra/hot/pending_trackers.h"
#include "engine/cassandra/hot/watermark.h"
#include "engine/cassandra/series/series_tables.h"
#include "model/row.h"

namespace varve::engine::cassandra {

// Thread-safe. Must stay until all it was given is done.
class Appender {
 public:
  using Done = std::function<void(Status)>;
  struct Options {
    std::int64_t slot_ms = 3'600'000;
    std::int64_t quiet_ms = 300'000;
    std::int64_t source = 0;  // of this process: random
  };
  // `clock`: the one that all replicas share.
  Appender(Options options, const Tables& tables, RowStore& rows, SeriesTables& series, PendingTrackers& trackers,
           Journal& journal, MissedTouches& missed_touches, Watermark& watermark, const Clock& clock)
      : options_(options),
        tables_(tables),
        rows_(rows),
        series_(series),
        trackers_(trackers),
        journal_(journal),
        missed_touches_(missed_touches),
        watermark_(watermark),
        clock_(clock) {}

  // As SampleStore::append(), without blocking; the rows must fit (storage/row_check.h). An error: nothing is
  // acknowledged; some of it may stand, as if it had come later.
  void append(const model::RowBatch& batch, Done done);

 private:
  struct Append;
  using Shared = std::shared_ptr<Append>;

  // Of a batch that has rows.
  void append_there(const model::RowBatch& batch, Done done);
  Status prepare(const model::RowBatch& batch, model::Timestamp now, Append& append);
  void write_lengths(const Shared& append);
  void write_rows(const Shared& append);
  void ended(const Shared& append, const Status& status);  // of two
  void touch(const Shared& append);
  void mark_missed(const Shared& append);
  void look_again(const Shared& append);
  void finish(const Shared& append, Status status);

  const Options options_;
  const Tables& tables_;
  RowStore& rows_;
  SeriesTables& series_;
  PendingTrackers& trackers_;
  Journal& journal_;
  MissedTouches& missed_touches_;
  Watermark& watermark_;
  const Clock& clock_;
  KnownLengths lengths_;
};

}  // namespace varve::engine::cassandra
