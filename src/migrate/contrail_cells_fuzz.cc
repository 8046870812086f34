// SPDX-License-Identifier: Apache-2.0
// The first byte chooses the table; then cells follow: a length (255: null) and the bytes. Whatever they are, reading
// ends in a row or an error, and the row is well formed.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "message/row.h"
#include "migrate/contrail_cells.h"

namespace {

using varve::migrate::ColumnInfo;
using varve::migrate::ContrailLayout;

ContrailLayout table(unsigned char which) {
  if ((which & 1) != 0) {
    return *varve::migrate::layout_of_v1(std::vector<ColumnInfo>{{"key", "uuid", 0},
                                                                 {"MessageTS", "bigint"},
                                                                 {"Source", "text"},
                                                                 {"Level", "int"},
                                                                 {"IPAddress", "inet"},
                                                                 {"Pid", "text"},
                                                                 {"Context", "text"},
                                                                 {"VersionSig", "int"},
                                                                 {"Xmlmessage", "text"}});
  }
  std::vector<ColumnInfo> columns = {{"key", "int", 0}, {"key2", "int", 1}, {"column1", "int"}, {"column2", "uuid"}};
  for (int i = 3; i <= 19; ++i) {
    const bool number = i == 13 || i == 15 || i >= 18;
    columns.push_back({"column" + std::to_string(i), number ? "int" : i == 12 && (which & 2) != 0 ? "inet" : "text"});
  }
  columns.push_back({"value", "text"});
  return *varve::migrate::layout_of_v2(columns);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ContrailLayout layout = table(data[0]);
  varve::message::Batch batch;
  varve::migrate::ContrailCells cells(layout, batch);
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  while (!rest.empty()) {
    std::vector<varve::driver::Cell> row;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const auto length =
          rest.empty() ? std::size_t{255} : static_cast<std::size_t>(static_cast<std::uint8_t>(rest[0]));
      rest.remove_prefix(rest.empty() ? 0 : 1);
      if (length == 255) {
        row.emplace_back();
        continue;
      }
      const std::string_view cell = rest.substr(0, length);
      row.emplace_back(cell);
      rest.remove_prefix(cell.size());
    }
    batch.clear();
    const auto time_us = cells.read(row);
    if (!time_us) continue;
    cells.add_object(rest.substr(0, 20));
    cells.finish(*time_us);
    const auto bytes = batch.bytes();
    if (varve::message::check_row(bytes.data(), bytes.data() + bytes.size()) != bytes.size()) std::abort();
  }
  return 0;
}
