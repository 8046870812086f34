// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "language/analytics/kept_results.h"

namespace varve::language::analytics {
namespace {

using storage::TextName;

constexpr std::int64_t kSilentUs = 60'000'000;  // who runs a query says so every ten seconds

// Texts of varve itself: no tenant's requests name them. A partition of Cassandra holds a few dozen.
TextName text_name(const QueryName& query, const std::string& group, const std::string& key) {
  return {"", "_analytics_results_" + query.id + group, query.tenant, key};
}

TextName part_name(const QueryName& query, std::uint32_t number) {
  constexpr std::uint32_t kPartsInGroup = 64;
  return text_name(query, "_" + std::to_string(number / kPartsInGroup), std::to_string(number));
}

std::chrono::seconds life_of(std::int64_t us) { return std::chrono::seconds(us / 1'000'000 + 1); }

}  // namespace

Status ResultsInTexts::put_state(const QueryName& query, const QueryState& state) {
  return texts_.put_passing_text(text_name(query, "", "state"), text_of(state),
                                 life_of(kResultLifeUs + kResultGraceUs));
}

Result<std::optional<QueryState>> ResultsInTexts::state(const QueryName& query) {
  VARVE_ASSIGN_OR_RETURN(const auto text, texts_.passing_text(text_name(query, "", "state")));
  if (!text) return std::optional<QueryState>();
  VARVE_ASSIGN_OR_RETURN(auto state, read_state(*text));
  const std::int64_t now_us = clock_.now_ms() * 1000;
  if (!state.ended && now_us - state.told_us > kSilentUs) {
    state.ended = true;
    state.status = 500;
    state.error = "the varve that ran the query has not been heard of for a minute";
  }
  if (state.is_over(now_us)) return std::optional<QueryState>();
  return std::optional(std::move(state));
}

Status ResultsInTexts::put_part(const QueryName& query, std::uint32_t number, std::string part) {
  const auto life = life_of(kResultLifeUs + kResultGraceUs + timeout_ms_ * 1000);
  return texts_.put_passing_text(part_name(query, number), part, life);
}

Result<std::shared_ptr<const std::string>> ResultsInTexts::part(const QueryName& query, std::uint32_t number) {
  VARVE_ASSIGN_OR_RETURN(auto text, texts_.passing_text(part_name(query, number)));
  if (!text) return fail(Code::not_found, "a part of the result is not there any more");
  return std::make_shared<const std::string>(std::move(*text));
}

}  // namespace varve::language::analytics
