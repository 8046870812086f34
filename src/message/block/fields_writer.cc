// SPDX-License-Identifier: Apache-2.0
#include "message/block/fields_writer.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/check.h"

namespace varve::message::block {
namespace {

using Values = std::span<const std::string_view>;

// Fields share a part until it has so many bytes: a name that is new in each message costs no part.
constexpr std::size_t kPartBytes = 64 << 10;
constexpr std::size_t kFewMax = 16;
// The first values may be distinct.
constexpr std::size_t kDistinctFirst = 256;
// A field is a facet if one in so many messages has it, and it has so many terms at most.
constexpr std::size_t kFacetOneIn = 16;
constexpr std::size_t kFacetTermsMax = 4096;

// The values of a field lie in rows that are far apart: without this, the writer mostly waits for memory.
void fetch_ahead(Values values, std::size_t at) {
  constexpr std::size_t kAhead = 16;
  if (at + kAhead < values.size()) __builtin_prefetch(values[at + kAhead].data());
}

class FieldsWriter {
 public:
  FieldsWriter(Gathered& gathered, Packer& packer, PartWriter& parts)
      : gathered_(gathered), packer_(packer), parts_(parts) {}

  void write() {
    write_shapes();
    write_values();
    Bytes& names = parts_.add(PartKind::field_names);
    packer_.terms(gathered_.names.terms(), names);
    packer_.add(counts_);
    if (!firsts_.empty()) packer_.add(firsts_);
    packer_.numbers(names);
  }

 private:
  void write_shapes() {
    Bytes raw;
    for (const std::string_view shape : gathered_.shapes.terms()) {
      const std::size_t cells = shape.size() / sizeof(std::uint32_t);
      raw.varint(cells);
      for (std::size_t i = 0; i < cells; ++i) {
        const auto cell = load_le<std::uint32_t>(shape.data() + i * sizeof(std::uint32_t));
        raw.varint(gathered_.name_ranks[cell / 4] * 4 + cell % 4);
      }
    }
    packer_.bytes(chunk::Coder::quick, raw.view(), parts_.add(PartKind::shapes));
  }

  void write_values() {
    const std::size_t names = gathered_.names.terms().size();
    std::vector<std::size_t> starts(names + 1);
    for (const FieldCell& cell : gathered_.fields) ++starts[cell.name + 1];
    counts_.assign(starts.begin() + 1, starts.end());
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::string_view> sorted(gathered_.fields.size());
    std::vector<std::uint32_t> rows(gathered_.fields.size());
    auto next = starts;
    for (const FieldCell& cell : gathered_.fields) {
      rows[next[cell.name]] = cell.row;
      sorted[next[cell.name]++] = cell.text;
    }
    for (std::size_t f = 0; f < names; ++f) {
      one_.clear();
      const std::size_t count = starts[f + 1] - starts[f];
      write_field(static_cast<std::uint32_t>(f), Values(sorted).subspan(starts[f], count),
                  std::span(rows).subspan(starts[f], count));
      if (!part_.empty() && part_.size() + one_.size() > kPartBytes) {
        finish_part();
        firsts_.push_back(static_cast<std::int64_t>(f));
      }
      part_.varint(one_.size());
      part_.add(one_.view());
    }
    finish_part();
  }

  void finish_part() {
    packer_.bytes(chunk::Coder::quick, part_.view(), parts_.add(PartKind::field_values, parts_written_++));
    part_.clear();
  }

  void write_field(std::uint32_t name, Values values, std::span<const std::uint32_t> rows) {
    if (values.size() < kFewMax) {
      one_.byte(kFieldFew);
      for (const std::string_view value : values) {
        one_.varint(value.size());
        one_.add(bytes_of(value));
      }
    } else if (!write_dictionary(name, values, rows)) {
      one_.byte(kFieldPlain);
      std::vector<std::int64_t> lengths;
      Bytes texts;
      for (std::size_t i = 0; i < values.size(); ++i) {
        fetch_ahead(values, i);
        lengths.push_back(static_cast<std::int64_t>(values[i].size()));
        texts.add(bytes_of(values[i]));
      }
      packer_.numbers(lengths, one_);
      packer_.bytes(chunk::Coder::quick, texts.view(), one_);
    }
  }

  // False, with nothing written: too many of the values are distinct.
  bool write_dictionary(std::uint32_t name, Values values, std::span<const std::uint32_t> rows) {
    Interner distinct;
    std::vector<std::uint32_t> ids;
    ids.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      fetch_ahead(values, i);
      ids.push_back(distinct.add(values[i]));
      if (distinct.terms().size() > i / 4 + kDistinctFirst) return false;
    }
    if (distinct.terms().size() > values.size() / 2) return false;
    const auto ranks = distinct.sort();
    for (std::uint32_t& id : ids) id = ranks[id];
    const std::size_t terms = distinct.terms().size();
    const bool facet = may_be_facet(terms, rows);
    one_.byte(facet ? kFieldFacet : kFieldDictionary);
    one_.varint(terms);
    packer_.terms(distinct.terms(), one_);
    if (!facet) {
      packer_.ids(ids, terms, one_);
      return true;
    }
    auto& by_row = gathered_.facets[kFixedFacets + gathered_.field_facets.size()];
    by_row.resize(gathered_.rows);
    for (std::size_t i = 0; i < ids.size(); ++i) by_row[rows[i]] = 1 + ids[i];
    gathered_.field_facets.push_back({name, terms});
    return true;
  }

  // Do many messages have it, each once?
  [[nodiscard]] bool may_be_facet(std::size_t terms, std::span<const std::uint32_t> rows) const {
    return gathered_.field_facets.size() < kFieldFacets && terms <= kFacetTermsMax &&
           rows.size() >= gathered_.rows / kFacetOneIn &&
           std::ranges::adjacent_find(rows, std::greater_equal()) == rows.end();
  }

  Gathered& gathered_;
  Packer& packer_;
  PartWriter& parts_;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> firsts_;
  Bytes one_, part_;
  std::size_t parts_written_ = 0;
};

}  // namespace

void write_fields(Gathered& gathered, Packer& packer, PartWriter& parts) {
  if (gathered.fields.empty()) return;
  FieldsWriter(gathered, packer, parts).write();
}

}  // namespace varve::message::block
