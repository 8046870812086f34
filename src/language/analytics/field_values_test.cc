// SPDX-License-Identifier: Apache-2.0
// Values and ids that sealed blocks say are those of their rows.
#include "language/analytics/field_values.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>

#include "base/testing/effort.h"
#include "language/analytics/answer_rows.h"
#include "query/testing/message_parts.h"
#include "query/under_way.h"
#include "storage/testing/memory_store.h"

namespace varve::language::analytics {
namespace {

constexpr std::int64_t kSpanUs = 10'000'000;

class ValuesOfBlocks : public ::testing::Test {
 protected:
  Result<std::vector<std::string>> rows(const storage::MessageStore& messages, const std::string& body) {
    const MessageSource source{messages, engine_, clock_, 1'000'000};
    const auto gone = std::make_shared<std::atomic<bool>>(false);
    VARVE_ASSIGN_OR_RETURN(auto query,
                           query::UnderWay::begin(engine_, query::shown_as("t", "analytics", body), gone.get()));
    Answering answering(source, "t", query, gone);
    VARVE_ASSIGN_OR_RETURN(const auto question, answering.read(body));
    if (question->asked.table.kind == TableKind::stat) return value_rows(answering, *question);
    return id_rows(answering, question->asked);
  }

  storage::testing::MemoryStore store_;
  ManualClock clock_{kSpanUs / 1000};
  query::Engine engine_{store_, store_, clock_, {}};
};

TEST_F(ValuesOfBlocks, AreThoseOfRows) {
  using query::testing::MessageParts;
  using Kept = MessageParts::Kept;
  for (int round = 0; round < varve::testing::effort(6); ++round) {
    std::mt19937_64 random(static_cast<std::uint64_t>(round));
    message::Batch batch;
    message::block::testing::SiteMessages(random()).make(random() % 900 + 1, 0, kSpanUs, batch);
    message::Builder builder(batch);
    for (const char* const name : {"ObjectVNTable:a", "ObjectVNTableX:b", "Rack:1"}) {
      builder.start();
      ASSERT_TRUE(builder.add_object(name));
      const std::string source = std::string("only ") + name;  // until finish()
      ASSERT_TRUE(builder.set(message::Column::source, source));
      builder.finish(static_cast<std::int64_t>(random() % kSpanUs));
    }
    const MessageParts hot(batch, Kept::hot), sealed(batch, Kept::sealed), half(batch, Kept::half);
    const auto asks = [&](const std::string& body) {
      const auto expected = rows(hot, body);
      ASSERT_TRUE(expected) << body << expected.error().message;
      EXPECT_EQ(rows(sealed, body).value(), *expected) << body;
      EXPECT_EQ(rows(half, body).value(), *expected) << body;
    };
    for (const std::string span :
         {R"("start_time":0,"end_time":10000000,)", R"("start_time":3000001,"end_time":7000001,)"}) {
      for (const char* const column :
           {"MessageTable:Source", "MessageTable:ModuleId", "MessageTable:Messagetype", "MessageTable:Level",
            "MessageTable:ObjectName", "ObjectVNTable:ObjectId", "ObjectVNTable:Source", "Rack:Source"}) {
        asks("{\"table\":\"StatTable.FieldNames.fields\"," + span +
             R"("select_fields":["name","fields.value"],"where":[[{"name":"name","op":7,"value":")" + column +
             "\"}]]}");
      }
      asks("{\"table\":\"ObjectVNTable\"," + span + R"("select_fields":["ObjectId"]})");
      asks("{\"table\":\"ObjectVNTable\"," + span +
           R"("select_fields":["ObjectId"],"where":[[{"name":"ObjectId","op":7,"value":"a"}]]})");
      asks("{\"table\":\"ObjectVNTable\"," + span +
           R"("select_fields":["ObjectId"],"where":[[{"name":"Source","op":7,"value":"only"}]]})");
    }
  }
}

}  // namespace
}  // namespace varve::language::analytics
