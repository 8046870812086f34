// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/sorted_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "language/analytics/counted_rows.h"
#include "message/builder.h"

namespace varve::language::analytics {
namespace {

using message::Column;

AnalyticsQuery sort_query(std::string_view select, std::string_view more) {
  const std::string seen[] = {"Rack"};
  const Tables tables(seen);
  const bool is_object = select.contains("ObjectId");
  auto query = parse_query(R"({"table":")" + std::string(is_object ? "Rack" : "MessageTable") +
                               R"(","start_time":0,"end_time":9,"select_fields":)" + std::string(select) +
                               std::string(more) + "}",
                           {0, tables, [](std::string_view name) { return name == "f"; }});
  EXPECT_TRUE(query) << query.error().message;
  return *query;
}

struct Message {
  std::int64_t time_us;
  const char* module;
  std::int64_t level;
  unsigned nanos = 0;
};

class SortTest : public ::testing::Test {
 protected:
  SortTest() {
    // Their arrival is their place here.
    const Message messages[] = {{5, "query-engine", 10}, {4, "collector", 9}, {5, "collector", 9, 7},
                                {5, "collector", 100},   {1, "api", -1},      {5, "collector", 9}};
    for (const auto& [time_us, module, level, nanos] : messages) {
      message::Builder builder(batch_);
      builder.start();
      EXPECT_TRUE(builder.set(Column::module, module));
      builder.set(Column::level, level);
      if (level == 9) {
        EXPECT_TRUE(builder.add_object("Rack:b"));
        EXPECT_TRUE(builder.add_object("Rack:a"));
      }
      builder.set(Column::pid, static_cast<std::int64_t>(batch_.rows()));
      builder.finish(time_us, nanos);
    }
    bytes_.assign(batch_.bytes().begin(), batch_.bytes().end());
    for (std::size_t at = 0; at < bytes_.size();) {
      message::set_arrival(bytes_.data() + at, rows_.size());
      rows_.push_back({bytes_.data() + at});
      at += rows_.back().bytes();
    }
  }

  // All rows of the answer, or their numbers (Pid) if these are selected alone; whatever the order of the messages.
  std::string sorted(std::string_view select, std::string_view more) {
    const AnalyticsQuery query = sort_query(select, more);
    std::string out;
    for (int round = 0; round < 20; ++round) {
      SortedRows sorted_rows(query);
      add_all(query, sorted_rows);
      const std::string again = joined(sorted_rows.take());
      EXPECT_EQ(sorted_rows.bytes(), 0U);
      EXPECT_EQ(again, round == 0 ? again : out);
      out = again;
    }
    return out;
  }
  std::string counted(std::string_view select, std::string_view more) {
    const AnalyticsQuery query = sort_query(select, R"(,"aggregate":["count"])" + std::string(more));
    CountedRows rows(query);
    add_all(query, rows);
    return joined(rows.take());
  }

  std::vector<message::RowView> rows_;
  std::mt19937 random_{7};

 private:
  template <class To>
  void add_all(const AnalyticsQuery& query, To& to) {
    MessageRows reader(query);
    std::ranges::shuffle(rows_, random_);
    for (const message::RowView row : rows_) {
      const std::size_t count = reader.read(row);
      for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<To, SortedRows>)
          to.add(reader, i, row);
        else
          to.add(reader, i);
      }
    }
  }
  static std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const auto& part : parts) out += part;
    return out;
  }

  message::Batch batch_;
  std::vector<std::byte> bytes_;
};

std::string pids(std::string_view order, std::string_view select) {
  std::string out;
  for (const char c : order) out += std::string(select) + "\"Pid\":" + c + "}";
  return out;
}

TEST_F(SortTest, ByFieldsThenTimeThenArrival) {
  const auto order = [&](std::string_view select, std::string_view more) {
    std::string out;
    const std::string rows = sorted(select, more);
    for (std::size_t at = 0; (at = rows.find("\"Pid\":", at)) != std::string::npos; at += 7) out += rows[at + 6];
    return out;
  };
  EXPECT_EQ(order(R"(["Pid"])", ""), "410352");
  EXPECT_EQ(order(R"(["Pid","ModuleId"])", R"(,"sort_fields":["ModuleId"])"), "413520");
  EXPECT_EQ(order(R"(["Pid","ModuleId"])", R"(,"sort_fields":["ModuleId"],"sort":2)"), "013524");
  EXPECT_EQ(order(R"(["Pid","Level"])", R"(,"sort_fields":["Level"])"), "415203");
  EXPECT_EQ(order(R"(["Pid","Level"])", R"(,"sort_fields":["Level"],"sort":2)"), "301524");
  EXPECT_EQ(order(R"(["Pid","MessageTS"])", R"(,"sort_fields":["MessageTS"])"), "410352");
  EXPECT_EQ(order(R"(["Pid","MessageTS"])", R"(,"sort_fields":["MessageTS"],"sort":2)"), "253014");
  EXPECT_EQ(order(R"(["Pid","MessageTS","Level"])", R"(,"sort_fields":["MessageTS","Level"])"), "415203");
  EXPECT_EQ(order(R"(["Pid","Source"])", R"(,"sort_fields":["Source"],"sort":2)"), "410352");  // absent in all
}

TEST_F(SortTest, LimitKeepsTheFirst) {
  EXPECT_EQ(sorted(R"(["ModuleId"])", R"(,"sort_fields":["ModuleId"],"limit":1)"), R"({"ModuleId":"api"})");
  EXPECT_EQ(sorted(R"(["ModuleId"])", R"(,"sort_fields":["ModuleId"],"sort":2,"limit":2)"),
            R"({"ModuleId":"query-engine"}{"ModuleId":"collector"})");
  EXPECT_EQ(sorted(R"(["Pid"])", R"(,"sort_fields":["Pid"],"sort":2,"limit":3)"), pids("543", "{"));
  EXPECT_EQ(sorted(R"(["Pid"])", R"(,"sort_fields":["Pid"],"limit":100)"), pids("012345", "{"));
}

TEST_F(SortTest, RowsOfOneMessageStayInItsOrder) {
  EXPECT_EQ(sorted(R"(["ObjectId","Pid"])", R"(,"sort_fields":["Pid"])"),
            R"({"ObjectId":"b","Pid":1}{"ObjectId":"a","Pid":1}{"ObjectId":"b","Pid":2}{"ObjectId":"a","Pid":2})"
            R"({"ObjectId":"b","Pid":5}{"ObjectId":"a","Pid":5})");
  EXPECT_EQ(sorted(R"(["ObjectId","Pid"])", R"(,"sort_fields":["ObjectId"],"sort":2,"limit":4)"),
            R"({"ObjectId":"b","Pid":1}{"ObjectId":"b","Pid":5}{"ObjectId":"b","Pid":2}{"ObjectId":"a","Pid":1})");
}

TEST_F(SortTest, MemoryIsOfTheRowsThatAreKept) {
  const AnalyticsQuery query = sort_query(R"(["ModuleId"])", R"(,"sort_fields":["ModuleId"],"limit":2)");
  SortedRows sorted_rows(query);
  MessageRows reader(query);
  for (int round = 0; round < 100; ++round) {
    for (const message::RowView row : rows_) {
      reader.read(row);
      sorted_rows.add(reader, 0, row);
    }
  }
  EXPECT_EQ(sorted_rows.rows(), 2U);
  EXPECT_LT(sorted_rows.bytes(), 1000U);
}

TEST_F(SortTest, Counts) {
  EXPECT_EQ(counted(R"(["ModuleId"])", ""),
            R"({"ModuleId":"api","count":1}{"ModuleId":"collector","count":4}{"ModuleId":"query-engine","count":1})");
  EXPECT_EQ(counted(R"(["ModuleId"])", R"(,"sort_fields":["count"],"sort":2,"limit":2)"),
            R"({"ModuleId":"collector","count":4}{"ModuleId":"api","count":1})");
  EXPECT_EQ(counted(R"(["Level","ModuleId"])", R"(,"sort_fields":["ModuleId","count","Level"])"),
            R"({"Level":-1,"ModuleId":"api","count":1}{"Level":100,"ModuleId":"collector","count":1})"
            R"({"Level":9,"ModuleId":"collector","count":3}{"Level":10,"ModuleId":"query-engine","count":1})");
  EXPECT_EQ(counted("[]", ""), R"({"count":6})");
  EXPECT_EQ(counted(R"(["ObjectId"])", ""), R"({"ObjectId":"a","count":3}{"ObjectId":"b","count":3})");
  EXPECT_EQ(counted(R"(["T=1"])", ""), R"({"T=":0,"count":6})");
  EXPECT_EQ(counted(R"(["f"])", ""), R"({"f":null,"count":6})");
}

TEST(AnalyticsOrder, IsOfTimeWhereItIsOfTimeAlone) {
  EXPECT_EQ(order_of(sort_query(R"(["Source"])", "")), Order::time_up);
  EXPECT_EQ(order_of(sort_query(R"(["time"])", R"(,"sort_fields":["MessageTS"])")), Order::time_up);
  EXPECT_EQ(order_of(sort_query(R"(["MessageTS"])", R"(,"sort_fields":["MessageTS"],"sort":2)")), Order::time_down);
  EXPECT_EQ(order_of(sort_query(R"(["MessageTS","Source"])", R"(,"sort_fields":["MessageTS","Source"])")),
            Order::sorted);
  EXPECT_EQ(order_of(sort_query(R"(["Source"])", R"(,"sort_fields":["Source"])")), Order::sorted);
  EXPECT_EQ(order_of(sort_query(R"(["Source"])", R"(,"aggregate":["count"])")), Order::sorted);
}

}  // namespace
}  // namespace varve::language::analytics
