// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/query_state.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include "language/analytics/members.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::language::analytics {
namespace {

using protocol::json::Writer;

// What Contrail's server makes this status of.
int errno_of(int status) {
  switch (status) {
    case 400: return EBADMSG;
    case 403: return ENOBUFS;
    case 404: return EINVAL;
    case 410: return ENOENT;
    case 503: return EBUSY;
    case 504: return ETIMEDOUT;
    default: return EIO;
  }
}

Result<QueryState> state_in(const protocol::json::Node& tree) {
  QueryState state;
  std::int64_t ended = 0, progress = 0, status = 0, rows = 0, parts = 0;
  const std::pair<std::string_view, std::int64_t*> numbers[] = {
      {"first", &state.first_us}, {"last", &state.last_us}, {"asked", &state.asked_us},
      {"told", &state.told_us},   {"ended", &ended},        {"progress", &progress},
      {"status", &status},        {"rows", &rows},          {"parts", &parts}};
  for (const auto& [name, to] : numbers) {
    VARVE_ASSIGN_OR_RETURN(const auto* node, required(tree, name, "state"));
    VARVE_ASSIGN_OR_RETURN(*to, whole_number_of(*node, name));
  }
  VARVE_ASSIGN_OR_RETURN(const auto* error, required(tree, "error", "state"));
  VARVE_ASSIGN_OR_RETURN(const auto text, text_of(*error, "error"));
  if (progress < 0 || progress > 100 || status < 0 || status > 599 || rows < 0 || parts < 0 ||
      parts > std::numeric_limits<std::int32_t>::max()) {
    return fail(Code::corrupt, "the state of a query has a number that it cannot have");
  }
  state.ended = ended != 0;
  state.progress = static_cast<int>(progress);
  state.status = static_cast<int>(status);
  state.error = text;
  state.rows = static_cast<std::uint64_t>(rows);
  state.parts = static_cast<std::uint32_t>(parts);
  return state;
}

}  // namespace

int QueryState::shown_progress() const { return status != 0 ? -errno_of(status) : progress; }

std::string text_of(const QueryState& state) {
  std::string out;
  Writer json(out);
  json.begin_object().member("first", state.first_us).member("last", state.last_us).member("asked", state.asked_us);
  json.member("told", state.told_us).member("ended", static_cast<int>(state.ended));
  json.member("progress", state.progress).member("status", state.status).member("error", state.error);
  json.member("rows", state.rows).member("parts", state.parts).end_object();
  return out;
}

Result<QueryState> read_state(std::string_view text) {
  protocol::json::Reader reader(text);
  const auto tree = protocol::json::read_strict(reader);
  auto state = tree ? state_in(*tree) : Result<QueryState>(std::unexpected(tree.error()));
  if (!state) return fail(Code::corrupt, "the state of a query is damaged: " + state.error().message);
  return state;
}

std::string state_json(const QueryState& state, std::string_view href, std::int64_t now_us) {
  const std::int64_t left_us = std::max<std::int64_t>(state.told_us + kResultLifeUs - now_us, 0);
  std::string out;
  Writer json(out);
  json.begin_object().member("progress", state.shown_progress());
  if (state.status != 0) json.member("error", state.error);
  json.key("chunks").begin_array().begin_object().member("progress", state.shown_progress());
  json.member("start_time", state.first_us).member("end_time", state.last_us);
  json.member("href", std::string(href) + "/chunk-final/0");
  json.member("ttl", left_us / 1'000'000).member("lines", state.parts).member("count", state.rows);
  json.end_object().end_array().end_object();
  return out;
}

}  // namespace varve::language::analytics
