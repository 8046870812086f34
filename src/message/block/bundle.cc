// SPDX-License-Identifier: Apache-2.0
#include "message/block/bundle.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "base/check.h"

namespace varve::message::block {
namespace {

using Ids = std::vector<std::uint32_t>;

// What an entry more costs in a table, for each of its facets.
constexpr double kTableBits = 7;
// What a bundle costs, however small.
constexpr double kBundleBits = 64;
constexpr std::size_t kEntriesMax = 32'768;
// Templates first: the order of the others is that of what they say of a message.
constexpr std::array<std::uint8_t, kFixedFacets> kOrder{kFacetTemplate,
                                                        facet_of(Column::type),
                                                        facet_of(Column::module),
                                                        facet_of(Column::category),
                                                        facet_of(Column::level),
                                                        facet_of(Column::kind),
                                                        facet_of(Column::node_type),
                                                        kFacetObjects,
                                                        kFacetShape,
                                                        facet_of(Column::instance),
                                                        facet_of(Column::sequence),
                                                        kFacetId,
                                                        facet_of(Column::source),
                                                        facet_of(Column::ip),
                                                        facet_of(Column::pid)};

// Bits of the ids with so many occurrences each, coded as short as can be.
double bits_of(const Ids& counts) {
  double n = 0, bits = 0;
  for (const std::uint32_t c : counts) {
    n += c;
    if (c > 1) bits -= c * std::log2(static_cast<double>(c));
  }
  return n == 0 ? 0 : bits + n * std::log2(n);
}

// A bundle while it is made: the table is that of the pairs that were joined.
struct Growing {
  Bundle bundle;
  double bits = 0;
};

struct Joined {
  Ids ids;
  Ids counts;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
};

// Numbers pairs in the order of first sight.
class Pairs {
 public:
  explicit Pairs(std::size_t most) : places_(std::size_t{1} << (std::bit_width(most * 2 + 15))) {}
  // The number of the pair; `next` if it is new.
  std::uint32_t number(std::uint64_t pair, std::uint32_t next) {
    const std::size_t mask = places_.size() - 1;
    for (std::size_t i = (pair * 0x9e3779b97f4a7c15) >> 40 & mask;; i = (i + 1) & mask) {
      Place& p = places_[i];
      if (p.number == 0) {
        p = {pair, next + 1};
        return next;
      }
      if (p.pair == pair) return p.number - 1;
    }
  }

 private:
  struct Place {
    std::uint64_t pair = 0;
    std::uint32_t number = 0;
  };
  std::vector<Place> places_;
};

// nullopt: there are more than `most` pairs.
std::optional<Joined> join(const Ids& a, const Ids& b, std::size_t most) {
  Joined joined;
  joined.ids.resize(a.size());
  Pairs pairs(most);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(joined.pairs.size());
    const std::uint32_t number = pairs.number(std::uint64_t{a[i]} << 32 | b[i], next);
    if (number == next) {
      if (joined.pairs.size() == most) return std::nullopt;
      joined.pairs.emplace_back(a[i], b[i]);
      joined.counts.push_back(0);
    }
    joined.ids[i] = number;
    ++joined.counts[number];
  }
  return joined;
}

Growing begin(std::uint8_t facet, const Ids& ids, std::size_t limit) {
  Growing made;
  made.bundle.facets = {facet};
  made.bundle.size = limit;
  made.bundle.entries = ids;
  made.bundle.counts.assign(limit, 0);
  for (const std::uint32_t id : ids) ++made.bundle.counts[id];
  made.bundle.table.emplace_back(limit);
  std::iota(made.bundle.table[0].begin(), made.bundle.table[0].end(), 0U);
  made.bits = bits_of(made.bundle.counts);
  return made;
}

// The bits that are saved if the two are one; at most 0: nothing.
double gain_of(const Growing& a, const Growing& b, const Joined& joined) {
  const auto table = [](std::size_t entries, const Growing& of) {
    return static_cast<double>(entries * of.bundle.facets.size());
  };
  const std::size_t grown = joined.counts.size();
  const double more = table(grown, a) + table(grown, b) - (a.bundle.single() ? 0 : table(a.bundle.size, a)) -
                      (b.bundle.single() ? 0 : table(b.bundle.size, b));
  return a.bits + b.bits - bits_of(joined.counts) - kTableBits * more + kBundleBits;
}

struct Better {
  double gain = 0;
  std::size_t with = 0;
  Joined joined;
};

// Which of the bundles it is best put together with; gain 0: none.
Better best_for(const Growing& one, std::span<const Growing> others) {
  Better best;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Growing& other = others[i];
    const std::size_t rows = one.bundle.entries.size();
    const std::size_t most = std::min(kEntriesMax, other.bundle.size + one.bundle.size + rows / 8);
    auto joined = join(other.bundle.entries, one.bundle.entries, most);
    if (!joined) continue;
    const double gain = gain_of(other, one, *joined);
    if (gain > best.gain) best = {gain, i, std::move(*joined)};
  }
  return best;
}

void put_together(Growing& to, const Growing& other, Joined joined) {
  Bundle& b = to.bundle;
  const auto widen = [&](const Ids& column, bool second) {
    Ids wider(joined.pairs.size());
    for (std::size_t i = 0; i < wider.size(); ++i) {
      wider[i] = column[second ? joined.pairs[i].second : joined.pairs[i].first];
    }
    return wider;
  };
  for (Ids& column : b.table) column = widen(column, false);
  for (const Ids& column : other.bundle.table) b.table.push_back(widen(column, true));
  b.facets.insert(b.facets.end(), other.bundle.facets.begin(), other.bundle.facets.end());
  b.size = joined.pairs.size();
  b.counts = std::move(joined.counts);
  b.entries = std::move(joined.ids);
  to.bits = bits_of(b.counts);
}

// The most frequent entries get the least numbers.
void sort_entries(Bundle& b) {
  Ids order(b.size);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](auto x, auto y) { return b.counts[x] > b.counts[y]; });
  Ids rank(b.size);
  for (std::uint32_t i = 0; i < b.size; ++i) rank[order[i]] = i;
  const auto reorder = [&](Ids& column) {
    Ids sorted(b.size);
    for (std::size_t i = 0; i < b.size; ++i) sorted[i] = column[order[i]];
    column = std::move(sorted);
  };
  reorder(b.counts);
  for (Ids& column : b.table) reorder(column);
  for (std::uint32_t& entry : b.entries) entry = rank[entry];
}

}  // namespace

std::vector<Bundle> make_bundles(const FacetIds& facets, const std::array<std::size_t, kFacets>& limits) {
  std::vector<Growing> made;
  for (std::size_t s = 0; s < kFacets; ++s) {
    const auto facet = is_field_facet(s) ? static_cast<std::uint8_t>(s) : kOrder[s];
    if (facets[facet].empty()) continue;
    Growing alone = begin(facet, facets[facet], limits[facet]);
    if (Better best = best_for(alone, made); best.gain > 0) {
      put_together(made[best.with], alone, std::move(best.joined));
    } else {
      made.push_back(std::move(alone));
    }
  }
  // A facet that came late may tell what two bundles have in common.
  for (std::size_t i = 1; i < made.size(); ++i) {
    Better best = best_for(made[i], std::span(made).first(i));
    if (best.gain <= 0) continue;
    put_together(made[best.with], made[i], std::move(best.joined));
    made.erase(made.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  std::vector<Bundle> bundles;
  for (Growing& g : made) {
    if (!g.bundle.single()) sort_entries(g.bundle);
    bundles.push_back(std::move(g.bundle));
  }
  return bundles;
}

void write_table(const Bundle& bundle, Packer& packer, Bytes& out) {
  std::vector<std::int64_t> numbers(bundle.counts.begin(), bundle.counts.end());
  packer.add(numbers);
  for (const Ids& column : bundle.table) {
    numbers.assign(column.begin(), column.end());
    packer.add(numbers);
  }
  packer.numbers(out);
}

bool read_table(Cursor& from, const std::array<std::size_t, kFacets>& limits, std::size_t rows, Bundle& out) {
  Numbers numbers;
  std::vector<std::int64_t> values;
  const auto next = [&](std::size_t limit, Ids& column) {
    if (!numbers.next(out.size, values)) return false;
    column.resize(out.size);
    for (std::size_t i = 0; i < out.size; ++i) {
      if (values[i] < 0 || static_cast<std::uint64_t>(values[i]) >= limit) return false;
      column[i] = static_cast<std::uint32_t>(values[i]);
    }
    return true;
  };
  if (!numbers.read(from) || !next(rows + 1, out.counts)) return false;
  std::uint64_t sum = 0;
  for (const std::uint32_t count : out.counts) sum += count;
  if (sum != rows) return false;
  out.table.resize(out.facets.size());
  for (std::size_t s = 0; s < out.facets.size(); ++s) {
    if (!next(limits[out.facets[s]], out.table[s])) return false;
  }
  return true;
}

}  // namespace varve::message::block
