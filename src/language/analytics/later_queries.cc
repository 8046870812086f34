// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/later_queries.h"

#include <utility>

namespace varve::language::analytics {
namespace {

constexpr std::chrono::milliseconds kLookPause{10'000};

LaterQueries::Listed listed_of(const LaterQuery& query) {
  const QueryState state = query.state();
  return {query.name().id, query.body().substr(0, query::kQueryTextMax), state.asked_us, state.shown_progress(),
          state.error};
}

}  // namespace

LaterQueries::LaterQueries(const MessageSource& source, TaskPool& pool, std::shared_ptr<KeptResults> results,
                           int (*status_of)(Code))
    : pool_(pool),
      shared_(std::make_shared<Shared>(source, std::move(results), status_of)),
      look_after_(kLookPause, [shared = shared_](const auto&) { look_after(*shared); }) {}

LaterQueries::~LaterQueries() {
  for (const auto& query : shared_->all()) query->cancel();
}

std::vector<std::shared_ptr<LaterQuery>> LaterQueries::Shared::all() const {
  std::vector<std::shared_ptr<LaterQuery>> out;
  const MutexLock lock(mutex);
  out.reserve(queries.size());
  for (const auto& [id, query] : queries) out.push_back(query);
  return out;
}

// What waits long says that it is still there; what is over goes.
void LaterQueries::look_after(const Shared& shared) {
  for (const auto& query : shared.all()) static_cast<void>(query->tell());  // the next time tries again
  shared.results->sweep();
}

void LaterQueries::Shared::ended(const LaterQuery& query) {
  const QueryState state = query.state();
  const MutexLock lock(mutex);
  queries.erase(query.name().id);
  if (state.status == 0) return;
  if (failed.size() == kFailedMax) failed.pop_front();
  failed.push_back({query.name().tenant, query.was_killed(), listed_of(query), state.told_us});
}

Result<std::string> LaterQueries::begin(const std::string& tenant, std::string body) {
  VARVE_ASSIGN_OR_RETURN(const auto query, LaterQuery::read(shared_->source, *shared_->results, shared_->status_of,
                                                            tenant, std::move(body)));
  VARVE_RETURN_IF_ERROR(query->tell());
  std::string id = query->name().id;
  {
    const MutexLock lock(shared_->mutex);
    shared_->queries.emplace(id, query);
  }
  const auto run = [shared = shared_, query] {
    query->run();
    shared->ended(*query);  // who is told that it failed finds it in the list
    query->tell_end();
  };
  const bool taken = pool_.post(run, tenant);
  if (taken) return id;
  const MutexLock lock(shared_->mutex);
  shared_->queries.erase(id);
  return fail(Code::unavailable, "too many requests are waiting");
}

LaterQueries::Lists LaterQueries::list(const std::string& tenant) const {
  Lists out;
  for (const auto& query : shared_->all()) {
    if (query->name().tenant == tenant && !query->has_begun()) out.pending.push_back(listed_of(*query));
  }
  for (const auto& running : shared_->source.engine.running().list(tenant)) {
    if (running.api != "analytics") continue;
    Listed one{running.id, running.text, running.started_ms * 1000, kBegunProgress, ""};
    std::shared_ptr<LaterQuery> later;
    {
      const MutexLock lock(shared_->mutex);
      const auto found = shared_->queries.find(running.id);
      if (found != shared_->queries.end()) later = found->second;
    }
    if (later != nullptr && !later->has_begun()) continue;
    if (later != nullptr) one = listed_of(*later);
    out.processed.push_back(std::move(one));
  }
  const std::int64_t since_us = shared_->source.now_us() - kResultLifeUs;
  const MutexLock lock(shared_->mutex);
  for (const Failed& one : shared_->failed) {
    if (one.tenant == tenant && one.ended_us >= since_us)
      (one.killed ? out.abandoned : out.failed).push_back(one.listed);
  }
  return out;
}

}  // namespace varve::language::analytics
