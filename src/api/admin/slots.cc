// SPDX-License-Identifier: Apache-2.0
#include "api/admin/slots.h"

#include "api/shared/endpoint.h"

#include <charconv>
#include <string>

#include "api/shared/http.h"
#include "protocol/json/text.h"

namespace varve::api {
namespace {

using protocol::json::append_string;

constexpr std::size_t kSlotsShown = 100;
constexpr std::size_t kSlotsMax = 100'000;

// Between the members of a list.
void append_comma(std::string& out) {
  if (out.back() != '[') out += ',';
}

void append_slot(std::string& out, const storage::SlotState& slot) {
  append_comma(out);
  out += R"({"start":)" + std::to_string(slot.start) + R"(,"end":)" + std::to_string(slot.end) + R"(,"state":")";
  out += storage::to_string(slot.phase);
  out += R"(","samples":)" + std::to_string(slot.samples) + R"(,"bytes":)" + std::to_string(slot.bytes) +
         R"(,"fragments":)" + std::to_string(slot.fragments) + R"(,"open_groups":)" + std::to_string(slot.open_groups) +
         '}';
}

void append_work(std::string& out, const storage::SetAsideWork& work) {
  append_comma(out);
  out += R"({"work":)";
  append_string(out, work.work);
  out += R"(,"slot":)" + std::to_string(work.slot) + R"(,"granularity_ms":)" + std::to_string(work.granularity_ms) +
         R"(,"series":)";
  append_string(out, work.series);
  out += R"(,"failures":)" + std::to_string(work.failures) + R"(,"retry":)" + std::to_string(work.retry_ms) +
         R"(,"error":)";
  append_string(out, work.error);
  out += '}';
}

Result<std::size_t> limit_of(const Request& request) {
  const auto text = request.param("limit");
  if (!text) return kSlotsShown;
  std::size_t limit = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
  if (error != std::errc{} || end != text->data() + text->size() || limit == 0 || limit > kSlotsMax) {
    return fail(Code::invalid, "limit must be a number from 1 to " + std::to_string(kSlotsMax));
  }
  return limit;
}

Result<Response> slots_response(const storage::SlotStore& slots, const storage::SeriesStore& series,
                                const Request& request) {
  VARVE_ASSIGN_OR_RETURN(const auto limit, limit_of(request));
  VARVE_ASSIGN_OR_RETURN(const auto tenant, series.find_tenant(request.tenant));
  const auto counts = slots.slot_counts();
  std::string body = R"({"pending":)" + std::to_string(counts.pending) + R"(,"sealed":)" +
                     std::to_string(counts.sealed) + R"(,"windows":)" + std::to_string(counts.windows) +
                     R"(,"set_aside":[)";
  if (tenant) {
    for (const auto& work : slots.set_aside()) {
      if (work.tenant == *tenant) append_work(body, work);
    }
  }
  body += R"(],"slots":[)";
  if (tenant) {
    for (const auto& slot : slots.slots(*tenant, limit)) append_slot(body, slot);
  }
  return Response::json(200, body + "]}");
}

Result<Response> jobs_response(const tracker::Ownership& ownership) {
  VARVE_ASSIGN_OR_RETURN(const auto jobs, ownership.jobs());
  std::string body = R"({"replica":)";
  append_string(body, ownership.replica());
  body += R"(,"own":")";
  body += to_string(ownership.own());
  body += R"(","partitions":[)";
  for (const std::uint32_t partition : ownership.partitions()) {
    append_comma(body);
    body += std::to_string(partition);
  }
  body += R"(],"jobs":[)";
  for (const auto& job : jobs) {
    append_comma(body);
    body += R"({"job":)" + std::to_string(job.job) + R"(,"holder":)";
    append_string(body, job.holder);
    body +=
        R"(,"lease_until":)" + std::to_string(job.expires_ms) + R"(,"next_turn":)" + std::to_string(job.due_ms) + '}';
  }
  return Response::json(200, body + "]}");
}

}  // namespace

void add_admin_slots(Router& router, const storage::SlotStore& slots, const storage::SeriesStore& series,
                     TaskPool& pool) {
  const Endpoint endpoint(pool, {.status_of = status_of});
  router.add(Method::get, "/api/v1/admin/slots", endpoint.on_pool([&slots, &series](const Request& request) {
    return slots_response(slots, series, request);
  }),
             Effect::administers);
}

void add_admin_jobs(Router& router, tracker::Ownership& ownership, TaskPool& pool) {
  const Endpoint endpoint(pool, {.status_of = status_of, .needs_tenant = false});
  router.add(Method::get, "/api/v1/admin/jobs",
             endpoint.on_pool([&ownership](const Request&) { return jobs_response(ownership); }), Effect::administers);
}

}  // namespace varve::api
