// SPDX-License-Identifier: Apache-2.0
#include "message/block/head.h"

#include "message/block/decoded.h"
#include "message/row.h"

namespace varve::message::block {
namespace {

bool read_integers(Cursor& head, IntegerRange& out) {
  const std::uint64_t count = head.varint();
  if (count > kIntegerTermsMax + 1) return false;
  out.any = count != 0;
  out.plain = count == 1;
  out.distinct = count < 2 ? 0 : static_cast<std::size_t>(count - 1);
  if (!out.any) return true;
  out.min = static_cast<std::int64_t>(head.zigzag());
  out.max = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.min) + head.varint());
  return out.min <= out.max;
}

bool read_field_facets(Cursor& head, Head& out) {
  const std::uint64_t facets = head.varint();
  if (facets > kFieldFacets) return false;
  for (std::uint64_t i = 0; i < facets; ++i) {
    const std::uint64_t name = head.varint(), terms = head.varint();
    if (name >= out.names || terms > out.rows) return false;
    out.field_facets.push_back({static_cast<std::uint32_t>(name), static_cast<std::size_t>(terms)});
  }
  return head.ok();
}

// Each facet stands in one bundle at most.
bool read_bundles(Cursor& head, Head& out) {
  const std::uint64_t bundles = head.varint();
  if (bundles > kFacets) return false;
  std::uint64_t seen = 0;
  const auto limits = out.limits();
  for (std::uint64_t b = 0; b < bundles; ++b) {
    BundleHead& bundle = out.bundles.emplace_back();
    const std::uint64_t facets = head.varint();
    if (facets == 0 || facets > kFacets) return false;
    for (std::uint64_t s = 0; s < facets; ++s) {
      const unsigned facet = head.byte();
      if (facet >= kFacets || (seen >> facet & 1) != 0) return false;
      seen |= std::uint64_t{1} << facet;
      bundle.facets.push_back(static_cast<std::uint8_t>(facet));
    }
    const std::uint64_t size = head.varint();
    if (size == 0 || (facets > 1 && size > out.rows) || (facets == 1 && size != limits[bundle.facets[0]])) return false;
    bundle.size = static_cast<std::size_t>(size);
  }
  return true;
}

bool read_counts(Cursor& head, unsigned version, Head& out) {
  for (IntegerRange& range : out.integers) {
    if (!read_integers(head, range)) return false;
  }
  for (std::size_t& terms : out.terms) {
    terms = static_cast<std::size_t>(head.varint());
    if (terms > out.rows) return false;
  }
  for (std::size_t* const count :
       {&out.object_terms, &out.objects_limit, &out.objects, &out.templates, &out.names, &out.shapes, &out.texts}) {
    *count = static_cast<std::size_t>(head.varint());
    if (*count > kBlockBytesMax / 4) return false;
  }
  if (version == kVersionComputedIds) {
    constexpr std::size_t kMost = kFirstComputedId + kRepeatMax + 1;
    out.ids_limit = static_cast<std::size_t>(head.varint());
    if (out.ids_limit <= kFirstComputedId || out.ids_limit > kMost) return false;
  }
  return out.objects_limit > 0 && out.objects_limit <= kRowsMax && out.object_terms <= out.objects &&
         out.templates <= out.texts && out.texts <= out.rows && out.shapes <= out.rows;
}

}  // namespace

std::array<std::size_t, kFacets> Head::limits() const {
  std::array<std::size_t, kFacets> limits{};
  for (std::size_t s = 0; s < kTextColumns; ++s) limits[s] = 1 + terms[s];
  for (std::size_t i = 0; i < integers.size(); ++i) {
    limits[kTextColumns + i] = integers[i].plain ? 2 : 1 + integers[i].distinct;
  }
  limits[kFacetObjects] = objects_limit;
  limits[kFacetTemplate] = kFirstTemplate + templates;
  limits[kFacetId] = ids_limit;
  limits[kFacetShape] = 1 + shapes;
  for (std::size_t f = 0; f < field_facets.size(); ++f) limits[kFixedFacets + f] = 1 + field_facets[f].terms;
  return limits;
}

Result<Head> read_head(const Sections& sections) {
  Head out;
  VARVE_ASSIGN_OR_RETURN(out.bytes, read_section(sections, 0));
  Cursor head = out.bytes.cursor();
  const auto corrupt = [] { return fail(Code::corrupt, "the head of a message block is damaged"); };
  if (head.fixed<std::uint32_t>() != kMagic) return corrupt();
  const unsigned version = head.byte();
  if (head.ok() && version != kVersion && version != kVersionComputedIds) {
    return fail(Code::unsupported, "a message block of version " + std::to_string(version));
  }
  out.rows = static_cast<std::size_t>(head.varint());
  if (out.rows == 0 || out.rows > kRowsMax) return corrupt();
  out.first_us = head.fixed<std::int64_t>();
  out.last_us = static_cast<std::int64_t>(static_cast<std::uint64_t>(out.first_us) + head.varint());
  if (!head.ok() || out.last_us < out.first_us) return corrupt();
  if (!read_counts(head, version, out) || !read_field_facets(head, out) || !read_bundles(head, out)) return corrupt();
  if (!out.directory.read(head) || !head.ok() || head.left() != 0) return corrupt();
  return out;
}

Result<std::shared_ptr<const Head>> head_of(const Sections& sections) {
  const auto make = [&]() -> Result<std::shared_ptr<Head>> {
    VARVE_ASSIGN_OR_RETURN(Head read, read_head(sections));
    return std::make_shared<Head>(std::move(read));
  };
  const auto bytes = [](const Head& head) { return 2 * head.bytes.bytes.size() + head.directory.bytes(); };
  return decoded<Head>(sections, DecodedKind::head, 0, make, bytes);
}

}  // namespace varve::message::block
