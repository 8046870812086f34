// SPDX-License-Identifier: Apache-2.0
#include "api/shared/deletes.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "base/printable.h"
#include "model/instant.h"
#include "query/search.h"

namespace varve::api {

namespace {

// Of every metric, those that fit.
Result<std::vector<model::SeriesId>> find(const DeleteContext& context, model::TenantId tenant,
                                          const Selection& selection, query::UnderWay& query) {
  if (selection.metric) {
    return context.series.select(tenant, *selection.metric, selection.matchers, {},
                                 query::still_wanted(query.deadline()));
  }
  std::vector<model::SeriesId> all;
  query::Search search;
  search.tenant = selection.tenant;
  search.matchers = selection.matchers;
  const auto add = [&](model::TenantId, const std::string&, std::span<const model::SeriesId> series) -> Status {
    all.insert(all.end(), series.begin(), series.end());
    return query.budget().charge(series.size_bytes());
  };
  VARVE_RETURN_IF_ERROR(query::search(context.engine, search, query, add));
  return all;
}

// Names are of strangers, and may be very long.
std::string shown_name(std::string_view name) {
  constexpr std::size_t kShownMost = 200;
  return printable(name.substr(0, kShownMost));
}

const char* sign_of(index::Matcher::Kind kind) {
  switch (kind) {
    case index::Matcher::Kind::any_of: return "=";
    case index::Matcher::Kind::none_of: return "!=";
    case index::Matcher::Kind::prefix: return "=^";
    case index::Matcher::Kind::regex: return "=~";
    case index::Matcher::Kind::not_regex: return "!~";
  }
  return "?";
}

std::string shown_matchers(const index::Matchers& matchers) {
  constexpr std::size_t kMatchersMost = 10;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMatchersMost, matchers.size()); ++i) {
    if (i != 0) out += ' ';
    out += shown_name(matchers[i].key) + sign_of(matchers[i].kind);
    for (std::size_t v = 0; v < std::min(kMatchersMost, matchers[i].values.size()); ++v) {
      out += (v == 0 ? "" : "|") + shown_name(matchers[i].values[v]);
    }
  }
  return matchers.size() > kMatchersMost ? out + " ..." : out;
}

// Who emptied it, and why is there nothing, are asked long afterwards.
void tell_of(const Selection& selection, const Asker& asker, const Result<std::uint64_t>& samples) {
  const model::TimeRange all;
  const auto& range = selection.range;
  const std::string metric = selection.metric ? shown_name(*selection.metric) : "*";
  const std::string tags = selection.matchers.empty() ? "*" : shown_matchers(selection.matchers);
  const std::string from = range.first <= all.first ? "*" : model::instant(range.first);
  const std::string to = range.last >= all.last ? "*" : model::instant(range.last);
  log::write(samples ? log::Level::info : log::Level::warn,
             samples ? "samples are deleted" : "samples are not deleted, or not all of them",
             {{"tenant", selection.tenant},
              {"peer", asker.peer},
              {"api", asker.api},
              {"metric", metric},
              {"tags", tags},
              {"from", from},
              {"to", to},
              samples ? log::Field("samples", *samples) : log::Field("error", samples.error().message)});
}

// How many samples are gone, about.
Result<std::uint64_t> erase_found(const DeleteContext& context, const Selection& selection, const Asker& asker,
                                  std::atomic<bool>* gone) {
  VARVE_ASSIGN_OR_RETURN(const auto tenant, context.series.find_tenant(selection.tenant));
  if (!tenant) return 0;
  // In the list of what runs until it has ended; killing it sets `gone`.
  const query::Request running =
      query::shown_as(selection.tenant, asker.api, asker.text.substr(0, query::kQueryTextMax));
  VARVE_ASSIGN_OR_RETURN(const auto query, query::UnderWay::begin(context.engine, running, gone));
  VARVE_ASSIGN_OR_RETURN(const auto series, query->explain(find(context, *tenant, selection, *query)));
  VARVE_ASSIGN_OR_RETURN(const auto report,
                         query->explain(context.samples.erase(*tenant, series, selection.range, gone)));
  context.metrics.counter("varve_samples_deleted_total", "Samples that deletes have erased, about.")
      .add(report.samples);
  if (!selection.range.empty()) context.series.forget_empty(*tenant, series);
  return report.samples;
}

}  // namespace

Status erase_selection(const DeleteContext& context, const Selection& selection, const Asker& asker,
                       std::atomic<bool>* gone) {
  context.metrics.counter("varve_deletes_total", "Deletes asked, by API.", {{"api", asker.api}}).add();
  check(!selection.tenant.empty(), "a delete is of a tenant");
  const auto samples = erase_found(context, selection, asker, gone);
  tell_of(selection, asker, samples);
  if (!samples) return fail(samples.error());
  return {};
}

}  // namespace varve::api
