// SPDX-License-Identifier: Apache-2.0
// Columns: parts of a block that is read, each decoded when it is first asked for, and kept. For one thread at a time.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "message/block/bundle.h"
#include "message/block/decoded.h"
#include "message/block/head.h"

namespace varve::message::block {

Error corrupt_part(PartKind kind);

// A bundle, of which the table and the entries are read when they are wanted.
struct ReadBundle {
  std::span<const std::uint8_t> facets;
  std::size_t size = 0;
  std::span<const std::uint32_t> counts;
  std::span<const std::vector<std::uint32_t>> table;
  std::span<const std::uint32_t> entries;
  [[nodiscard]] bool single() const { return facets.size() == 1; }

  std::shared_ptr<const Bundle> held_table;
  std::shared_ptr<const std::vector<std::uint32_t>> held_entries;
};

// The id that a facet gives to each row.
class FacetColumn {
 public:
  FacetColumn() = default;  // 0 to each
  explicit FacetColumn(const ReadBundle& bundle, const std::vector<std::uint32_t>* table)
      : bundle_(&bundle), table_(table == nullptr ? nullptr : table->data()) {}
  [[nodiscard]] bool none() const { return bundle_ == nullptr; }
  [[nodiscard]] std::uint32_t operator[](std::size_t row) const {
    if (bundle_ == nullptr) return 0;
    const std::uint32_t entry = bundle_->entries[row];
    return table_ == nullptr ? entry : table_[entry];
  }

 private:
  const ReadBundle* bundle_ = nullptr;
  const std::uint32_t* table_ = nullptr;
};

class Columns {
 public:
  Columns(std::shared_ptr<const Sections> sections, std::shared_ptr<const Head> head)
      : sections_(std::move(sections)), held_(std::move(head)), head_(*held_), bundles_(head_.bundles.size()) {}
  [[nodiscard]] const Sections& sections() const { return *sections_; }
  [[nodiscard]] const Head& head() const { return head_; }
  [[nodiscard]] std::size_t rows() const { return head_.rows; }

  // By row. nanos: empty if all are 0.
  Result<const std::vector<std::int64_t>*> times();
  Result<const std::vector<std::int64_t>*> nanos();
  Result<const std::vector<std::int64_t>*> arrivals();

  // Of a column of texts, or object. Only where there is one. All terms; or to look for some.
  Result<const Terms*> terms(std::size_t facet);
  Result<const Terms*> terms_unloaded(std::size_t facet);
  // Of a column of integers: its dictionary, or the number of each row that has one.
  Result<const std::vector<std::int64_t>*> numbers(std::size_t facet);

  // The table of the bundle with this facet; its entries only if `entries`. nullptr: the facet is 0 in each row.
  Result<const ReadBundle*> bundle_of(std::size_t facet, bool entries);
  // The column of the facet in the bundle's table; nullptr: entries are ids.
  static const std::vector<std::uint32_t>* table_of(const ReadBundle& bundle, std::size_t facet);
  Result<FacetColumn> facet(std::size_t facet);

  // How many rows in front of each have a value of this facet (of kFacetObjects: how many objects they have), and
  // behind the last one all.
  Result<const std::vector<std::uint32_t>*> ranks(std::size_t facet);
  // Numbers of terms, row after row.
  Result<const std::vector<std::uint32_t>*> objects();
  // The rows that have each of the objects' terms, one after the other.
  struct Postings {
    std::vector<std::uint32_t> starts;  // by term; behind the last: all
    std::vector<std::uint16_t> rows;
    [[nodiscard]] std::span<const std::uint16_t> of(std::size_t term) const {
      return std::span(rows).subspan(starts[term], starts[term + 1] - starts[term]);
    }
  };
  Result<const Postings*> object_rows();
  // 16 bytes for each row that has one.
  Result<std::string_view> ids();

  Result<PartBytes> part(PartKind kind, std::size_t number = 0) {
    return head_.directory.part(*sections_, kind, number);
  }
  [[nodiscard]] bool has(PartKind kind, std::size_t number = 0) const { return head_.directory.has(kind, number); }

 private:
  Result<std::vector<std::int64_t>> sequence(PartKind kind, std::size_t number, std::size_t count);

  struct HeldTerms {
    PartBytes bytes;
    Terms terms;
  };
  Result<std::shared_ptr<HeldTerms>> read_terms(std::size_t facet, bool load);
  Result<const Terms*> terms_of(std::size_t facet, bool load);
  Result<std::shared_ptr<const Bundle>> read_bundle(std::size_t number);
  Result<std::shared_ptr<const std::vector<std::uint32_t>>> read_entries(std::size_t number);
  Result<std::shared_ptr<Postings>> read_object_rows();

  const std::shared_ptr<const Sections> sections_;
  const std::shared_ptr<const Head> held_;
  const Head& head_;
  std::optional<std::vector<std::int64_t>> times_, nanos_, arrivals_;
  std::array<std::array<std::shared_ptr<const HeldTerms>, kFixedFacets>, 2> terms_;  // to look for some; all
  std::array<std::shared_ptr<const std::vector<std::int64_t>>, 4> numbers_;
  std::vector<ReadBundle> bundles_;
  std::array<std::optional<std::vector<std::uint32_t>>, kFacets> ranks_;
  std::optional<std::vector<std::uint32_t>> objects_;
  std::shared_ptr<const Postings> object_rows_;
  std::unique_ptr<Bytes> ids_;
};

}  // namespace varve::message::block
