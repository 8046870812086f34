// SPDX-License-Identifier: Apache-2.0
#include "message/block/encode.h"

#include <algorithm>

#include "base/sort_unique.h"
#include "message/block/bundle.h"
#include "message/block/fields_writer.h"
#include "message/block/gather.h"
#include "message/block/parts.h"
#include "message/block/text_writer.h"

namespace varve::message::block {
namespace {

class Encoder {
 public:
  explicit Encoder(Gathered& gathered) : g_(gathered) {}

  EncodedBlock encode() {
    templates_ = write_texts(g_, packer_, parts_);
    write_times();
    write_columns();
    write_fields(g_, packer_, parts_);
    bundles_ = make_bundles(g_.facets, limits());
    for (std::size_t b = 0; b < bundles_.size(); ++b) {
      if (!bundles_[b].single()) write_table(bundles_[b], packer_, parts_.add(PartKind::table, b));
      packer_.ids(bundles_[b].entries, bundles_[b].size, parts_.add(PartKind::entries, b));
    }
    Bytes head;
    write_head(head);
    EncodedBlock block{parts_.finish(head), g_.rows, g_.times.front(), g_.times.back()};
    add_names(block);
    return block;
  }

 private:
  void add_names(EncodedBlock& block) const {
    block.field_names.assign(g_.names.terms().begin(), g_.names.terms().end());
    for (const std::string_view object : g_.object_terms.terms()) {
      const std::string_view type = object.substr(0, object.find(':'));
      if (block.object_types.empty() || block.object_types.back() != type) block.object_types.emplace_back(type);
    }
    sort_unique(block.object_types);
  }

  void write_times() {
    packer_.numbers(g_.times, parts_.add(PartKind::times));
    packer_.numbers(g_.arrivals, parts_.add(PartKind::arrivals));
    const bool nanos = std::ranges::any_of(g_.nanos, [](std::int64_t n) { return n != 0; });
    if (nanos) packer_.numbers(g_.nanos, parts_.add(PartKind::nanos));
  }

  void write_columns() {
    for (std::size_t s = 0; s < kTextColumns; ++s) {
      const auto& terms = g_.terms[s].terms();
      if (!terms.empty()) packer_.terms(terms, parts_.add(PartKind::dictionary, s));
    }
    for (std::size_t i = 0; i < g_.numbers.size(); ++i) {
      if (g_.numbers[i].empty()) continue;
      const PartKind kind = g_.plain[i] ? PartKind::integers : PartKind::dictionary;
      packer_.numbers(g_.numbers[i], parts_.add(kind, kTextColumns + i));
    }
    if (const auto& objects = g_.object_terms.terms(); !objects.empty()) {
      packer_.terms(objects, parts_.add(PartKind::dictionary, kFacetObjects));
      packer_.ids(g_.objects, objects.size(), parts_.add(PartKind::objects));
    }
    if (!g_.ids.empty()) packer_.bytes(chunk::Coder::quick, bytes_of(g_.ids), parts_.add(PartKind::ids));
  }

  [[nodiscard]] std::size_t ids_limit() const {
    const auto& ids = g_.facets[kFacetId];
    return 1 + std::max(kStoredId, ids.empty() ? kNoId : std::ranges::max(ids));
  }
  [[nodiscard]] bool has_computed_ids() const { return ids_limit() > kFirstComputedId; }

  [[nodiscard]] std::array<std::size_t, kFacets> limits() const {
    std::array<std::size_t, kFacets> limits{};
    for (std::size_t s = 0; s < kFacets; ++s) {
      if (is_text_facet(s)) limits[s] = 1 + g_.terms[s].terms().size();
      if (is_integer_facet(s)) limits[s] = g_.plain[s - kTextColumns] ? 2 : 1 + g_.numbers[s - kTextColumns].size();
    }
    const auto& objects = g_.facets[kFacetObjects];
    limits[kFacetObjects] = objects.empty() ? 1 : 1 + std::ranges::max(objects);
    limits[kFacetTemplate] = kFirstTemplate + templates_;
    limits[kFacetId] = ids_limit();
    limits[kFacetShape] = 1 + g_.shapes.terms().size();
    for (std::size_t f = 0; f < g_.field_facets.size(); ++f) limits[kFixedFacets + f] = 1 + g_.field_facets[f].terms;
    return limits;
  }

  void write_head(Bytes& head) const {
    head.fixed(kMagic);
    head.byte(has_computed_ids() ? kVersionComputedIds : kVersion);
    head.varint(g_.rows);
    head.fixed(g_.times.front());
    head.varint(static_cast<std::uint64_t>(g_.times.back()) - static_cast<std::uint64_t>(g_.times.front()));
    for (std::size_t i = 0; i < g_.numbers.size(); ++i) {
      const auto& numbers = g_.numbers[i];
      head.varint(numbers.empty() ? 0 : g_.plain[i] ? 1 : 1 + numbers.size());
      if (numbers.empty()) continue;
      const auto [min, max] = std::ranges::minmax(numbers);
      head.zigzag(static_cast<std::uint64_t>(min));
      head.varint(static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(min));
    }
    for (const Interner& terms : g_.terms) head.varint(terms.terms().size());
    head.varint(g_.object_terms.terms().size());
    head.varint(limits()[kFacetObjects]);
    head.varint(g_.objects.size());
    head.varint(templates_);
    head.varint(g_.names.terms().size());
    head.varint(g_.shapes.terms().size());
    head.varint(g_.texts.texts.size());
    if (has_computed_ids()) head.varint(ids_limit());
    head.varint(g_.field_facets.size());
    for (const auto& field : g_.field_facets) {
      head.varint(field.name);
      head.varint(field.terms);
    }
    head.varint(bundles_.size());
    for (const Bundle& bundle : bundles_) {
      head.varint(bundle.facets.size());
      for (const std::uint8_t facet : bundle.facets) head.byte(facet);
      head.varint(bundle.size);
    }
  }

  Gathered& g_;
  Packer packer_;
  PartWriter parts_;
  std::vector<Bundle> bundles_;
  std::size_t templates_ = 0;
};

}  // namespace

Result<EncodedBlock> encode_block(std::span<const RowView> rows) {
  Gathered gathered;
  VARVE_RETURN_IF_ERROR(gather(rows, gathered));
  return Encoder(gathered).encode();
}

}  // namespace varve::message::block
