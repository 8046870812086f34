// SPDX-License-Identifier: Apache-2.0
// The index at a million series: 100,000 tag sets of ten host-like tags with ten metrics each; for pages of tags at
// five million.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

#include <malloc.h>
#include <unistd.h>

#include "index/series_index.h"

namespace varve::index {
namespace {

constexpr unsigned kHosts = 100'000;
constexpr std::size_t kSeries = kHosts * 10;
constexpr unsigned kManyHosts = 500'000;

class Hosts {
 public:
  // `is_shuffled`: names come in no order.
  explicit Hosts(bool is_shuffled = false) : is_shuffled_(is_shuffled) {
    for (int i = 0; i < 10; ++i) names_.push_back("cpu_usage_" + std::to_string(i));
    metrics.assign(names_.begin(), names_.end());
  }
  const model::TagViews& tags(unsigned host) {
    values_ = {"x64",
               "us-west-" + std::to_string(host % 9) + "abc"[host % 3],
               "host_" + std::to_string(is_shuffled_ ? host * 2654435761U : host),
               "Ubuntu16.10",
               std::to_string(host % 100),
               "us-west-" + std::to_string(host % 9),
               std::to_string(host % 20),
               "production",
               std::to_string(host % 2),
               "team-" + std::to_string(host % 7)};
    views_.clear();
    static constexpr const char* kKeys[] = {
        "arch",    "datacenter",          "hostname",        "os",  "rack", "region",
        "service", "service_environment", "service_version", "team"};
    for (std::size_t i = 0; i < values_.size(); ++i) views_.push_back({kKeys[i], values_[i]});
    return views_;
  }
  std::vector<std::string_view> metrics;

 private:
  const bool is_shuffled_;
  std::vector<std::string> names_;
  std::vector<std::string> values_;
  model::TagViews views_;
};

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// Defines all; gives the longest single call in milliseconds.
double fill(SeriesIndex& index, std::string& definitions, bool is_shuffled = false, unsigned count = kHosts) {
  Hosts hosts(is_shuffled);
  const auto tenant = index.tenant("default", definitions);
  double longest = 0;
  for (unsigned host = 0; host < count; ++host) {
    const auto& tags = hosts.tags(host);
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(index.define_group(tenant, tags, hosts.metrics, std::size_t{count} * 10, definitions));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    longest = std::max(longest, took.count());
  }
  return longest;
}

const SeriesIndex& million() {
  static const SeriesIndex index = [] {
    SeriesIndex fresh;
    std::string definitions;
    fill(fresh, definitions);
    return fresh;
  }();
  return index;
}

void define(benchmark::State& state, bool is_shuffled) {
  double longest = 0;
  for (auto _ : state) {
    std::string definitions;
    definitions.reserve(64 << 20);
    ::malloc_trim(0);
    const double before = resident_bytes();
    SeriesIndex index;
    longest = std::max(longest, fill(index, definitions, is_shuffled));
    state.counters["definition_B/series"] = static_cast<double>(definitions.size()) / kSeries;
    state.counters["counted_B/series"] = static_cast<double>(index.memory_bytes()) / kSeries;
    state.counters["resident_B/series"] =
        (resident_bytes() - before - static_cast<double>(definitions.size())) / kSeries;
  }
  state.counters["longest_ms"] = longest;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSeries));
}
BENCHMARK_CAPTURE(define, in_order, false)->Unit(benchmark::kMillisecond)->Iterations(2);
BENCHMARK_CAPTURE(define, shuffled, true)->Unit(benchmark::kMillisecond)->Iterations(2);

void define_known(benchmark::State& state) {
  SeriesIndex index;
  std::string definitions;
  fill(index, definitions);
  for (auto _ : state) fill(index, definitions);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSeries));
}
BENCHMARK(define_known)->Unit(benchmark::kMillisecond)->Iterations(1);

void replay(benchmark::State& state) {
  std::string dump;
  million().dump(dump);
  for (auto _ : state) {
    SeriesIndex index;
    if (!index.replay(std::as_bytes(std::span(dump)))) state.SkipWithError("replay failed");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSeries));
}
BENCHMARK(replay)->Unit(benchmark::kMillisecond)->Iterations(2);

void select(benchmark::State& state, const Matchers& matchers) {
  const SeriesIndex& index = million();
  std::size_t found = 0;
  for (auto _ : state) found = index.select(model::TenantId{0}, "cpu_usage_5", matchers).value().size();
  state.counters["series"] = static_cast<double>(found);
}
using Kind = Matcher::Kind;
BENCHMARK_CAPTURE(select, all, Matchers{})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(select, one_host, Matchers{{"hostname", Kind::any_of, {"host_777"}}})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(select, eight_hosts,
                  Matchers{
                      {"hostname",
                       Kind::any_of,
                       {"host_1", "host_22", "host_333", "host_4444", "host_55555", "host_6", "host_77", "host_888"}}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(select, one_rack, Matchers{{"rack", Kind::any_of, {"42"}}})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(select, rack_not_team, Matchers{{"rack", Kind::any_of, {"42"}}, {"team", Kind::none_of, {"team-3"}}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(select, region_regex, Matchers{{"region", Kind::regex, {"us-west-[12]"}}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(select, rack_host_regex,
                  Matchers{{"rack", Kind::any_of, {"42"}}, {"hostname", Kind::regex, {".*742"}}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(select, host_regex, Matchers{{"hostname", Kind::regex, {"host_.*77"}}})
    ->Unit(benchmark::kMicrosecond);

void tag_values(benchmark::State& state) {
  const SeriesIndex& index = million();
  for (auto _ : state) benchmark::DoNotOptimize(index.tag_values(model::TenantId{0}, "cpu_usage_5", "rack", {}));
}
BENCHMARK(tag_values)->Unit(benchmark::kMicrosecond);

// A page in the middle of 100,000 values, of all series and of those of one metric.
void page_of_values(benchmark::State& state, std::string_view metric) {
  const SeriesIndex& index = million();
  const NamePage page{.after = "host_5", .limit = 100};
  for (auto _ : state) benchmark::DoNotOptimize(index.tag_values(model::TenantId{0}, metric, "hostname", page));
}
BENCHMARK_CAPTURE(page_of_values, all, "")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(page_of_values, of_a_metric, "cpu_usage_5")->Unit(benchmark::kMicrosecond);

// Five million series, 500,000 of each metric; and as many hosts that none of them has.
const SeriesIndex& five_million() {
  static const SeriesIndex index = [] {
    SeriesIndex fresh;
    std::string definitions;
    fill(fresh, definitions, false, kManyHosts);
    const auto tenant = fresh.tenant("default", definitions);
    for (unsigned n = 0; n < kManyHosts; ++n) {
      const std::string host = "a_" + std::to_string(n);
      const model::TagViews tags{{"hostname", host}, {"region", "elsewhere"}};
      const std::string_view metric = "other";
      benchmark::DoNotOptimize(fresh.define_group(tenant, tags, {&metric, 1}, 20 * kManyHosts, definitions));
    }
    return fresh;
  }();
  return index;
}

// A page of tags of such a metric.
void page_of_tags(benchmark::State& state, const TagPage& page) {
  const SeriesIndex& index = five_million();
  std::size_t found = 0;
  for (auto _ : state) found = index.tag_counts(model::TenantId{0}, "cpu_usage_5", page).size();
  state.counters["tags"] = static_cast<double>(found);
}
BENCHMARK_CAPTURE(page_of_tags, first, TagPage{.limit = 100})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(page_of_tags, of_hosts, TagPage{"hostname", "", 100})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(page_of_tags, in_the_middle, TagPage{"hostname", "host_3", 100})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(page_of_tags, behind_hosts, TagPage{"hostname", "host_99999", 100})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(page_of_tags, last, TagPage{"service_version", "1", 100})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(page_of_tags, thousand, TagPage{.limit = 1000})->Unit(benchmark::kMicrosecond);

// The same with the series that have them.
void series_of_tags(benchmark::State& state, const TagPage& page) {
  const SeriesIndex& index = five_million();
  std::size_t found = 0;
  for (auto _ : state) {
    found = 0;
    for (const auto& one : index.tagged_series(model::TenantId{0}, "cpu_usage_5", page)) found += one.series.size();
  }
  state.counters["series"] = static_cast<double>(found);
}
BENCHMARK_CAPTURE(series_of_tags, first, TagPage{.limit = 100})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(series_of_tags, of_hosts, TagPage{"hostname", "", 100})->Unit(benchmark::kMicrosecond);

void keys_of_a_metric(benchmark::State& state) {
  const SeriesIndex& index = five_million();
  for (auto _ : state) benchmark::DoNotOptimize(index.tag_keys(model::TenantId{0}, "cpu_usage_5", {.limit = 100}));
}
BENCHMARK(keys_of_a_metric)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace varve::index
