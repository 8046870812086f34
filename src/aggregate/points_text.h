// SPDX-License-Identifier: Apache-2.0
// For tests: points as text and back. "0:1 10:2.5 20:- 30:null" has a long, a double, a NaN and a null; doubles have a
// point.
#pragma once

#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>
#include <string>

#include "aggregate/points.h"

namespace varve::aggregate {

inline Points points_of(const std::string& text) {
  Points out;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto colon = word.find(':');
    const std::string value = word.substr(colon + 1);
    const bool is_double = value == "-" || value.find('.') != std::string::npos;
    out.times.push_back(std::stoll(word.substr(0, colon)));
    if (value == "null") {
      out.types.push_back(model::ValueType::long_);
      out.bits.push_back(0);
      out.nulls.resize(out.times.size() - 1);
      out.nulls.push_back(1);
      continue;
    }
    out.types.push_back(is_double ? model::ValueType::double_ : model::ValueType::long_);
    const double real = value == "-" ? std::numeric_limits<double>::quiet_NaN() : std::stod(value);
    out.bits.push_back(is_double ? std::bit_cast<std::uint64_t>(real)
                                 : std::bit_cast<std::uint64_t>(static_cast<std::int64_t>(std::stoll(value))));
  }
  if (!out.nulls.empty()) out.nulls.resize(out.times.size());
  return out;
}

// "0:a 10:b", without blanks.
inline Points texts_of(const std::string& text) {
  Points out;
  out.type = model::ValueType::string;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto colon = word.find(':');
    out.times.push_back(std::stoll(word.substr(0, colon)));
    out.texts.push_back(word.substr(colon + 1));
  }
  return out;
}

inline std::string text_of(const Points& points) {
  std::string out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    out += (i == 0 ? "" : " ") + std::to_string(points.times[i]) + ":";
    if (points.is_null(i) || points.in_text()) {
      out += points.is_null(i) ? "null" : points.texts[i];
      continue;
    }
    if (points.type_of(i) == model::ValueType::long_) {
      out += std::to_string(std::bit_cast<std::int64_t>(points.bits[i]));
      continue;
    }
    const double value = std::bit_cast<double>(points.bits[i]);
    char text[40];
    std::snprintf(text, sizeof text, value == std::floor(value) ? "%.1f" : "%.10g", value);
    out += std::isnan(value) ? "-" : text;
  }
  return out;
}

}  // namespace varve::aggregate
