// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/index_text.h"

#include <algorithm>
#include <utility>

namespace varve::snmp::inventory {
namespace {

constexpr std::pair<std::string_view, IndexKind> kIndexKinds[] = {
    {"number", IndexKind::number},       {"text", IndexKind::text},       {"rest", IndexKind::rest},
    {"rest_text", IndexKind::rest_text}, {"address", IndexKind::address}, {"alu_port", IndexKind::alu_port}};

std::optional<std::string> characters(std::span<const std::uint32_t> numbers) {
  std::string out;
  for (const std::uint32_t number : numbers) {
    if (number > 0xff) return std::nullopt;
    out += static_cast<char>(number);
  }
  // Juniper fills names of LSPs up with zeros.
  out.resize(out.find_last_not_of('\0') + 1);
  return out;
}

// How many numbers the part takes, its length's own included. nullopt: so many are not there.
std::optional<std::size_t> numbers_of(IndexKind kind, std::span<const std::uint32_t> index) {
  std::size_t count = 1;
  switch (kind) {
    case IndexKind::number:
    case IndexKind::alu_port: break;
    case IndexKind::text:
      if (index.empty()) return std::nullopt;
      count = std::size_t{index[0]} + 1;
      break;
    case IndexKind::rest:
    case IndexKind::rest_text: count = std::max<std::size_t>(index.size(), 1); break;
    case IndexKind::address: count = 4; break;
  }
  if (count > index.size()) return std::nullopt;
  return count;
}

}  // namespace

std::optional<std::string> take_index_text(const IndexPart& part, std::span<const std::uint32_t>& index) {
  const auto count = numbers_of(part.kind, index);
  if (!count) return std::nullopt;
  const std::span<const std::uint32_t> own = index.first(*count);
  std::optional<std::string> text;
  switch (part.kind) {
    case IndexKind::text: text = characters(own.subspan(1)); break;
    case IndexKind::rest_text: text = characters(own); break;
    case IndexKind::alu_port: text = alu_port_text(own[0]); break;
    case IndexKind::address:
      if (std::ranges::any_of(own, [](std::uint32_t number) { return number > 0xff; })) return std::nullopt;
      [[fallthrough]];
    case IndexKind::number:
    case IndexKind::rest: text = to_text(Oid(own.begin(), own.end())); break;
  }
  if (!text) return std::nullopt;
  index = index.subspan(*count);
  const auto named = std::ranges::find(part.names, *text, [](const auto& name) { return name.first; });
  return named == part.names.end() ? *text : named->second;
}

std::string alu_port_text(std::uint32_t port) {
  constexpr std::uint32_t kInvalid = 0x1e000000;
  constexpr std::uint32_t kChannel = 1, kLogical = 2;  // in the three highest bits; 0: a port of a module
  if (port == kInvalid) return "invalid-portid";
  const std::uint32_t format = port >> 29;
  if (format == kLogical) {
    const bool is_lag = (port >> 28 & 1) != 0;
    return (is_lag ? "lag-" : "virtual-") + std::to_string(port & 0x0fffffff);
  }
  if (format > kLogical) return std::to_string(port);
  std::string text = std::to_string(port >> 25 & 0xf) + '/' + std::to_string(port >> 21 & 0xf) + '/' +
                     std::to_string(port >> 15 & 0x3f);
  if (format == kChannel) text += '.' + std::to_string(port & 0x7fff);
  return text;
}

std::optional<IndexKind> index_kind_of(std::string_view name) {
  for (const auto& [known, kind] : kIndexKinds) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

std::string_view to_text(IndexKind kind) { return kIndexKinds[static_cast<std::size_t>(kind)].first; }

}  // namespace varve::snmp::inventory
