// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/hot/appender.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "engine/cassandra/hot/hot_pieces.h"
#include "engine/cassandra/tables/data_rows.h"
#include "engine/cassandra/tables/prefix_lengths.h"

namespace varve::engine::cassandra {

using model::Timestamp;
using tracker::Touch;

namespace {

constexpr int kLooksMax = 8;  // so often it may be forgotten while it is written

// Without markers of groups all of whose series are forgotten, and stay so: nothing of them has ended. nullopt: there
// are none.
std::optional<model::RowBatch> without_gone_markers(const model::RowBatch& batch, const Directory& directory) {
  return directory.read([&](const index::SeriesIndex& index) -> std::optional<model::RowBatch> {
    const auto each_row = [&](const auto& use) {
      for (std::size_t at = 0; at < batch.bytes().size(); at += batch.row_at(at).bytes()) use(batch.row_at(at));
    };
    std::set<model::SeriesId> gone;
    each_row([&](model::RowView row) {
      const auto series = index.group_series(row.group());
      const auto is_forgotten = [&](model::SeriesId one) { return index.is_forgotten(one); };
      if (row.samples() == 0 && std::ranges::all_of(series, is_forgotten)) gone.insert(series.begin(), series.end());
    });
    each_row([&](model::RowView row) {
      if (gone.empty() || row.samples() == 0) return;
      for (const model::SeriesId one : index.group_series(row.group())) gone.erase(one);
    });
    if (gone.empty()) return std::nullopt;
    model::RowBatch left;
    each_row([&](model::RowView row) {
      const auto is_gone = [&](model::SeriesId one) { return gone.contains(one); };
      if (row.samples() != 0 || !std::ranges::all_of(index.group_series(row.group()), is_gone)) left.add(row);
    });
    return left;
  });
}

}  // namespace

struct Appender::Append {
  explicit Append(Watermark& w) : watermark(w) {}
  Append(const Append&) = delete;
  Append& operator=(const Append&) = delete;
  ~Append() {  // nobody finished it: memory ran out
    if (done) std::ignore = watermark.end(begun);
  }
  Watermark& watermark;
  Done done;
  std::int64_t start_ns = 0;
  Watermark::Append begun;
  std::vector<Touch> touches;
  std::vector<GroupBucket> groups;
  Journal::Wanted journal;
  std::vector<RowWrite> rows;  // until they are written
  Timestamp prepared_ms = 0;
  std::string tenant;
  std::vector<KnownLengths::Length> lengths;  // of hash prefixes, whose rows are written before
  int looks = 0;
  std::uint64_t raises_failed = 0;  // of the index' numbers, when it began

  Mutex mutex;
  int under_way = 2;
  Status status;  // the first error
};

void Appender::append(const model::RowBatch& batch, Done done) {
  if (batch.empty()) return done({});
  if (batch.markers() != 0) {
    const auto left = without_gone_markers(batch, series_.directory());
    if (left && left->empty()) return done({});
    if (left) return append_there(*left, std::move(done));
  }
  append_there(batch, std::move(done));
}

void Appender::append_there(const model::RowBatch& batch, Done done) {
  const Timestamp now = clock_.now_ms();
  const auto begun = watermark_.begin(now * 1000);
  if (!begun) return done(fail(begun.error()));
  auto append = std::make_shared<Append>(watermark_);
  append->done = std::move(done);
  append->begun = *begun;
  append->start_ns = clock_.steady_ns();
  append->raises_failed = series_.raises_failed();
  if (auto prepared = prepare(batch, now, *append); !prepared) return finish(append, std::move(prepared));
  const auto missing = series_.missing(append->groups);
  if (append->lengths.empty()) {
    write_rows(append);
  } else {
    write_lengths(append);
  }
  series_.announce(missing, [this, append](const Status& status) { ended(append, status); });
}

// A hot row that stood without would come to light when somebody else writes its length: after the same samples, sent
// again, were counted.
void Appender::write_lengths(const Shared& append) {
  std::vector<RowWrite> rows;
  for (const KnownLengths::Length& one : append->lengths) {
    rows.push_back(prefix_length_write(tables_, append->tenant, one.slot, options_.slot_ms, one.bits,
                                       append->begun.first_us, append->prepared_ms));
  }
  rows_.write(std::move(rows), [this, append](const Status& status) {
    if (!status) return ended(append, status);
    lengths_.stand(append->lengths, append->prepared_ms);
    write_rows(append);
  });
}

void Appender::write_rows(const Shared& append) {
  rows_.write(std::exchange(append->rows, {}), [this, append](const Status& status) {
    if (status) journal_.stand(append->journal, clock_.now_ms());
    ended(append, status);
  });
}

// Each piece has an arrival of its own, ascending: the parts of one that was cut are told apart by it in their slot,
// and those of all slots in a rollup block (settle/rollup_block_builder.h).
Status Appender::prepare(const model::RowBatch& batch, Timestamp now, Append& append) {
  Directory& directory = series_.directory();
  std::vector<RowWrite>& rows = append.rows;
  HotBatch hot = hot_pieces(batch, options_.slot_ms, [&](std::span<const model::GroupId> groups) {
    return directory.names_to_write(groups, now * 1000);
  });
  check(!hot.sections.empty(), "a batch has rows");
  const auto has_left = [](const HotBatch::Section& section) { return section.name.tenant == model::kNoTenant; };
  if (std::ranges::any_of(hot.sections, has_left)) {
    return fail(Code::unavailable, "a series that was gone has left the directory meanwhile: send it again");
  }
  const model::TenantId tenant_id = hot.sections[0].name.tenant;  // a batch is of one
  const std::string tenant = directory.tenant_name(tenant_id);
  rows.reserve(hot.pieces.size());
  for (const HotPiece& piece : hot.pieces) {
    const std::int64_t arrived_us = rows.empty() ? append.begun.first_us : directory.stamps().draw(now * 1000);
    const Arrival arrival{arrived_us, options_.source};
    rows.push_back(hot_write(tables_, tenant, piece.prefix, piece.slot, arrival, piece.value));
    // Of a slot that ends in the future they live until it is sealed.
    if (const Timestamp end = piece.slot + options_.slot_ms; end > now) {
      rows.back().ttl_s = ttl_left_s(end, kHotKeptMs, now).value_or(0);
    }
  }
  check(!rows.empty() && rows.size() == hot.pieces.size(), "each piece is a row");
  const std::int64_t first_us = rows[0].timestamp_us;
  check(first_us == append.begun.first_us, "the watermark counts the first arrival as under way");
  // What goes into one partition side by side: it goes in one request.
  std::ranges::stable_sort(rows, {}, &RowWrite::partition);
  for (const HotBatch::Section& section : hot.sections) {
    append.touches.push_back(
        {{section.name.tenant, model::to_int(section.group)}, section.name.partition, section.slot});
    for (const Timestamp time : {section.slot, section.slot + options_.slot_ms - 1}) {
      const GroupBucket group{section.group, index_bucket_of(time)};
      if (append.groups.empty() || append.groups.back() != group) append.groups.push_back(group);
    }
  }
  std::ranges::stable_sort(append.touches, {}, &Touch::slot);
  append.journal = journal_.wanted(append.touches, now);
  journal_.add_rows(append.journal, first_us, rows);
  append.prepared_ms = now;
  append.tenant = tenant;
  append.lengths = lengths_.missing(tenant_id, hot.pieces, now);
  return {};
}

void Appender::ended(const Shared& append, const Status& status) {
  Status first;
  {
    const MutexLock lock(append->mutex);
    check(append->under_way > 0, "an append has two parts");
    if (append->status) append->status = status;
    if (--append->under_way > 0) return;
    first = append->status;
  }
  if (!first) return finish(append, std::move(first));
  touch(append);
}

// Which touches may be left out is asked now that the rows can be read: what is left out is touched for half of the
// quiet time yet.
void Appender::touch(const Shared& append) {
  trackers_.touch(append->touches, clock_.now_ms(), [this, append](const Status& status) {
    if (!status) return mark_missed(append);
    look_again(append);
  });
}

// How long it takes until all have heard it does not count: the rows stand.
void Appender::mark_missed(const Shared& append) {
  append->raises_failed = series_.raises_failed();
  missed_touches_.raise([this, append, begin_ns = clock_.steady_ns()](Status raised) {
    append->start_ns += clock_.steady_ns() - begin_ns;
    if (!raised) return finish(append, std::move(raised));
    look_again(append);
  });
}

// Others do not look for what was announced while its numbers could not be raised, be it by this append or another one,
// unless they have heard the marker.
void Appender::look_again(const Shared& append) {
  const auto missing = series_.missing(append->groups);
  if (missing.empty()) {
    if (series_.raises_failed() != append->raises_failed || missed_touches_.unheard()) return mark_missed(append);
    return finish(append, {});
  }
  if (++append->looks > kLooksMax) {
    return finish(append, fail(Code::unavailable, "the series are deleted again and again: try later"));
  }
  series_.announce(missing, [this, append](Status status) {
    if (!status) return finish(append, std::move(status));
    look_again(append);
  });
}

void Appender::finish(const Shared& append, Status status) {
  status = watermark_.end(append->begun, std::move(status), append->start_ns, options_.quiet_ms / 2);
  const Done done = std::exchange(append->done, {});
  done(std::move(status));
}

}  // namespace varve::engine::cassandra
