// SPDX-License-Identifier: Apache-2.0
#include "message/classes.h"

#include <gtest/gtest.h>

#include <functional>

#include "message/builder.h"

namespace varve::message {
namespace {

ClassRule rule_of(std::string name, std::int64_t retention_ms, std::string_view condition) {
  ClassRule rule;
  rule.name = std::move(name);
  rule.retention_ms = retention_ms;
  const Status read = read_class_condition(condition, rule);
  EXPECT_TRUE(read) << condition << " " << (read ? "" : read.error().message);
  return rule;
}

class ClassesTest : public ::testing::Test {
 protected:
  std::string_view class_of(const std::function<void(Builder& builder)>& set) {
    Batch batch;
    Builder builder(batch);
    builder.start();
    set(builder);
    builder.finish(1);
    return classes_.name(classes_.of(RowView{batch.bytes().data()}));
  }

  Classes classes_{{rule_of("audit", 90, "type=VncApiConfigLog"), rule_of("short", 5, "module=cart*"),
                    rule_of("audit", 90, "objects=ObjectVNTable:a:*"), rule_of("bad", 60, "level=err"),
                    rule_of("traces", 3, "kind=4"), rule_of("never", 1, "Messagetype=VncApiConfigLog")},
                   30};
};

TEST_F(ClassesTest, TheFirstRuleThatFitsCounts) {
  EXPECT_EQ(class_of([](Builder& b) { static_cast<void>(b.set(Column::type, "VncApiConfigLog")); }), "audit");
  EXPECT_EQ(class_of([](Builder& b) { static_cast<void>(b.set(Column::type, "VncApiConfigLog2")); }), "");
  EXPECT_EQ(class_of([](Builder& b) { static_cast<void>(b.set(Column::module, "cart")); }), "short");
  EXPECT_EQ(class_of([](Builder& b) { static_cast<void>(b.set(Column::module, "carts")); }), "short");
  EXPECT_EQ(class_of([](Builder& b) { static_cast<void>(b.set(Column::module, "car")); }), "");
  EXPECT_EQ(class_of([](Builder& b) { b.set(Column::level, std::int64_t{3}); }), "bad");
  EXPECT_EQ(class_of([](Builder& b) { b.set(Column::kind, std::int64_t{4}); }), "traces");
  EXPECT_EQ(class_of([](Builder& b) {
              static_cast<void>(b.add_object("ObjectVMTable:x"));
              static_cast<void>(b.add_object("ObjectVNTable:a:b"));
              static_cast<void>(b.set(Column::text, "t"));
            }),
            "audit");
  EXPECT_EQ(class_of([](Builder& b) {
              static_cast<void>(b.set(Column::module, "cart"));
              static_cast<void>(b.set(Column::type, "VncApiConfigLog"));
            }),
            "audit");
  EXPECT_EQ(class_of([](Builder& b) { static_cast<void>(b.add_field("type", FieldForm::text, "VncApiConfigLog")); }),
            "");
}

TEST_F(ClassesTest, Retentions) {
  EXPECT_EQ(classes_.retention_ms(kDefaultClass), 30);
  EXPECT_EQ(classes_.retention_ms(class_id_of("audit")), 90);
  EXPECT_EQ(classes_.retention_ms(class_id_of("gone")), 30);
  EXPECT_EQ(classes_.longest_ms(), 90);
  EXPECT_EQ(classes_.shortest_ms(), 1);
  EXPECT_FALSE(classes_.are_one());
  EXPECT_TRUE(Classes({}, 30).are_one());
}

// They stand in keys.
TEST(ClassId, IsStable) {
  EXPECT_EQ(static_cast<std::uint64_t>(class_id_of("audit")), 2863916643152651448U);
  EXPECT_NE(class_id_of("audit"), class_id_of("Audit"));
}

TEST(ClassCondition, Refused) {
  for (const char* bad : {"type", "", "=x", "type=", "type=*", "colour=red", "text=x", "time=1", "id=1", "pid=7",
                          "sequence=1", "level=loud", "kind=", "level=3*", "level=-1", "user.id=7"}) {
    ClassRule rule;
    EXPECT_FALSE(read_class_condition(bad, rule)) << bad;
  }
  ClassRule rule;
  EXPECT_NE(read_class_condition("colour=red", rule).error().message.find("'colour'"), std::string::npos);
  ASSERT_TRUE(read_class_condition("source=a=b*c", rule));
  EXPECT_EQ(rule.value, "a=b*c");
  EXPECT_FALSE(rule.is_prefix);
}

}  // namespace
}  // namespace varve::message
