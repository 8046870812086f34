// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/statements.h"

#include <gtest/gtest.h>

namespace varve::engine::cassandra {
namespace {

using Names = std::vector<std::string>;

const Table kWideTable{"wide",
                       "",
                       {{"a", CellType::text}, {"b", CellType::blob}},
                       {{"c", CellType::bigint}, {"d", CellType::text}},
                       {{"x", CellType::blob}, {"y", CellType::text}},
                       ""};
Bounds bounds(bool from, bool until) {
  Bounds out;
  out.from = from;
  out.until = until;
  return out;
}

const Table kOne{"one", "", {{"a", CellType::text}}, {}, {{"x", CellType::text}}, ""};

TEST(Statements, Writes) {
  EXPECT_EQ(insert_cql("k", kWideTable),
            "INSERT INTO k.wide (a, b, c, d, x, y) VALUES (?, ?, ?, ?, ?, ?) USING TIMESTAMP ? AND TTL ?");
  EXPECT_EQ(delete_cql("k", kWideTable, Deleted::row),
            "DELETE FROM k.wide USING TIMESTAMP ? WHERE a = ? AND b = ? AND c = ? AND d = ?");
  EXPECT_EQ(delete_cql("k", kWideTable, Deleted::partition),
            "DELETE FROM k.wide USING TIMESTAMP ? WHERE a = ? AND b = ?");
  EXPECT_EQ(delete_cql("k", kWideTable, Deleted::range),
            "DELETE FROM k.wide USING TIMESTAMP ? WHERE a = ? AND b = ? AND c >= ? AND c < ?");
  EXPECT_EQ(delete_cql("k", kOne, Deleted::row), "DELETE FROM k.one USING TIMESTAMP ? WHERE a = ?");
}

TEST(Statements, Reads) {
  const Names y{"y"}, both{"y", "x"};
  EXPECT_EQ(select_cql("k", kWideTable, both, bounds(false, false)),
            "SELECT c, d, y, x FROM k.wide WHERE a = ? AND b = ?");
  EXPECT_EQ(select_cql("k", kWideTable, {}, bounds(true, false)),
            "SELECT c, d FROM k.wide WHERE a = ? AND b = ? AND c >= ?");
  EXPECT_EQ(select_cql("k", kWideTable, y, bounds(false, true)),
            "SELECT c, d, y FROM k.wide WHERE a = ? AND b = ? AND c < ?");
  EXPECT_EQ(select_cql("k", kWideTable, {}, bounds(true, true)),
            "SELECT c, d FROM k.wide WHERE a = ? AND b = ? AND c >= ? AND c < ?");
  Bounds keys;
  keys.keys = true;
  EXPECT_EQ(select_cql("k", kWideTable, {}, keys), "SELECT c, d FROM k.wide WHERE a = ? AND b = ? AND c IN ?");
  EXPECT_EQ(select_cql("k", kOne, {}, bounds(false, false)), "SELECT a FROM k.one WHERE a = ?") << "is it there?";
  EXPECT_EQ(scan_cql("k", kWideTable, y),
            "SELECT a, b, c, d, y FROM k.wide WHERE token(a, b) > ? AND token(a, b) <= ?");
  EXPECT_EQ(scan_cql("k", kOne, {}), "SELECT a FROM k.one WHERE token(a) > ? AND token(a) <= ?");
}

TEST(Statements, PagesHaveBytesInMind) {
  const Names x{"x"}, y{"y"};
  EXPECT_EQ(Select(driver::Statement(nullptr), kWideTable, y).page_rows(), 500U);
  Select blobs(driver::Statement(nullptr), kWideTable, x);
  EXPECT_EQ(blobs.page_rows(), 128U);
  blobs.measured(0, 0);
  blobs.measured(10, 160'000);
  EXPECT_EQ(blobs.page_rows(), 32U);
  blobs.measured(1, 1'000'000);
  EXPECT_EQ(blobs.page_rows(), 16U);
  for (int i = 0; i < 200; ++i) blobs.measured(100, 1'000);
  EXPECT_EQ(blobs.page_rows(), 128U);
}

TEST(Statements, ErrorsSayWhatCanBeDone) {
  const auto said = [](Code code) { return explained({code, "the driver's words"}, kOne, "writing"); };
  EXPECT_EQ(said(Code::invalid).message, "writing one: the driver's words");
  EXPECT_EQ(said(Code::timeout).code, Code::timeout);
  EXPECT_EQ(said(Code::limit).code, Code::unavailable);
  EXPECT_EQ(said(Code::io).code, Code::unavailable);
  EXPECT_EQ(said(Code::cancelled).message, "writing one: varve is stopping: the driver's words");
  EXPECT_EQ(said(Code::conflict).code, Code::unsupported);
  EXPECT_NE(said(Code::conflict).message.find("varve schema --apply"), std::string::npos);
}

}  // namespace
}  // namespace varve::engine::cassandra
