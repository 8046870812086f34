// SPDX-License-Identifier: Apache-2.0
#include "api/analytics/purge.h"

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/analytics/handlers.h"
#include "api/shared/query_answer.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/uuid.h"
#include "language/analytics/members.h"
#include "language/analytics/time.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"
#include "query/messages/found_rows.h"

namespace varve::api {
namespace {

namespace analytics = language::analytics;

}  // namespace

// One of a tenant at a time. Thread-safe.
class Purging::Purges {
 public:
  struct Begun {
    std::string id;
    bool is_new;
  };
  Begun begin(const std::string& tenant) {
    const MutexLock lock(mutex_);
    const auto [at, is_new] = running_.try_emplace(tenant);
    if (is_new) at->second = random_uuid();
    return {at->second, is_new};
  }
  void end(const std::string& tenant) {
    const MutexLock lock(mutex_);
    running_.erase(tenant);
  }

 private:
  Mutex mutex_;
  std::map<std::string, std::string, std::less<>> running_ VARVE_GUARDED_BY(mutex_);
};

namespace {

// Ends when its task has run, or is not run at all.
struct PurgeUnderWay {
  std::shared_ptr<Purging::Purges> purges;
  std::string tenant, id;
  std::string peer = {};  // who asked for it
  std::shared_ptr<query::UnderWay> query = nullptr;
  PurgeUnderWay(std::shared_ptr<Purging::Purges> all, std::string of_tenant, std::string own_id)
      : purges(std::move(all)), tenant(std::move(of_tenant)), id(std::move(own_id)) {}
  PurgeUnderWay(const PurgeUnderWay&) = delete;
  PurgeUnderWay& operator=(const PurgeUnderWay&) = delete;
  ~PurgeUnderWay() { purges->end(tenant); }

  // It may take as long as it likes.
  [[nodiscard]] Status go_on() const {
    if (!query->ticket().cancelled()->load()) return {};
    return fail(Code::cancelled, "the purge was cancelled");
  }
};

// Messages before this time go.
Result<std::int64_t> end_of_purge(const analytics::MessageSource& source, const std::string& tenant,
                                  const PurgeInput& input, std::int64_t now_us, const PurgeUnderWay& purge) {
  constexpr int kWhole = 100;
  if (input.percent == 0) return input.before_us;
  if (input.percent == kWhole) return source.now_us() + 1000;  // the clock's millisecond belongs to it
  VARVE_ASSIGN_OR_RETURN(const auto first_us,
                         query::oldest_message(source.store, tenant, [&] { return purge.query->check(); }));
  if (!first_us || *first_us >= now_us) return now_us;
  const double kept = static_cast<double>(now_us) - static_cast<double>(*first_us);
  return *first_us + static_cast<std::int64_t>(kept * input.percent / kWhole);
}

void delete_before(storage::MessageStore& store, const PurgeUnderWay& purge, std::int64_t end_us) {
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  if (end_us == kFirst) return;
  const auto deleted =
      purge.query->explain(store.delete_messages(purge.tenant, kFirst, end_us - 1, {}, [&] { return purge.go_on(); }));
  if (deleted) {
    log::info("messages are purged",
              {{"purge", purge.id}, {"tenant", purge.tenant}, {"peer", purge.peer}, {"deleted", *deleted}});
  } else {
    log::warn(
        "messages cannot be purged",
        {{"purge", purge.id}, {"tenant", purge.tenant}, {"peer", purge.peer}, {"error", deleted.error().message}});
  }
}

}  // namespace

Purging::Purging(PurgeContext context) : context_(context), purges_(std::make_shared<Purges>()) {}

Result<Response> Purging::answer(const Request& request) const {
  // A clock that has jumped must not make all of it old.
  const std::int64_t now_us = context_.source.now_us() - context_.slots.slot_counts().clock_held_ms * 1000;
  VARVE_ASSIGN_OR_RETURN(const auto input, read_purge(request.body, now_us));
  const auto [id, is_new] = purges_->begin(request.tenant);
  if (is_new) VARVE_RETURN_IF_ERROR(start(request, input, now_us, id));
  std::string body;
  protocol::json::Writer(body)
      .begin_object()
      .member("status", is_new ? "started" : "running")
      .member("purge_id", id)
      .end_object();
  return Response::json(200, std::move(body));
}

Status Purging::start(const Request& request, const PurgeInput& input, std::int64_t now_us,
                      const std::string& id) const {
  const auto purge = std::make_shared<PurgeUnderWay>(purges_, request.tenant, id);
  purge->peer = request.peer;
  const auto shown =
      query::shown_as(request.tenant, "messages_purge", std::string(request.body.substr(0, query::kQueryTextMax)));
  VARVE_ASSIGN_OR_RETURN(purge->query, query::UnderWay::begin(context_.source.engine, shown, nullptr));
  VARVE_ASSIGN_OR_RETURN(const auto end_us, end_of_purge(context_.source, request.tenant, input, now_us, *purge));
  const auto work = [&store = context_.store, purge, end_us] { delete_before(store, *purge, end_us); };
  if (context_.slow_pool.post(work, request.tenant)) return {};
  return fail(Code::unavailable, "too many requests are waiting");
}

Result<Response> purge_messages(const AnalyticsParts& parts, const Request& request) {
  return parts.purging.answer(request);
}

Result<PurgeInput> read_purge(std::string_view body, std::int64_t now_us) {
  constexpr std::array<std::string_view, 1> kMembers = {"purge_input"};
  constexpr std::int64_t kPercentMax = 100;
  protocol::json::Reader reader(body);
  VARVE_ASSIGN_OR_RETURN(const auto tree, protocol::json::read_strict(reader));
  VARVE_RETURN_IF_ERROR(analytics::check_members(tree, kMembers, {}, ""));
  VARVE_ASSIGN_OR_RETURN(const auto* input, analytics::required(tree, kMembers[0], ""));
  std::int64_t number = 0;
  if (input->kind == protocol::json::Kind::string) {
    VARVE_ASSIGN_OR_RETURN(number, analytics::parse_time(input->text, now_us));
  } else {
    VARVE_ASSIGN_OR_RETURN(number, analytics::whole_number_of(*input, kMembers[0]));
  }
  if (number < 1) return fail(Code::invalid, "purge_input is 1 to 100 percent, or a time in microseconds since 1970");
  if (number <= kPercentMax) return PurgeInput{.percent = static_cast<int>(number), .before_us = 0};
  return PurgeInput{.percent = 0, .before_us = number};
}

}  // namespace varve::api
