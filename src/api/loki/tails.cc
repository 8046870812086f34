// SPDX-License-Identifier: Apache-2.0
#include "api/loki/tails.h"

#include <algorithm>

#include "api/shared/follow_meter.h"
#include "codec/hash.h"
#include "language/logql/pipeline.h"
#include "message/id.h"
#include "message/matches.h"
#include "protocol/json/writer.h"

namespace varve::api {

using protocol::json::Writer;

namespace {

std::unexpected<Error> no_memory_for_tail() {
  return fail(Code::unavailable, "requests hold all the memory of limits.memory");
}
std::unexpected<Error> too_slow() { return fail(Code::limit, "messages come faster than they are read"); }

}  // namespace

TailIdentity tail_identity_of(message::RowView row) {
  constexpr std::size_t kTimeAt = 8, kArrivalAt = 16;  // in a row's head
  std::string key;
  if (message::has_lasting_id(row)) {
    const message::Id id = message::id_of(row);
    key.assign(id.begin(), id.end());
    key.append(reinterpret_cast<const char*>(row.at) + kTimeAt, sizeof(std::int64_t));
    key += std::to_string(row.nanos());
  } else {
    key.assign(reinterpret_cast<const char*>(row.at), row.bytes());
    std::fill_n(key.begin() + kArrivalAt, sizeof(std::uint64_t), '\0');
  }
  const auto hash = codec::hash128(key);
  return {hash.low, hash.high};
}

// ---- TailLines

bool TailLines::add(const TailQuery& asked, message::RowView row, RecentIds* recent) {
  if (!message::matches(asked.condition, row)) return false;
  labels_.read(row);
  if (!language::logql::run_stages(asked.query, labels_)) return false;
  if (recent != nullptr && message::has_lasting_id(row) && recent->holds(tail_identity_of(row))) return false;
  labels_.sort();
  std::string labels;
  Writer json(labels);
  json.begin_object();
  for (const auto& label : labels_.all()) json.member(label.name, label.value);
  json.end_object();
  const std::string time = std::to_string(labels_.time_ns());
  if (count_++ < kDroppedTold) {
    if (!dropped_.empty()) dropped_ += ',';
    Writer dropped(dropped_);
    dropped.begin_object().member("timestamp", time).key("labels").raw(labels).end_object();
  }
  std::string& values = streams_[std::move(labels)];
  const std::size_t before = values.size();
  if (!values.empty()) values += ',';
  Writer(values).begin_array().value(time).value(labels_.line()).end_array();
  bytes_ += values.size() - before;
  return true;
}

std::string TailLines::text() const {
  std::string out = "{\"streams\":[";
  for (const auto& [labels, values] : streams_) {
    if (out.back() == '}') out += ',';
    out += "{\"stream\":" + labels + ",\"values\":[" + values + "]}";
  }
  return out + "],\"dropped_entries\":[]}";
}

std::string TailLines::dropped() const { return "{\"streams\":[],\"dropped_entries\":[" + dropped_ + "]}"; }

// ---- Tail

Result<std::shared_ptr<const std::string>> charged_text(std::shared_ptr<MemoryLedger> ledger, std::string text) {
  struct Charged {
    Charged(std::shared_ptr<MemoryLedger> ledger, std::string given)
        : held(std::move(ledger), MemoryLedger::Kind::answer), text(std::move(given)) {}
    MemoryLedger::Account held;
    std::string text;
  };
  const auto out = std::make_shared<Charged>(std::move(ledger), std::move(text));
  out->text.shrink_to_fit();  // it may wait for long
  if (!out->held.resize(out->text.capacity())) return no_memory_for_tail();
  return std::shared_ptr<const std::string>(out, &out->text);
}

Status Tail::give(const std::shared_ptr<const std::string>& text, const std::set<TailIdentity>& identities) {
  {
    constexpr std::size_t kNodeBytes = 64;  // of a set
    const MutexLock lock(tail_mutex_);
    if (!started_) heard_.insert(identities.begin(), identities.end());
    if (heard_.size() > kHeardMost) return too_slow();
    if (!heard_held_.resize(heard_.size() * kNodeBytes)) return no_memory_for_tail();
  }
  return send(text) ? Status() : too_slow();
}

std::set<TailIdentity> Tail::heard() {
  const MutexLock lock(tail_mutex_);
  return heard_;
}

void Tail::start() {
  const MutexLock lock(tail_mutex_);
  started_ = true;
  heard_.clear();
  heard_held_.clear();
}

// ---- Tails

class Tails::Question {
 public:
  Question(TailQuery asked, std::shared_ptr<MemoryLedger> ledger, const Clock& clock, Counter& dropped)
      : asked_(std::move(asked)), ledger_(std::move(ledger)), clock_(clock), dropped_(dropped) {}

  void add(std::weak_ptr<Tail> tail) {
    const MutexLock lock(mutex_);
    std::erase_if(tails_, [](const auto& one) { return one.expired(); });
    tails_.push_back(std::move(tail));
  }

  // By one thread.
  void look_at(std::span<const std::byte> rows) {
    TailLines lines;
    std::set<TailIdentity> identities;
    const FollowMeter meter(clock_);
    for (const std::byte *at = rows.data(), *const stop = at + rows.size(); at != stop;) {
      const message::RowView row{at};
      at += row.bytes();
      if (lines.add(asked_, row, &recent_)) identities.insert(tail_identity_of(row));
      if (!meter.status()) return fail_all(meter.status().error());
    }
    if (lines.empty()) return;
    const auto text = charged_text(ledger_, lines.text());
    for (const auto& tail : tails()) {
      const Status given = text ? tail->give(*text, identities) : Status(fail(text.error()));
      if (given) continue;
      dropped_.add();
      tail->end(http::CloseCode::policy, given.error().message, lines.dropped());
    }
  }

  void fail_all(const Error& error) {
    for (const auto& tail : tails()) tail->end(http::CloseCode::policy, error.message);
  }

 private:
  std::vector<std::shared_ptr<Tail>> tails() {
    std::vector<std::shared_ptr<Tail>> out;
    const MutexLock lock(mutex_);
    for (const auto& one : tails_) {
      if (auto tail = one.lock()) out.push_back(std::move(tail));
    }
    return out;
  }

  const TailQuery asked_;
  const std::shared_ptr<MemoryLedger> ledger_;
  const Clock& clock_;
  Counter& dropped_;
  RecentIds recent_;
  Mutex mutex_;
  std::vector<std::weak_ptr<Tail>> tails_ VARVE_GUARDED_BY(mutex_);
};

Tails::Tails(write::MessageNews& news, std::shared_ptr<MemoryLedger> ledger, const Clock& clock, Metrics& metrics)
    : news_(news),
      ledger_(std::move(ledger)),
      clock_(clock),
      dropped_(
          metrics.counter("varve_loki_tails_dropped_total", "Loki tails that read too slowly, and were told so.")) {}

double Tails::count() const {
  const MutexLock lock(mutex_);
  return static_cast<double>(tails_);
}

void Tails::register_metrics(const std::shared_ptr<Tails>& tails, Metrics& metrics) {
  metrics.gauge("varve_loki_tails", "Clients of Loki's tail.", [tails] { return tails->count(); });
}

void Tails::removed(const std::string& key) {
  Shared last;  // destroyed without the lock
  const MutexLock lock(mutex_);
  --tails_;
  const auto at = questions_.find(key);
  if (--at->second.tails > 0) return;
  last = std::move(at->second);
  questions_.erase(at);
}

bool Tails::may_add(const std::string& tenant, bool is_new) const {
  if (!is_new) return tails_ < kMost;
  return tails_ < kMost && questions_.size() < kQuestionsMost && has_room_for_question(questions_, tenant);
}

Result<std::shared_ptr<Tail>> Tails::add(const std::string& tenant, std::string_view text, TailQuery asked) {
  const std::string key = tenant + '\n' + std::string(text);
  std::shared_ptr<Question> question;
  {
    const MutexLock lock(mutex_);
    auto at = questions_.find(key);
    if (!may_add(tenant, at == questions_.end())) {
      return fail(Code::unavailable, "too many follow messages already");
    }
    if (at == questions_.end()) {
      Shared made{std::make_shared<Question>(std::move(asked), ledger_, clock_, dropped_), nullptr, 0};
      made.listens = news_.listen(tenant, [question = made.question](const auto& rows) {
        if (rows) {
          question->look_at(*rows);
        } else {
          question->fail_all(rows.error());
        }
      });
      at = questions_.emplace(key, std::move(made)).first;
    }
    ++tails_;
    ++at->second.tails;
    question = at->second.question;
  }
  auto tail = std::make_shared<Tail>(ledger_, [self = shared_from_this(), key] { self->removed(key); });
  question->add(tail);
  return tail;
}

}  // namespace varve::api
