// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <string>

#include "api/admin/handlers.h"
#include "protocol/json/writer.h"

namespace varve::api {
namespace {

using protocol::json::Writer;

constexpr std::size_t kSlotsShown = 100;
constexpr std::size_t kSlotsMax = 100'000;

void append_message_slot(Writer& json, const storage::SlotState& slot) {
  json.begin_object().member("start", slot.start).member("end", slot.end);
  json.member("state", storage::to_string(slot.phase)).member("messages", slot.samples).member("bytes", slot.bytes);
  json.member("fragments", slot.fragments).end_object();
}

void append_slot(Writer& json, const storage::SlotState& slot) {
  json.begin_object().member("start", slot.start).member("end", slot.end);
  json.member("state", storage::to_string(slot.phase)).member("samples", slot.samples).member("bytes", slot.bytes);
  json.member("fragments", slot.fragments).member("open_groups", slot.open_groups).end_object();
}

void append_work(Writer& json, const storage::SetAsideWork& work) {
  json.begin_object().member("work", work.work).member("slot", work.slot);
  json.member("granularity_ms", work.granularity_ms).member("series", work.series);
  json.member("failures", work.failures).member("retry", work.retry_ms).member("error", work.error).end_object();
}

Result<std::size_t> slots_limit_of(const Request& request) {
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
  VARVE_ASSIGN_OR_RETURN(const auto limit, slots_limit_of(request));
  VARVE_ASSIGN_OR_RETURN(const auto tenant, series.find_tenant(request.tenant));
  const auto counts = slots.slot_counts();
  std::string body;
  Writer json(body);
  json.begin_object().member("pending", counts.pending).member("sealed", counts.sealed);
  json.member("windows", counts.windows).key("set_aside").begin_array();
  if (tenant) {
    for (const auto& work : slots.set_aside()) {
      if (work.tenant == *tenant) append_work(json, work);
    }
  }
  json.end_array().key("slots").begin_array();
  if (tenant) {
    for (const auto& slot : slots.slots(*tenant, limit)) append_slot(json, slot);
  }
  json.end_array().key("messages").begin_array();
  if (tenant) {
    for (const auto& slot : slots.message_slots(*tenant, limit)) append_message_slot(json, slot);
  }
  json.end_array().end_object();
  return Response::own_json(200, std::move(body));
}

Result<Response> jobs_response(const tracker::Ownership& ownership) {
  VARVE_ASSIGN_OR_RETURN(const auto jobs, ownership.jobs());
  std::string body;
  Writer json(body);
  json.begin_object().member("replica", ownership.replica()).member("own", to_string(ownership.own()));
  json.key("partitions").array(ownership.partitions()).key("jobs").begin_array();
  for (const auto& job : jobs) {
    json.begin_object().member("job", job.job).member("holder", job.holder);
    json.member("lease_until", job.expires_ms).member("next_turn", job.due_ms).end_object();
  }
  json.end_array().end_object();
  return Response::own_json(200, std::move(body));
}

}  // namespace

Result<Response> list_slots(const AdminParts& parts, const Request& request) {
  return slots_response(parts.slots, parts.series, request);
}

Result<Response> list_jobs(const AdminParts& parts, const Request&) { return jobs_response(parts.ownership); }

}  // namespace varve::api
