// SPDX-License-Identifier: Apache-2.0
// What may be wrong with a correlator.
#include <set>
#include <utility>

#include "snmp/inventory/correlator.h"
#include "snmp/inventory/device.h"
#include "snmp/inventory/index_text.h"

namespace varve::snmp::inventory {
namespace {

constexpr std::size_t kLayoutsMax = 16;
constexpr std::size_t kPartsMax = 32;  // of a layout: of its index, columns, tags, rules

class LayoutFaults {
 public:
  LayoutFaults(const Layout& layout, std::string place, std::vector<std::string>& out)
      : layout_(layout), place_(std::move(place)), out_(out) {}

  void find() {
    for (const std::size_t size :
         {layout_.index.size(), layout_.columns.size(), layout_.tags.size(), layout_.where.size()}) {
      if (size > kPartsMax) return fault("", "more than " + std::to_string(kPartsMax) + " parts of one kind");
    }
    if (layout_.index.empty()) fault("index", "it is missing");
    for (std::size_t i = 0; i < layout_.index.size(); ++i) part(i);
    for (std::size_t i = 0; i < layout_.columns.size(); ++i) column(i);
    if (layout_.tags.empty()) fault("tags", "there are none");
    for (std::size_t i = 0; i < layout_.tags.size(); ++i) tag(i);
    for (std::size_t i = 0; i < layout_.where.size(); ++i) known(layout_.where[i].column, at("where", i) + ".column");
  }

 private:
  static std::string at(const char* list, std::size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }
  void fault(const std::string& where, const std::string& what) {
    out_.push_back(place_ + (where.empty() ? "" : "." + where) + ": " + what);
  }
  void named(const std::string& name, const std::string& where, bool is_tag) {
    if (const Status good = check_name(name); !good) return fault(where, good.error().message);
    if (name.find_first_of("{}") != std::string::npos) return fault(where, "a name here may not have braces");
    if (!(is_tag ? tags_ : names_).insert(name).second) fault(where, "\"" + name + "\" is there twice");
  }
  void known(std::string_view name, const std::string& where) {
    if (!names_.contains(name)) {
      fault(where, "\"" + std::string(name) + "\" is neither a part of the index nor a column before it");
    }
  }

  void part(std::size_t i) {
    const IndexKind kind = layout_.index[i].kind;
    named(layout_.index[i].name, at("index", i) + ".name", false);
    if ((kind == IndexKind::rest || kind == IndexKind::rest_text) && i + 1 < layout_.index.size()) {
      fault(at("index", i) + ".kind", std::string(to_text(kind)) + " takes all that is left, so it must be the last");
    }
  }
  void column(std::size_t i) {
    const Column& column = layout_.columns[i];
    if (column.oid.empty()) fault(at("columns", i) + ".oid", "it is missing");
    if (column.index.empty()) fault(at("columns", i) + ".index", "it is missing");
    for (std::size_t k = 0; k < column.index.size(); ++k) known(column.index[k], at("columns", i) + at(".index", k));
    named(column.name, at("columns", i) + ".name", false);
  }
  void tag(std::size_t i) {
    const TagRule& tag = layout_.tags[i];
    named(tag.name, at("tags", i) + ".name", true);
    if (tag.name == "device" || tag.name == "oidset")
      fault(at("tags", i) + ".name", "every sample has this tag already");
    if (tag.value.empty()) fault(at("tags", i) + ".value", "it is missing");
    for (const auto& [text, where] : {std::pair(&tag.value, ".value"), std::pair(&tag.otherwise, ".otherwise")}) {
      for_each_piece(*text, [&](std::string_view piece, bool is_name) {
        if (is_name) known(piece, at("tags", i) + where);
      });
    }
    for (const auto& [from, to] : tag.replace) {
      if (from.empty()) fault(at("tags", i) + ".replace", "an empty text cannot be replaced");
    }
  }

  const Layout& layout_;
  const std::string place_;
  std::vector<std::string>& out_;
  std::set<std::string, std::less<>> names_, tags_;
};

}  // namespace

std::vector<std::string> faults_of(const Correlator& correlator) {
  std::vector<std::string> out;
  if (const Status good = check_name(correlator.name); !good) out.push_back("name: " + good.error().message);
  if (correlator.layouts.empty()) out.emplace_back("layouts: there are none");
  if (correlator.layouts.size() > kLayoutsMax) {
    out.push_back("layouts: there may be " + std::to_string(kLayoutsMax));
    return out;
  }
  for (std::size_t i = 0; i < correlator.layouts.size(); ++i) {
    LayoutFaults(correlator.layouts[i], "layouts[" + std::to_string(i) + "]", out).find();
  }
  return out;
}

}  // namespace varve::snmp::inventory
