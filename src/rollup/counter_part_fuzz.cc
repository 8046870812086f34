// SPDX-License-Identifier: Apache-2.0
// Any cells as how a counter grew in a window: no crash; what is accepted is stored and comes back, and can be joined.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>
#include <variant>
#include <vector>

#include "rollup/counter_columns.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve;
  rollup::CounterCells cells;
  std::array<std::uint64_t, 3 + rollup::kCounterColumns> numbers{};
  std::memcpy(numbers.data(), data, std::min(size, sizeof numbers));
  const auto time = [](std::uint64_t bits) { return static_cast<model::Timestamp>(bits % (std::uint64_t{1} << 53)); };
  cells.start = time(numbers[0]);
  cells.first_time = time(numbers[1]);
  cells.type = numbers[2] % 2 == 0 ? model::ValueType::long_ : model::ValueType::double_;
  std::copy(numbers.begin() + 3, numbers.end(), cells.values.begin());
  if (size > sizeof numbers)
    cells.irregular = {reinterpret_cast<const char*>(data) + sizeof numbers, size - sizeof numbers};
  if (cells.values[rollup::CounterColumns::rule] == 0) return 0;
  const auto read = rollup::counter_part(cells);
  // What is read without base bins is no other.
  using Cell = rollup::CounterColumns;
  const auto first_offset = static_cast<std::uint64_t>(cells.first_time - cells.start);
  const auto one = [](const std::uint64_t& bits) { return std::span(&bits, 1); };
  std::vector<rollup::CounterStretch> stretches;
  const auto read_stretch = rollup::counter_stretches({{&cells.start, 1},
                                                       one(first_offset),
                                                       one(cells.values[Cell::rule]),
                                                       one(cells.values[Cell::first]),
                                                       one(cells.values[Cell::last_offset]),
                                                       one(cells.values[Cell::last]),
                                                       cells.type,
                                                       {},
                                                       {&cells.irregular, 1}},
                                                      stretches);
  if (!read) return 0;
  if (!read_stretch || !stretches[0].is_there || stretches[0].exact != read->exact) std::abort();
  if (cells.type == model::ValueType::long_ && stretches[0].stretch != stretch_of(read->summary)) std::abort();

  rollup::Window window;
  window.start = cells.start;
  window.first_time = cells.first_time;
  window.count = 1;
  window.counter = &*read;
  rollup::CounterColumns columns;
  columns.add({&window, 1});
  rollup::CounterCells stored{cells.start, cells.first_time, columns.types[0], {}, {}};
  for (std::size_t c = 0; c < rollup::kCounterColumns; ++c) stored.values[c] = columns.bits[c][0];
  if (columns.has_irregular()) stored.irregular = columns.irregular[0];
  const auto again = rollup::counter_part(stored);
  if (!again || again->exact != read->exact) std::abort();
  // NaN is not equal to itself.
  if (cells.type == model::ValueType::long_ && again->summary != read->summary) std::abort();

  // With itself, a while later.
  counter::AnySummary later = read->summary;
  counter::AnySummary all = read->summary;
  static_cast<void>(counter::combine(all, later));
  std::visit(
      [](auto& one) {
        // By whole bins, so that they stay in their places.
        const std::int64_t by =
            (one.last.time - one.first.time) / one.terms.base_ms * one.terms.base_ms + one.terms.base_ms;
        for (auto* const bin : {&one.head, &one.tail, &one.least, &one.greatest}) bin->start += by;
        one.first.time += by;
        one.last.time += by;
      },
      later);
  if (!counter::combine(all, later)) std::abort();
  return 0;
}
