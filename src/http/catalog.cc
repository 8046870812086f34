// SPDX-License-Identifier: Apache-2.0
#include "http/catalog.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/answer.h"
#include "protocol/json/text.h"

namespace varve::http {

namespace {

using model::ValueType;
using protocol::json::append_string;
using storage::SeriesLife;
using Words = std::vector<std::string_view>;

constexpr std::size_t kListed = 1000;          // unless ?limit= says else
constexpr std::size_t kListedMax = 100'000;    // what it may say
constexpr std::size_t kSeriesAtOnce = 10'000;  // between two looks at whether anybody still waits

Result<std::uint64_t> number_of(std::string_view text, std::string_view name, std::uint64_t max) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > max) {
    return fail(Code::invalid, std::string(name) + " is a number from 0 to " + std::to_string(max));
  }
  return value;
}

// 0 is taken for the most there can be.
Result<std::size_t> limit_of(const Request& request) {
  const auto text = request.param("limit");
  if (!text) return kListed;
  VARVE_TRY(const auto limit, number_of(*text, "limit", kListedMax));
  return limit == 0 ? kListedMax : limit;
}

void append_words(std::string& out, const Words& words) {
  out += '[';
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) out += ',';
    append_string(out, words[i]);
  }
  out += ']';
}

bool has_numbers(const SeriesLife& life) { return life.has(ValueType::long_) || life.has(ValueType::double_); }

// "types":[…],"first_seen":…,"last_seen":…,"points":…
void append_life(std::string& out, const SeriesLife& life) {
  Words types;
  if (life.has(ValueType::long_)) types.push_back("long");
  if (life.has(ValueType::double_)) types.push_back("double");
  if (life.has(ValueType::string)) types.push_back("string");
  out += R"("types":)";
  append_words(out, types);
  out += R"(,"first_seen":)" + (life.points == 0 ? "null" : std::to_string(life.first_ms));
  out += R"(,"last_seen":)" + (life.points == 0 ? "null" : std::to_string(life.last_ms));
  out += R"(,"points":)" + std::to_string(life.points);
}

class Catalog {
 public:
  explicit Catalog(const CatalogContext& context)
      : context_(context),
        asked_(context.metrics.counter("varve_queries_total", "Queries asked, by API.", {{"api", "catalog"}})) {}

  using Tenant = std::optional<model::TenantId>;  // none: nothing was ever written to it
  using Work = Result<std::string> (Catalog::*)(Tenant tenant, const Request& request) const;
  // A handler that answers on the pool with the JSON of `work`.
  static Handler on_pool(const std::shared_ptr<Catalog>& self, Work work) {
    return [self, work](const Request& request, Responder respond) {
      if (request.tenant.empty()) return respond(error_response(400, "the request names no tenant", request.path));
      const bool taken = self->context_.pool.post([self, work, &request, respond] {
        self->asked_.add();
        auto body = self->answer(work, request);
        respond(body ? Response::json(200, std::move(*body)) : error_response(body.error(), request.path));
      });
      if (!taken) respond(error_response(503, "too many queries are waiting", request.path));
    };
  }

  Result<std::string> answer(Work work, const Request& request) const {
    VARVE_TRY(const auto tenant, context_.series.find_tenant(request.tenant));
    return (this->*work)(tenant, request);
  }

  Result<std::string> metrics(Tenant tenant, const Request& request) const {
    VARVE_TRY(const std::size_t limit, limit_of(request));
    std::vector<std::string> names;
    if (tenant) {
      VARVE_TRY(names, context_.series.metric_names(*tenant, request.param("prefix").value_or(""), 0));
    }
    const auto after = request.param("after");
    auto at = after ? std::ranges::upper_bound(names, *after) : names.begin();
    std::string out = R"({"metrics":[)";
    std::size_t listed = 0;
    for (; at != names.end() && listed < limit; ++at) {
      VARVE_TRY(const auto series, context_.series.select(*tenant, *at, {}));
      if (series.empty()) continue;  // forgotten meanwhile
      if (listed++ != 0) out += ',';
      VARVE_CHECK_OK(append_metric(out, *tenant, *at, series, request));
    }
    out += ']';
    if (at != names.end()) {
      out += R"(,"next":)";
      append_string(out, *(at - 1));
    }
    return out += '}';
  }

  Result<std::string> tags(Tenant tenant, const Request& request) const {
    std::string out = R"({"tags":[)";
    std::vector<index::TagCount> counts;
    if (tenant) {
      VARVE_TRY(counts, context_.series.tag_counts(*tenant, request.param("metric").value_or("")));
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      out += i == 0 ? R"({"key":)" : R"(,{"key":)";
      append_string(out, counts[i].key);
      out += R"(,"value":)";
      append_string(out, counts[i].value);
      out += R"(,"series":)" + std::to_string(counts[i].series) + '}';
    }
    return out += "]}";
  }

  // Series keep the order of their first sight, so the number of the last one is where the next page begins.
  Result<std::string> series(Tenant tenant, const Request& request) const {
    VARVE_TRY(const std::size_t limit, limit_of(request));
    const auto metric = request.param("metric");
    if (!metric || metric->empty()) return fail(Code::invalid, "metric is missing");
    VARVE_TRY(const auto matchers, matchers_of(request));
    std::vector<model::SeriesId> found;
    if (tenant) {
      VARVE_TRY(found, context_.series.select(*tenant, *metric, matchers));
    }
    std::span<const model::SeriesId> rest(found);
    if (const auto after = request.param("after")) {
      VARVE_TRY(const auto number, number_of(*after, "after", model::to_int(model::kNoSeries)));
      const auto from = std::ranges::upper_bound(found, model::SeriesId{static_cast<std::uint32_t>(number)});
      rest = {from, found.end()};
    }
    const bool more = rest.size() > limit;
    rest = rest.first(std::min(limit, rest.size()));
    std::string out = R"({"series":[)";
    for (std::span<const model::SeriesId> left = rest; !left.empty();) {
      const auto some = left.first(std::min(kSeriesAtOnce, left.size()));
      VARVE_CHECK_OK(still_waited_for(request));
      const auto tags = context_.series.tags(*tenant, some);
      VARVE_TRY(const auto lives, context_.series.lives(*tenant, some));
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (out.back() != '[') out += ',';
        append_series(out, tags[i], lives[i]);
      }
      left = left.subspan(some.size());
    }
    out += ']';
    if (more) out += R"(,"next":")" + std::to_string(model::to_int(rest.back())) + '"';
    return out += '}';
  }

 private:
  static Status still_waited_for(const Request& request) {
    if (request.gone != nullptr && *request.gone) return fail(Code::cancelled, "nobody waits any more");
    return {};
  }

  static Result<index::Matchers> matchers_of(const Request& request) {
    index::Matchers matchers;
    for (const auto& [name, value] : request.query) {
      if (name != "tag") continue;
      const auto equals = value.find('=');
      if (equals == 0 || equals == std::string::npos) return fail(Code::invalid, "tag is written tag=key=value");
      matchers.push_back({value.substr(0, equals), index::Matcher::Kind::any_of, {value.substr(equals + 1)}});
    }
    return matchers;
  }

  Status append_metric(std::string& out, model::TenantId tenant, const std::string& name,
                       std::span<const model::SeriesId> series, const Request& request) const {
    SeriesLife all;
    for (auto left = series; !left.empty(); left = left.subspan(std::min(kSeriesAtOnce, left.size()))) {
      VARVE_CHECK_OK(still_waited_for(request));
      VARVE_TRY(const auto lives, context_.series.lives(tenant, left.first(std::min(kSeriesAtOnce, left.size()))));
      for (const auto& life : lives) all.add(life);
    }
    // What its rollups answer; without points it is not known yet to be a text.
    const bool text = all.has(ValueType::string) && !has_numbers(all);
    const bool counter = !text && context_.is_counter(name);
    Words aggregators = {"count", "last"};
    if (!text) aggregators = counter ? Words{"sum", "count"} : Words{"min", "max", "avg", "sum", "count"};
    if (!text && all.has(ValueType::string)) aggregators.push_back("last");
    out += R"({"name":)";
    append_string(out, name);
    out += R"(,"kind":)";
    append_string(out, text ? "text" : counter ? "delta counter" : "gauge");
    out += R"(,"aggregators":)";
    append_words(out, aggregators);
    out += R"(,"series":)" + std::to_string(series.size()) + ',';
    append_life(out, all);
    out += '}';
    return {};
  }

  static void append_series(std::string& out, const model::Tags& tags, const SeriesLife& life) {
    out += R"({"tags":{)";
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (i != 0) out += ',';
      append_string(out, tags[i].first);
      out += ':';
      append_string(out, tags[i].second);
    }
    out += "},";
    append_life(out, life);
    out += '}';
  }

  const CatalogContext context_;
  Counter& asked_;
};

}  // namespace

void add_catalog(Router& router, const CatalogContext& context) {
  const auto catalog = std::make_shared<Catalog>(context);
  const auto add = [&](const char* path, Catalog::Work work) {
    router.add(Method::get, path, Catalog::on_pool(catalog, work));
  };
  add("/api/v1/catalog/metrics", &Catalog::metrics);
  add("/api/v1/catalog/tags", &Catalog::tags);
  add("/api/v1/catalog/series", &Catalog::series);
}

}  // namespace varve::http
