// SPDX-License-Identifier: Apache-2.0
// Blocks of a site's messages: sealing, and questions of several kinds.
#include <benchmark/benchmark.h>

#include <numeric>

#include "message/block/block.h"
#include "message/block/encode.h"
#include "message/block/testing/messages.h"

namespace varve::message::block {
namespace {

struct Site {
  Batch batch;
  std::vector<RowView> rows;
  std::size_t json_bytes = 0;
  std::shared_ptr<testing::MemorySections> sections;
  std::size_t stored = 0;

  Site() {
    testing::SiteMessages site(1);
    site.make(kRowsMax, 1'700'000'000'000'000, std::int64_t{2830} * 1'000'000, batch);
    rows = testing::rows_of(batch);
    json_bytes = site.json_bytes();
    auto encoded = encode_block(rows);
    for (const std::string& s : encoded->sections) stored += s.size();
    sections = std::make_shared<testing::MemorySections>(std::move(encoded->sections));
  }
};

const Site& site() {
  static const Site made;
  return made;
}

void report(benchmark::State& state) {
  using benchmark::Counter;
  state.counters["json"] =
      Counter(static_cast<double>(site().json_bytes), Counter::kIsIterationInvariantRate, Counter::OneK::kIs1000);
  state.counters["ratio"] = static_cast<double>(site().stored) / static_cast<double>(site().json_bytes);
}

void Encode(benchmark::State& state) {
  const Site& s = site();
  for (auto _ : state) benchmark::DoNotOptimize(encode_block(s.rows));
  report(state);
}
BENCHMARK(Encode)->Unit(benchmark::kMillisecond);

void Rebuild(benchmark::State& state) {
  const Site& s = site();
  std::vector<std::uint32_t> all(s.rows.size());
  std::iota(all.begin(), all.end(), 0U);
  Batch out;
  for (auto _ : state) {
    out.clear();
    auto block = Block::open(s.sections);
    if (!block->rows(all, out)) state.SkipWithError("not rebuilt");
  }
  report(state);
}
BENCHMARK(Rebuild)->Unit(benchmark::kMillisecond);

void RebuildTen(benchmark::State& state) {
  const Site& s = site();
  const std::vector<std::uint32_t> some{5, 6000, 12'000, 18'000, 24'000, 30'000, 36'000, 42'000, 48'000, 54'000};
  Batch out;
  for (auto _ : state) {
    out.clear();
    auto block = Block::open(s.sections);
    if (!block->rows(some, out)) state.SkipWithError("not rebuilt");
  }
}
BENCHMARK(RebuildTen)->Unit(benchmark::kMicrosecond);

// Opens the block and asks it one question.
void ask(benchmark::State& state, Column column, Op op, std::string_view value, bool keeps = false) {
  const Site& s = site();
  s.sections->keeps = keeps;
  const Condition condition = Condition::of(*make_term(column, "", op, value));
  std::size_t found = 0;
  for (auto _ : state) {
    auto block = Block::open(s.sections);
    const auto rows = block->find(condition);
    if (!rows) state.SkipWithError("not found");
    found = rows->count();
  }
  state.counters["found"] = static_cast<double>(found);
}
BENCHMARK_CAPTURE(ask, source, Column::source, Op::equal, "web03")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ask, object_prefix, Column::object, Op::prefix, "ObjectVNTable:default-domain:proj-7:")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ask, word_nowhere, Column::text, Op::word, "0123456789abcdef")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ask, word_of_templates, Column::text, Op::word, "established")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ask, word_of_plain_texts, Column::text, Op::word, "exhausted")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ask, expression, Column::text, Op::regex, "duration: 1[0-9]{4}\\.99.*")
    ->Unit(benchmark::kMicrosecond);

// What was decoded for earlier ones is kept, as stores do.
BENCHMARK_CAPTURE(ask, kept_object_prefix, Column::object, Op::prefix, "ObjectVNTable:default-domain:proj-7:", true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ask, kept_word_of_templates, Column::text, Op::word, "established", true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(ask, kept_expression, Column::text, Op::regex, ".*duration: 19[0-9]{3}\\.[0-9]+ ms.*", true)
    ->Unit(benchmark::kMicrosecond);

void CountByTypeAndLevel(benchmark::State& state) {
  const Site& s = site();
  for (auto _ : state) {
    auto block = Block::open(s.sections);
    benchmark::DoNotOptimize(block->counts(Column::type));
    benchmark::DoNotOptimize(block->counts(Column::level));
  }
}
BENCHMARK(CountByTypeAndLevel)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace varve::message::block
