// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_cells.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "base/bytes.h"
#include "message/id.h"

namespace varve::migrate {
namespace {

constexpr std::int64_t kT2 = 177'442'050, kT1 = 235'040;  // the pair of the reference: 2017-03-02 21:56:40.40144
const std::string kId = "5e0c5621-7039-4497-a11a-18457a153d72";

std::string int_cell(std::int64_t value, std::size_t bytes = 4) {
  std::string out(8, 0);
  store_be64(out.data(), static_cast<std::uint64_t>(value));
  return out.substr(8 - bytes);
}
std::string uuid_cell(const std::string& text) {
  const auto id = read_uuid(text);
  return {id->data(), id->size()};
}

// "name value" of what is in the row, in order; columns by their names in NDJSON.
std::string shown(message::RowView row) {
  std::string out = std::to_string(row.time_us());
  auto reader = row.reader();
  for (message::Cell cell; reader.next(cell);) {
    out += " ";
    out += cell.column == message::Column::field ? cell.name : message::name_of(cell.column).key;
    const bool number = cell.column != message::Column::field && message::is_integer(cell.column);
    out += "=" + (number                               ? std::to_string(cell.number)
                  : cell.column == message::Column::id ? uuid_text(cell.text)
                                                       : std::string(cell.text));
  }
  return out;
}

using Cells = std::map<std::string, std::string>;

class Table {
 public:
  explicit Table(ContrailLayout layout) : layout_(std::move(layout)) {}

  // The message without its id, or "!" and what is wrong.
  std::string read(const Cells& given) {
    std::vector<driver::Cell> row;
    for (const auto& column : layout_.columns) {
      const auto cell = given.find(column.name);
      row.push_back(cell == given.end() ? driver::Cell() : driver::Cell(cell->second));
    }
    batch_.clear();
    const auto time_us = cells_.read(row);
    if (!time_us) return "!" + time_us.error().message;
    cells_.finish(*time_us);
    std::string out = shown(message::RowView{batch_.bytes().data()});
    if (const auto id = out.find(" id=" + kId); id != std::string::npos) out.erase(id, 4 + kId.size());
    return cells_.bad_name().empty() ? out : out + " without " + std::string(cells_.bad_name());
  }

 private:
  ContrailLayout layout_;
  message::Batch batch_;
  ContrailCells cells_{layout_, batch_};
};

std::vector<ColumnInfo> v2_columns(bool shipped) {
  std::vector<ColumnInfo> out = {{"key", "int", 0}, {"key2", "int", 1}, {"column1", "int"}, {"column2", "uuid"}};
  for (int i = 3; i <= (shipped ? 19 : 18); ++i) {
    const bool number = i == 13 || i == 15 || i >= 18;
    out.push_back({"column" + std::to_string(i), number ? "int" : i == 12 && shipped ? "inet" : "text"});
  }
  out.push_back({"value", "text"});
  return out;
}

// A row at the time of the reference.
Cells row(Cells cells) {
  cells.insert({{"key", int_cell(kT2)}, {"column1", int_cell(kT1)}, {"column2", uuid_cell(kId)}});
  return cells;
}

TEST(ContrailCells, TheTimeIsT2AndT1) {
  Table table(*layout_of_v2(v2_columns(true)));
  EXPECT_EQ(table.read(row({})), "1488491800401440");
  EXPECT_EQ(table.read(row({{"column1", int_cell(0)}})), "1488491800166400");
  EXPECT_EQ(table.read(row({{"key", int_cell(0)}, {"column1", int_cell((1 << 23) - 1)}})), "8388607");
  EXPECT_EQ(table.read(row({{"column1", int_cell(1 << 23)}})), "!column1: 8388608 is not a T1 of 23 bits");
  EXPECT_EQ(table.read(row({{"column1", int_cell(-1)}})), "!column1: -1 is not a T1 of 23 bits");
  EXPECT_EQ(table.read(row({{"key", int_cell(-1)}})), "!key: -1 is not a T2");
  EXPECT_EQ(table.read(row({{"key", ""}})), "!it has no time");
  EXPECT_EQ(table.read(row({{"column1", ""}})), "!it has no time");
  EXPECT_EQ(table.read(row({{"column2", ""}})), "!it has no UUID");
  EXPECT_EQ(table.read(row({{"column2", "short"}})), "!column2: a UUID of 5 bytes");
  EXPECT_EQ(table.read(row({{"column15", "123456789"}})), "!column15: an integer of 9 bytes");
  EXPECT_EQ(table.read(row({{"column12", "123"}})), "!column12: an address of 3 bytes");
}

TEST(ContrailCells, EveryColumn) {
  const std::string t2 = "177442050:";
  Cells cells = row({{"column3", t2 + "a1s42"},
                     {"column4", t2 + "NodeStatusUVE"},
                     {"column5", t2 + "contrail-alarm-gen"},
                     {"column6", t2 + "ObjectGeneratorInfo:a1s42:Control:contrail-dns:0"},
                     {"column7", ""},
                     {"column13", int_cell(4711)},
                     {"column14", "XMPP"},
                     {"column15", int_cell(-100)},
                     {"column16", "Control"},
                     {"column17", "0"},
                     {"column18", int_cell(-1)},
                     {"value", "<a>\xc3\xa9</a>"}});
  const std::string expected =
      "1488491800401440 source=a1s42 module=contrail-alarm-gen type=NodeStatusUVE node_type=Control instance=0 "
      "category=XMPP ip=";
  const std::string rest =
      " pid=4711 sequence=4294967295 objects=ObjectGeneratorInfo:a1s42:Control:contrail-dns:0 text=<a>\xc3\xa9</a>";
  cells["column12"] = "\x0a\x01\x02\x03";
  cells["column19"] = int_cell(11);
  EXPECT_EQ(Table(*layout_of_v2(v2_columns(true))).read(cells), expected + "10.1.2.3 level=-100 kind=11" + rest);
  cells["column12"] = "fe80::1";
  EXPECT_EQ(Table(*layout_of_v2(v2_columns(false))).read(cells), expected + "fe80::1 level=-100" + rest);
}

TEST(ContrailCells, ThePrefixIsTakenOffWhereItIsThisRowsOwn) {
  struct Case {
    std::string_view cell, value;
  };
  for (const auto& [cell, value] : std::initializer_list<Case>{{"177442050:host", "host"},
                                                               {"a938d02:host", "host"},
                                                               {"0a938d02:host", "host"},
                                                               {"A938D02:host", "host"},
                                                               {"0xa938d02:host", "host"},
                                                               {"177442050:", ""},
                                                               {"177442050:177442050:x", "177442050:x"},
                                                               {"177442050:a938d02:x", "a938d02:x"},
                                                               {"177442051:host", "177442051:host"},
                                                               {"a938d03:host", "a938d03:host"},
                                                               {"00a938d02x:host", "00a938d02x:host"},
                                                               {"0000000000a938d02:host", "0000000000a938d02:host"},
                                                               {"0177442050:host", "0177442050:host"},
                                                               {"177442050", "177442050"},
                                                               {":host", ":host"},
                                                               {"0x:host", "0x:host"},
                                                               {"host", "host"},
                                                               {"", ""}}) {
    EXPECT_EQ(without_prefix(cell, "177442050", "a938d02"), value) << cell;
  }
  Table table(*layout_of_v2(v2_columns(true)));
  EXPECT_EQ(table.read(row({{"column3", "177442050:"}})), "1488491800401440");
  // The prefix of the row before is not this row's.
  EXPECT_EQ(table.read(row({{"key", int_cell(0)}, {"column3", "177442050:h"}})), "235040 source=177442050:h");
  EXPECT_EQ(table.read(row({{"key", int_cell(0)}, {"column3", "0:h"}})), "235040 source=h");
  // No other column has one.
  EXPECT_EQ(table.read(row({{"column14", "177442050:c"}})), "1488491800401440 category=177442050:c");
}

TEST(ContrailCells, NamesOfObjects) {
  Table table(*layout_of_v2(v2_columns(true)));
  EXPECT_EQ(table.read(row({{"column6", "a938d02:ObjectVNTable:default:vn1"}, {"column9", "177442050:A:b"}})),
            "1488491800401440 objects=ObjectVNTable:default:vn1 objects=A:b");
  EXPECT_EQ(table.read(row({{"column6", "177442050:no name"}, {"column7", "A:b"}, {"column8", ":c"}})),
            "1488491800401440 objects=A:b without no name");
  EXPECT_EQ(table.read(row({{"column6", "A:b"}, {"column7", "A:b"}})), "1488491800401440 objects=A:b");
  // Where six are in cells, a seventh may be in the text alone.
  Cells cells = row({{"value", "<m><x key=\"T\">1</x><y key=\"Seventh\">7</y></m>"}});
  for (int i = 6; i < 11; ++i) cells["column" + std::to_string(i)] = "T:" + std::to_string(i - 5);
  EXPECT_EQ(table.read(cells).find("objects=Seventh:7"), std::string::npos);
  cells["column11"] = "T:6";
  EXPECT_NE(table.read(cells).find(" objects=T:6 objects=Seventh:7 "), std::string::npos) << table.read(cells);
}

TEST(ContrailCells, FirstTables) {
  const std::vector<ColumnInfo> columns = {{"key", "uuid", 0},    {"Category", "text"},   {"Context", "text"},
                                           {"IPAddress", "text"}, {"Level", "int"},       {"MessageTS", "bigint"},
                                           {"Source", "text"},    {"Type", "text"},       {"Pid", "int"},
                                           {"VersionSig", "int"}, {"Xmlmessage", "text"}, {"Namespace", "text"},
                                           {"moduleid", "text"},  {"Odd", "list<int>"}};
  const auto layout = layout_of_v1(columns);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->left, std::vector<std::string>{"Odd"});
  Table table(*layout);
  const Cells cells = {{"key", uuid_cell(kId)}, {"MessageTS", int_cell(1488491800401440, 8)}};
  const auto with = [&](Cells more) {
    more.insert(cells.begin(), cells.end());
    return table.read(more);
  };
  EXPECT_EQ(with({}), "1488491800401440");
  EXPECT_EQ(with({{"Source", "177442050:s"}, {"moduleid", "m"}, {"Namespace", "ns"}, {"Context", ""}}),
            "1488491800401440 source=177442050:s module=m Namespace=ns");
  EXPECT_EQ(with({{"VersionSig", int_cell(-5)}, {"Type", "11"}, {"IPAddress", "::1"}}),
            "1488491800401440 ip=::1 kind=11 VersionSig=-5");
  EXPECT_EQ(with({{"Type", "eleven"}}), "!Type: 'eleven' is not a number");
  EXPECT_EQ(table.read({{"key", uuid_cell(kId)}}), "!it has no time");
  EXPECT_EQ(with({{"Source", std::string(65'537, 'x')}}).substr(0, 24), "!source has 65537 bytes;");
}

TEST(ContrailLayout, WhatIsNoContrail) {
  EXPECT_FALSE(layout_of_v2(std::vector<ColumnInfo>{{"key", "blob", 0}, {"column1", "blob"}, {"value", "blob"}}));
  EXPECT_FALSE(layout_of_v1(std::vector<ColumnInfo>{{"key", "uuid", 0}, {"column1", "blob"}, {"value", "blob"}}));
  EXPECT_FALSE(layout_of_v1(std::vector<ColumnInfo>{{"key", "text", 0}, {"MessageTS", "bigint"}}));
  const auto v2 = layout_of_v2(v2_columns(true));
  EXPECT_EQ(v2->names().substr(0, 37), R"("key", "column1", "column2", "column3)") << v2->names();
  EXPECT_EQ(v2->names().find("key2"), std::string::npos);
  EXPECT_EQ(key_of(v2_columns(true), "token"), R"(token("key", "key2"))");
}

TEST(ContrailLayout, ObjectTables) {
  std::vector<ColumnInfo> columns = {
      {"key", "int", 0}, {"key2", "int", 1}, {"key3", "text", 2}, {"column1", "text"}, {"column2", "int"}};
  EXPECT_FALSE(object_columns(columns));
  columns.push_back({"value", "text"});
  EXPECT_TRUE(object_columns(columns)->id_is_text);
  columns.back().type = "uuid";
  EXPECT_EQ(object_columns(columns)->id, "value");
  EXPECT_FALSE(object_columns(columns)->id_is_text);
  columns.back().type = "blob";
  columns.push_back({"column3", "timeuuid"});
  EXPECT_EQ(object_columns(columns)->id, "column3");
}

}  // namespace
}  // namespace varve::migrate
