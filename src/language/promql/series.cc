// SPDX-License-Identifier: Apache-2.0
#include "language/promql/series.h"

#include <algorithm>

#include "language/promql/expression.h"

namespace varve::language::promql {
namespace {

constexpr auto kLabelName = [](const auto& label) -> std::string_view { return label.first; };

void append_quoted(std::string& out, std::string_view value) {
  out += '"';
  for (const char c : value) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default: out += c;
    }
  }
  out += '"';
}

bool is_plain_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_part);
}

}  // namespace

std::string_view label_of(const Labels& labels, std::string_view name) {
  const auto found = std::ranges::lower_bound(labels, name, {}, kLabelName);
  return found == labels.end() || found->first != name ? std::string_view() : std::string_view(found->second);
}

void set_label(Labels& labels, std::string_view name, std::string_view value) {
  const auto found = std::ranges::lower_bound(labels, name, {}, kLabelName);
  const bool there = found != labels.end() && found->first == name;
  if (value.empty()) {
    if (there) labels.erase(found);
  } else if (there) {
    found->second = value;
  } else {
    labels.emplace(found, name, value);
  }
}

void drop_name(Labels& labels) { set_label(labels, kNameLabel, {}); }

void append_key(std::string& key, const Labels& labels) {
  const auto append = [&](std::string_view text) {
    const std::uint64_t size = text.size();
    for (int shift = 0; shift < 32; shift += 8) key += static_cast<char>(size >> shift);
    key += text;
  };
  for (const auto& [name, value] : labels) append(name), append(value);
}

std::string text_of(const Labels& labels) {
  std::string out = "{";
  for (const auto& [name, value] : labels) {
    if (out.size() > 1) out += ", ";
    if (is_plain_name(name)) {
      out += name;
    } else {
      append_quoted(out, name);
    }
    out += '=';
    append_quoted(out, value);
  }
  return out + "}";
}

std::size_t bytes_of(const Labels& labels) {
  std::size_t bytes = labels.size() * sizeof labels[0];
  for (const auto& [name, value] : labels) bytes += name.size() + value.size();
  return bytes;
}

Result<Column> Column::make(Budget& budget, std::size_t steps, std::size_t more_bytes) {
  const std::size_t words = (steps + 63) / 64;
  Column out;
  VARVE_ASSIGN_OR_RETURN(out.held_, budget.charge(sizeof(Series) + (steps + words) * sizeof(double) + more_bytes));
  out.values_.resize(steps);
  out.words_.resize(words);
  return out;
}

void Column::fill(double value) {
  std::ranges::fill(values_, value);
  std::ranges::fill(words_, ~std::uint64_t{0});
  if (values_.size() % 64 != 0) words_.back() = (std::uint64_t{1} << (values_.size() % 64)) - 1;
}

bool Column::empty() const {
  return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
}

}  // namespace varve::language::promql
