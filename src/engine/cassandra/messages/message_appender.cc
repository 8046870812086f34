// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_appender.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "codec/hash.h"
#include "engine/cassandra/messages/message_owner.h"

namespace varve::engine::cassandra {

using model::Timestamp;

namespace {

constexpr unsigned kSourceBits = 11;  // in an arrival; stamps have the others until the year 2112
constexpr std::size_t kPieceBytesMax = std::size_t{1} << 20;

}  // namespace

std::uint64_t message_arrival(std::int64_t stamp, std::int64_t source) {
  const std::string_view bytes(reinterpret_cast<const char*>(&source), sizeof source);
  const std::uint64_t of_source = codec::murmur3_128(bytes)[0] & ((1U << kSourceBits) - 1);
  return static_cast<std::uint64_t>(stamp) << kSourceBits | of_source;
}

// A row that is being made.
struct MessageAppender::Piece {
  std::string owner;
  Timestamp slot = 0;
  std::int64_t arrived_us = 0;
  HotHead head;
  std::string rows;
};

struct MessageAppender::Append {
  explicit Append(Watermark& w) : watermark(w) {}
  Append(const Append&) = delete;
  Append& operator=(const Append&) = delete;
  ~Append() {  // nobody finished it: memory ran out
    if (done) std::ignore = watermark.end(begun);
  }
  Watermark& watermark;
  Done done;
  std::string tenant;
  Timestamp now_ms = 0;
  std::int64_t start_ns = 0;
  Watermark::Append begun;
  std::vector<tracker::Touch> touches;
  NewNames::Wanted names;
  struct Named {
    std::string owner;
    Timestamp slot;
    std::int64_t opened_us;
    auto operator<=>(const Named&) const = default;
  };
  std::set<Named> buckets;  // that this append names in the directory
};

// Cuts a batch into rows by class and slot, in the order of the sender.
class MessageAppender::Cutter {
 public:
  using Full = std::function<void(Piece&)>;
  Cutter(const MessageTables& messages, std::string_view tenant, std::int64_t first_stamp, std::int64_t source,
         Full full)
      : messages_(messages),
        tenant_(tenant),
        stamp_(first_stamp),
        arrival_(message_arrival(first_stamp, source)),
        full_(std::move(full)) {}

  void add(message::RowView row) {
    const message::Classes& classes = messages_.classes();
    Piece& piece =
        piece_of(classes.are_one() ? message::kDefaultClass : classes.of(row), messages_.slot_of(row.time_us()));
    if (!piece.rows.empty() && piece.rows.size() + row.bytes() > kPieceBytesMax) take(piece);
    if (piece.rows.empty()) piece.arrived_us = stamp_, piece.head = {0, 0, row.time_us(), row.time_us()};
    const std::size_t at = piece.rows.size();
    piece.rows.append(reinterpret_cast<const char*>(row.at), row.bytes());
    message::set_arrival(reinterpret_cast<std::byte*>(piece.rows.data()) + at, arrival_);
    ++piece.head.messages;
    piece.head.first_us = std::min(piece.head.first_us, row.time_us());
    piece.head.last_us = std::max(piece.head.last_us, row.time_us());
    ++stamp_;
    arrival_ += std::uint64_t{1} << kSourceBits;
  }
  void finish() {
    for (auto& [of, piece] : pieces_) take(piece);
  }
  [[nodiscard]] std::set<Timestamp> slots() const {
    std::set<Timestamp> out;
    for (const auto& [of, piece] : pieces_) out.insert(of.second);
    return out;
  }
  // With the slots of each.
  [[nodiscard]] NewNames::Owners owners() const {
    NewNames::Owners out;
    for (const auto& [of, piece] : pieces_) out[piece.owner].insert(of.second);
    return out;
  }

 private:
  using SlotOfClass = std::pair<message::ClassId, Timestamp>;

  Piece& piece_of(message::ClassId of, Timestamp slot) {
    const SlotOfClass key(of, slot);
    if (last_ == nullptr || last_key_ != key) {
      const auto [at, is_new] = pieces_.try_emplace(key);
      last_ = &at->second;
      last_key_ = key;
      last_->slot = slot;
      if (is_new) last_->owner = message_owner(tenant_, messages_.classes().name(of));
    }
    return *last_;
  }
  void take(Piece& piece) {
    piece.head.bytes = static_cast<std::uint32_t>(piece.rows.size());
    full_(piece);
    piece.rows.clear();
  }

  const MessageTables& messages_;
  const std::string_view tenant_;
  std::int64_t stamp_;
  std::uint64_t arrival_;
  const Full full_;
  std::map<SlotOfClass, Piece> pieces_;
  Piece* last_ = nullptr;
  SlotOfClass last_key_;
};

void MessageAppender::append(std::string_view tenant, const message::Batch& batch, Done done) {
  if (batch.empty()) return done({});
  const Timestamp now = clock_.now_ms();
  const auto begun = watermark_.begin(now * 1000);
  if (!begun) return done(fail(begun.error()));
  auto append = std::make_shared<Append>(watermark_);
  append->done = std::move(done);
  append->tenant = tenant;
  append->now_ms = now;
  append->begun = *begun;
  append->start_ns = clock_.steady_ns();
  std::vector<RowWrite> rows;
  if (Status status = prepare(batch, *append, rows); !status) return finish(append, std::move(status));
  rows_.write(std::move(rows), [this, append](Status status) { written(append, std::move(status)); });
}

// Messages have stamps of their own, which are drawn now: above the watermark's.
Status MessageAppender::prepare(const message::Batch& batch, Append& append, std::vector<RowWrite>& rows) {
  const std::int64_t first = stamps_.draw_many(append.now_ms * 1000, static_cast<std::int64_t>(batch.rows()));
  check(first > append.begun.first_us, "the watermark counts all messages as under way");
  Cutter cutter(messages_, append.tenant, first, options_.source,
                [&](Piece& piece) { add_piece(piece, append, rows); });
  const std::byte* const end = batch.bytes().data() + batch.bytes().size();
  for (const std::byte* at = batch.bytes().data(); at != end;) {
    const message::RowView row{at};
    cutter.add(row);
    at += row.bytes();
  }
  cutter.finish();
  for (const RowWrite& row : rows) {
    if (!row.values.empty() && row.values.back().size() > MessageTables::kValueBytesMax) {
      return fail(Code::too_large, "a message of more than " + std::to_string(MessageTables::kValueBytesMax >> 20) +
                                       " MiB, compressed, is too large");
    }
  }
  const std::set<Timestamp> slots = cutter.slots();
  append.names = names_.wanted(append.tenant, batch, cutter.owners(), messages_, append.now_ms, first);
  // What goes into one partition side by side: it goes in one request.
  std::ranges::stable_sort(rows, {}, [](const RowWrite& row) { return std::tie(row.table->name, row.partition); });
  std::ranges::move(append.names.rows, std::back_inserter(rows));
  append.names.rows.clear();
  VARVE_ASSIGN_OR_RETURN(append.touches, touches_.touches_of(append.tenant, slots));
  return {};
}

void MessageAppender::add_piece(Piece& piece, Append& append, std::vector<RowWrite>& rows) {
  if (piece.rows.empty()) return;
  std::string value = encode_hot_messages(piece.rows);
  const auto taken = buckets_.take(piece.owner, piece.slot, piece.arrived_us, value.size());
  const HotBucket bucket{options_.source, taken.opened_us};
  const std::uint32_t ttl_s = messages_.ttl_s(piece.owner, piece.slot, append.now_ms);
  if (!taken.is_named && append.buckets.insert({piece.owner, piece.slot, taken.opened_us}).second) {
    rows.push_back(messages_.bucket_write(piece.owner, piece.slot, bucket, piece.arrived_us));
    rows.back().ttl_s = ttl_s;
  }
  rows.push_back(
      messages_.hot_write(piece.owner, piece.slot, {bucket, piece.arrived_us, piece.head}, std::move(value)));
  rows.back().ttl_s = ttl_s;
}

void MessageAppender::written(const Shared& append, Status status) {
  if (!status) return finish(append, std::move(status));
  names_.stand(append->names);
  for (const Append::Named& named : append->buckets) buckets_.named(named.owner, named.slot, named.opened_us);
  touches_.touch(append->touches, clock_.now_ms(), [this, append](const Status& touched) {
    if (touched) return finish(append, {});
    // How long it takes until all have heard it does not count: the rows stand.
    missed_touches_.raise([this, append, begin_ns = clock_.steady_ns()](Status raised) {
      append->start_ns += clock_.steady_ns() - begin_ns;
      finish(append, std::move(raised));
    });
  });
}

void MessageAppender::finish(const Shared& append, Status status) {
  status = watermark_.end(append->begun, std::move(status), append->start_ns, options_.quiet_ms / 2);
  const Done done = std::exchange(append->done, {});
  done(std::move(status));
}

}  // namespace varve::engine::cassandra
