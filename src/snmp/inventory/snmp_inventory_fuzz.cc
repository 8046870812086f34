// SPDX-License-Identifier: Apache-2.0
// An import from any bytes: what is taken and holds together is exported and taken again; what is stored is read back.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "snmp/inventory/esmond_fixture.h"
#include "snmp/inventory/history_text.h"
#include "snmp/inventory/inventory_json.h"

namespace {

using namespace varve::snmp::inventory;
using varve::check;
namespace json = varve::protocol::json;

Inventory taken(const std::string& text, Faults& faults) {
  Inventory out;
  json::Reader reader(text);
  const auto root = json::read_strict(reader);
  if (!root) {
    faults.push_back(root.error().message);
    return out;
  }
  std::vector<std::string> credentials;
  if (root->kind == json::Kind::array) {
    read_fixture(*root, false, out, credentials, faults);
  } else {
    read_import(*root, false, out, faults);
  }
  if (faults.empty()) faults = faults_of(out);
  return out;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer looks for
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Faults faults;
  const Inventory inventory = taken(text, faults);
  if (faults.empty()) {
    Faults none;
    check(taken(to_json(inventory), none) == inventory && none.empty(), "what is exported is imported");
    for (const auto& [name, correlator] : inventory.correlators) {
      const Oid index(data, data + std::min<std::size_t>(size, 20));
      const auto number = layout_of(correlator, index);
      if (!number) continue;
      const Layout& layout = correlator.layouts[*number];
      const auto parts = index_texts(layout, index);
      const std::vector<std::string> columns(layout.columns.size(), text.substr(0, 40));
      for (const Column& column : layout.columns) (void)column_index(layout, column, *parts, columns);
      (void)tag_values(layout, *parts, columns);
    }
  }
  if (const auto rows = history_of_text(HistoryKind::saps, text)) {
    check(history_of_text(HistoryKind::saps, history_text(*rows)) == rows, "a history comes back");
  }
  return 0;
}
