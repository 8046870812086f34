// SPDX-License-Identifier: Apache-2.0
// Declared: which series are counters, and by which rules, before anybody asks for their rate.
//
//   Declared declared({{"*_total", 60'000}});
//   declared.add(what_the_inventory_says);
//   if (const auto counter = declared.find("default", "requests_total", tag_of)) …
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counter/interval.h"

namespace varve::counter {

// How often missed samples are bridged: a gap of so many base bins still counts.
inline constexpr std::int64_t kGapBins = 3;
// The gap limit of a counter whose frequency nobody knows.
inline constexpr std::int64_t kUnknownGapMs = 15 * 60'000;

// From a time on until that of the next one: what a counter that fell has wrapped by is no faster.
struct Ceiling {
  model::Timestamp since = 0;
  double per_second = 0;

  bool operator==(const Ceiling&) const = default;
};

struct Declaration {
  std::int64_t base_ms = 0;  // the width of the bins of base rates; > 0
  Rules rules = {};          // with the gap limit kGapBins × base_ms
  // Ascending. Of an interval that which holds at its end is asked; before the first one there is none.
  std::vector<Ceiling> ceilings = {};

  bool operator==(const Declaration&) const = default;
};

// Of an interval that ends then.
Rules rules_at(const Declaration& declaration, model::Timestamp time);

// One of `counters`: metrics whose names fit the pattern, in which a star stands for any bytes, also for none.
struct Pattern {
  std::string metric = {};
  std::int64_t base_ms = 0;

  bool operator==(const Pattern&) const = default;
};

// A series' value of a tag; "" if it has none.
using TagOf = std::function<std::string_view(std::string_view key)>;

// find() is thread-safe.
class Declared {
 public:
  // Who knows counters by more than their metric's name. Called from any thread.
  using Source =
      std::function<std::optional<Declaration>(std::string_view tenant, std::string_view metric, const TagOf& tag)>;

  Declared() = default;
  explicit Declared(std::vector<Pattern> patterns);

  // Before the first find(). Sources are asked in order, and before the patterns.
  void add(Source source);

  // Of patterns that fit, the first counts. Nothing: the series is no counter.
  [[nodiscard]] std::optional<Declaration> find(std::string_view tenant, std::string_view metric,
                                                const TagOf& tag) const;

 private:
  std::vector<Pattern> patterns_;
  std::vector<Source> sources_;
};

// What a pattern says of the metrics that fit it.
Declaration declaration_of(const Pattern& pattern);

// Does the name fit the pattern?
bool fits(std::string_view pattern, std::string_view name);

}  // namespace varve::counter
