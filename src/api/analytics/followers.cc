// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/followers.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "api/shared/follow_meter.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

using protocol::json::Kind;
using protocol::json::Node;

constexpr std::array<std::string_view, 4> kNotOfMessages = {"start_time", "end_time", "limit", "follow"};

void append_canonical(protocol::json::Writer& json, const Node& node, bool is_root = false) {
  switch (node.kind) {
    case Kind::string: json.value(node.text); return;
    case Kind::none:
    case Kind::null: json.null(); return;
    case Kind::number:
    case Kind::boolean: json.raw(node.text); return;
    case Kind::array:
      json.begin_array();
      for (const Node& item : node.children) append_canonical(json, item);
      json.end_array();
      return;
    case Kind::object: break;
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const bool matters = !is_root || std::ranges::find(kNotOfMessages, node.names[i]) == kNotOfMessages.end();
    if (matters && node.children[i].kind != Kind::null) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return node.names[i]; });
  json.begin_object();
  for (const std::size_t i : order) append_canonical(json.key(node.names[i]), node.children[i]);
  json.end_object();
}

}  // namespace

std::string question_key(std::string_view body) {
  protocol::json::Reader reader(body);
  const auto root = protocol::json::read_strict(reader);
  std::string out;
  protocol::json::Writer json(out);
  if (root) append_canonical(json, *root, true);
  return out;
}

struct Followers::Question {
  Question(const language::analytics::AnalyticsQuery& asked, const std::shared_ptr<MemoryLedger>& ledger,
           const Clock& clock, Counter& evaluations, Counter& dropped)
      : followed(std::make_shared<Followed>(asked, ledger, clock, evaluations, dropped)) {}
  std::shared_ptr<Followed> followed;
  std::shared_ptr<const void> listens;
};

Followers::Followers(write::MessageNews& news, std::shared_ptr<MemoryLedger> ledger, const Clock& clock,
                     Metrics& metrics)
    : news_(news),
      ledger_(std::move(ledger)),
      clock_(clock),
      evaluations_(metrics.counter("varve_followed_messages_total",
                                   "Messages that were compared with what is followed, once for each question.")),
      dropped_(metrics.counter("varve_followers_dropped_total", "Followers that read too slowly, and were told so.")) {}

double Followers::count(bool questions) const {
  const MutexLock lock(mutex_);
  return static_cast<double>(questions ? questions_.size() : followers_);
}

void Followers::register_metrics(const std::shared_ptr<Followers>& followers, Metrics& metrics) {
  metrics.gauge("varve_followers", "Clients that follow messages.", [followers] { return followers->count(false); });
  metrics.gauge("varve_followed_questions", "Different questions that they ask.",
                [followers] { return followers->count(true); });
}

void Followers::removed(const std::string& key) {
  std::shared_ptr<Question> last;  // destroyed without the lock
  const MutexLock lock(mutex_);
  --followers_;
  const auto at = questions_.find(key);
  if (--at->second.followers > 0) return;
  last = std::move(at->second.question);
  questions_.erase(at);
}

bool Followers::may_add(const std::string& tenant, bool is_new) const {
  if (!is_new) return followers_ < kMost;
  return followers_ < kMost && questions_.size() < kQuestionsMost && has_room_for_question(questions_, tenant);
}

Result<std::shared_ptr<Follower>> Followers::add(const std::string& tenant, std::string_view body,
                                                 const language::analytics::AnalyticsQuery& asked) {
  const std::string key = tenant + '\n' + question_key(body);
  std::shared_ptr<Followed> followed;
  {
    const MutexLock lock(mutex_);
    auto at = questions_.find(key);
    if (!may_add(tenant, at == questions_.end())) {
      return fail(Code::unavailable, "too many follow messages already");
    }
    if (at == questions_.end()) {
      auto question = std::make_shared<Question>(asked, ledger_, clock_, evaluations_, dropped_);
      question->listens = news_.listen(tenant, [followed = question->followed](const auto& rows) {
        if (rows) {
          followed->look_at(*rows);
        } else {
          followed->fail_all(rows.error());
        }
      });
      at = questions_.emplace(key, Shared{std::move(question), 0}).first;
    }
    ++followers_;
    ++at->second.followers;
    followed = at->second.question->followed;
  }
  auto follower = std::make_shared<Follower>(asked.first_us, [self = shared_from_this(), key] { self->removed(key); });
  followed->add(follower);
  return follower;
}

}  // namespace varve::api
