// SPDX-License-Identifier: Apache-2.0
#include "message/block/columns.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace varve::message::block {
namespace {

// A dictionary of at most so many terms is kept whole: the next question does not decode its pages again.
constexpr std::size_t kKeptTermsMax = 8192;

}  // namespace

Error corrupt_part(PartKind kind) {
  return {Code::corrupt, "part " + std::to_string(static_cast<unsigned>(kind)) + " of a message block is damaged"};
}

Result<std::vector<std::int64_t>> Columns::sequence(PartKind kind, std::size_t number, std::size_t count) {
  VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, part(kind, number));
  Cursor from = bytes.cursor();
  std::vector<std::int64_t> values;
  if (!read_numbers(from, count, values)) return fail(corrupt_part(kind));
  return values;
}

Result<const std::vector<std::int64_t>*> Columns::times() {
  if (times_) return &*times_;
  VARVE_ASSIGN_OR_RETURN(auto read, sequence(PartKind::times, 0, rows()));
  if (!std::ranges::is_sorted(read) || read.front() != head_.first_us || read.back() != head_.last_us) {
    return fail(corrupt_part(PartKind::times));
  }
  return &times_.emplace(std::move(read));
}

Result<const std::vector<std::int64_t>*> Columns::nanos() {
  if (nanos_) return &*nanos_;
  if (!has(PartKind::nanos)) return &nanos_.emplace();
  VARVE_ASSIGN_OR_RETURN(auto read, sequence(PartKind::nanos, 0, rows()));
  if (std::ranges::any_of(read, [](std::int64_t n) { return n < 0 || n > 999; })) {
    return fail(corrupt_part(PartKind::nanos));
  }
  return &nanos_.emplace(std::move(read));
}

Result<const std::vector<std::int64_t>*> Columns::arrivals() {
  if (arrivals_) return &*arrivals_;
  VARVE_ASSIGN_OR_RETURN(auto read, sequence(PartKind::arrivals, 0, rows()));
  return &arrivals_.emplace(std::move(read));
}

Result<std::shared_ptr<Columns::HeldTerms>> Columns::read_terms(std::size_t facet, bool load) {
  auto read = std::make_shared<HeldTerms>();
  VARVE_ASSIGN_OR_RETURN(read->bytes, part(PartKind::dictionary, facet));
  Cursor from = read->bytes.cursor();
  const std::size_t count = facet == kFacetObjects ? head_.object_terms : head_.terms[facet];
  if (!read->terms.read(from, count) || (load && !read->terms.load())) return fail(corrupt_part(PartKind::dictionary));
  return read;
}

Result<const Terms*> Columns::terms_of(std::size_t facet, bool load) {
  check(is_text_facet(facet) || facet == kFacetObjects, "a facet with a dictionary of texts");
  auto& kept = terms_[load ? 1 : 0][facet];
  if (kept == nullptr) {
    const auto make = [&] { return read_terms(facet, load); };
    const auto bytes = [](const HeldTerms& held) { return held.bytes.bytes.size() + held.terms.bytes(); };
    const DecodedKind kind = load ? DecodedKind::all_terms : DecodedKind::terms;
    VARVE_ASSIGN_OR_RETURN(kept, decoded<HeldTerms>(*sections_, kind, facet, make, bytes));
  }
  return &kept->terms;
}

Result<const Terms*> Columns::terms_unloaded(std::size_t facet) {
  const bool few = (facet == kFacetObjects ? head_.object_terms : head_.terms[facet]) <= kKeptTermsMax;
  return terms_of(facet, terms_[1][facet] != nullptr || (few && sections_->keeps_decoded()));
}

Result<const Terms*> Columns::terms(std::size_t facet) { return terms_of(facet, true); }

Result<const std::vector<std::int64_t>*> Columns::numbers(std::size_t facet) {
  auto& kept = numbers_[facet - kTextColumns];
  if (kept != nullptr) return kept.get();
  const IntegerRange& range = head_.integers[facet - kTextColumns];
  std::size_t count = range.distinct;
  if (range.plain) {
    VARVE_ASSIGN_OR_RETURN(const auto* const all, ranks(facet));
    count = all->back();
  }
  using Values = std::vector<std::int64_t>;
  const auto make = [&]() -> Result<std::shared_ptr<Values>> {
    VARVE_ASSIGN_OR_RETURN(auto read, sequence(range.plain ? PartKind::integers : PartKind::dictionary, facet, count));
    return std::make_shared<Values>(std::move(read));
  };
  if (range.plain) {  // large, and few ask for it
    VARVE_ASSIGN_OR_RETURN(kept, make());
    return kept.get();
  }
  const auto bytes = [](const Values& values) { return values.capacity() * sizeof(std::int64_t); };
  VARVE_ASSIGN_OR_RETURN(kept, decoded<Values>(*sections_, DecodedKind::numbers, facet, make, bytes));
  return kept.get();
}

Result<std::shared_ptr<const Bundle>> Columns::read_bundle(std::size_t number) {
  const auto make = [&]() -> Result<std::shared_ptr<Bundle>> {
    auto bundle = std::make_shared<Bundle>();
    bundle->facets = head_.bundles[number].facets;
    bundle->size = head_.bundles[number].size;
    VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, part(PartKind::table, number));
    Cursor from = bytes.cursor();
    if (!read_table(from, head_.limits(), rows(), *bundle)) return fail(corrupt_part(PartKind::table));
    return bundle;
  };
  const auto bytes = [](const Bundle& bundle) {
    return (bundle.facets.size() + 1) * bundle.size * sizeof(std::uint32_t);
  };
  return decoded<Bundle>(*sections_, DecodedKind::table, number, make, bytes);
}

Result<std::shared_ptr<const std::vector<std::uint32_t>>> Columns::read_entries(std::size_t number) {
  using Entries = std::vector<std::uint32_t>;
  const auto make = [&]() -> Result<std::shared_ptr<Entries>> {
    PartBytes bytes;  // there is none where all rows have the same entry
    if (has(PartKind::entries, number)) {
      VARVE_ASSIGN_OR_RETURN(bytes, part(PartKind::entries, number));
    }
    Cursor from = bytes.cursor();
    auto ids = std::make_shared<Entries>();
    if (!read_ids(from, rows(), head_.bundles[number].size, *ids)) return fail(corrupt_part(PartKind::entries));
    return ids;
  };
  const auto bytes = [](const Entries& ids) { return ids.capacity() * sizeof(std::uint32_t); };
  return decoded<Entries>(*sections_, DecodedKind::entries, number, make, bytes);
}

Result<const ReadBundle*> Columns::bundle_of(std::size_t facet, bool entries) {
  const auto with = [facet](const BundleHead& b) { return std::ranges::find(b.facets, facet) != b.facets.end(); };
  const auto found = std::ranges::find_if(head_.bundles, with);
  if (found == head_.bundles.end()) return nullptr;
  const auto number = static_cast<std::size_t>(found - head_.bundles.begin());
  ReadBundle& bundle = bundles_[number];
  bundle.facets = found->facets;
  bundle.size = found->size;
  if (!bundle.single() && bundle.held_table == nullptr) {
    VARVE_ASSIGN_OR_RETURN(bundle.held_table, read_bundle(number));
    bundle.counts = bundle.held_table->counts;
    bundle.table = bundle.held_table->table;
  }
  if (entries && bundle.held_entries == nullptr) {
    VARVE_ASSIGN_OR_RETURN(bundle.held_entries, read_entries(number));
    bundle.entries = *bundle.held_entries;
  }
  return &bundle;
}

const std::vector<std::uint32_t>* Columns::table_of(const ReadBundle& bundle, std::size_t facet) {
  if (bundle.single()) return nullptr;
  return &bundle.table[static_cast<std::size_t>(std::ranges::find(bundle.facets, facet) - bundle.facets.begin())];
}

Result<FacetColumn> Columns::facet(std::size_t facet) {
  VARVE_ASSIGN_OR_RETURN(const ReadBundle* const bundle, bundle_of(facet, true));
  if (bundle == nullptr) return FacetColumn();
  return FacetColumn(*bundle, table_of(*bundle, facet));
}

Result<const std::vector<std::uint32_t>*> Columns::ranks(std::size_t facet) {
  auto& kept = ranks_[facet];
  if (!kept) {
    VARVE_ASSIGN_OR_RETURN(const FacetColumn ids, this->facet(facet));
    std::vector<std::uint32_t> ranks(rows() + 1);
    std::uint64_t sum = 0;
    for (std::size_t row = 0; row < rows(); ++row) {
      ranks[row] = static_cast<std::uint32_t>(sum);
      sum += facet == kFacetObjects ? ids[row] : (facet == kFacetId ? ids[row] == kStoredId : ids[row] != 0) ? 1U : 0U;
    }
    if (facet == kFacetObjects && sum != head_.objects) return fail(corrupt_part(PartKind::objects));
    ranks[rows()] = static_cast<std::uint32_t>(sum);
    kept = std::move(ranks);
  }
  return &*kept;
}

Result<const std::vector<std::uint32_t>*> Columns::objects() {
  if (!objects_) {
    PartBytes bytes;
    if (has(PartKind::objects)) {
      VARVE_ASSIGN_OR_RETURN(bytes, part(PartKind::objects));
    }
    Cursor from = bytes.cursor();
    std::vector<std::uint32_t> read;
    if (!read_ids(from, head_.objects, head_.object_terms, read)) return fail(corrupt_part(PartKind::objects));
    objects_ = std::move(read);
  }
  return &*objects_;
}

Result<std::shared_ptr<Columns::Postings>> Columns::read_object_rows() {
  VARVE_ASSIGN_OR_RETURN(const FacetColumn counts, facet(kFacetObjects));
  VARVE_ASSIGN_OR_RETURN(const auto* const terms, objects());
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < rows(); ++row) sum += counts[row];
  if (sum != terms->size()) return fail(corrupt_part(PartKind::objects));
  // The row of each object, without a branch: one of no object is written over by the next row.
  std::vector<std::uint16_t> owners(terms->size() + 1);
  for (std::size_t row = 0, at = 0; row < rows(); ++row) {
    owners[at] = static_cast<std::uint16_t>(row);
    at += counts[row];
  }
  std::partial_sum(owners.begin(), owners.end(), owners.begin(), [](auto a, auto b) { return std::max(a, b); });
  auto made = std::make_shared<Postings>();
  made->starts.resize(head_.object_terms + 1);
  for (const std::uint32_t term : *terms) ++made->starts[term + 1];
  std::partial_sum(made->starts.begin(), made->starts.end(), made->starts.begin());
  made->rows.resize(terms->size());
  std::vector<std::uint32_t> next = made->starts;
  for (std::size_t i = 0; i < terms->size(); ++i) made->rows[next[(*terms)[i]]++] = owners[i];
  return made;
}

Result<const Columns::Postings*> Columns::object_rows() {
  if (object_rows_ == nullptr) {
    const auto bytes = [](const Postings& one) {
      return one.starts.size() * sizeof(std::uint32_t) + one.rows.size() * sizeof(std::uint16_t);
    };
    VARVE_ASSIGN_OR_RETURN(
        object_rows_,
        decoded<Postings>(*sections_, DecodedKind::postings, kFacetObjects, [&] { return read_object_rows(); }, bytes));
  }
  return object_rows_.get();
}

Result<std::string_view> Columns::ids() {
  if (ids_ == nullptr) {
    VARVE_ASSIGN_OR_RETURN(const auto* const all, ranks(kFacetId));
    VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, part(PartKind::ids));
    Cursor from = bytes.cursor();
    auto read = std::make_unique<Bytes>();
    if (!read_packed(from, *read) || read->size() != std::size_t{all->back()} * 16)
      return fail(corrupt_part(PartKind::ids));
    ids_ = std::move(read);
  }
  return text_of(ids_->view());
}

}  // namespace varve::message::block
