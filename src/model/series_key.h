// SPDX-License-Identifier: Apache-2.0
// Identity of a series: its canonical key and the 128-bit hash of it.
//
//   key  := part(metric) (part(tag key) part(tag value))*       tags sorted by key bytes
//   part := length:varint bytes
//   hash := murmur3 x64 128 of the key, seed 0 (h1 then h2, little endian)
//
// Every part has its length in front, so cpu{a=bc} and cpu{ab=c} differ. The tenant is not part of the key: it is
// always stored beside it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/tags.h"

namespace varve::model {

// `tags` must be normalized.
std::string series_key(std::string_view metric, const TagViews& tags);

struct SeriesSetHash {
  std::array<unsigned char, 16> bytes{};
  bool operator==(const SeriesSetHash&) const = default;
};

SeriesSetHash series_set_hash(std::string_view key);

// 24 characters of standard Base64 with padding.
std::string to_base64(const SeriesSetHash& hash);

}  // namespace varve::model
