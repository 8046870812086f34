// SPDX-License-Identifier: Apache-2.0
// Slots and what is set aside, as a tenant sees its own.
#include "api/admin/routes.h"

#include "api/testing/ceres_fixture.h"

namespace varve::api {
namespace {

using namespace testing;
class AdminSlotsTest : public CeresFixture {};

class ThreeSlots final : public storage::SlotStore {
 public:
  explicit ThreeSlots(model::TenantId tenant) : tenant_(tenant) {}
  [[nodiscard]] storage::SlotCounts slot_counts() const override { return {3, 2, 12, 340}; }
  [[nodiscard]] std::vector<storage::SlotState> slots(model::TenantId tenant, std::size_t limit) const override {
    if (tenant != tenant_) return {};
    std::vector<storage::SlotState> list = {{20, 30, storage::SlotPhase::hot, 0, 0, 0, 0},
                                            {10, 20, storage::SlotPhase::pending, 7, 70, 2, 0},
                                            {-10, 0, storage::SlotPhase::dropped, 0, 0, 0, 0}};
    list.resize(std::min(limit, list.size()));
    return list;
  }
  [[nodiscard]] std::vector<storage::SlotState> message_slots(model::TenantId tenant,
                                                              std::size_t limit) const override {
    if (tenant != tenant_ || limit == 0) return {};
    return {{20, 30, storage::SlotPhase::sealed, 5, 50, 1, 0}};
  }
  [[nodiscard]] std::vector<storage::SetAsideWork> set_aside() const override {
    return {{tenant_, 10, 0, "seal", "cpu{host=\"a\"}", 2, 99, "block: no block"},
            {model::TenantId{77}, 10, 0, "seal", "of another", 1, 99, "x"},
            {tenant_, -10, 300'000, "merge", "", 1, 100, "no"}};
  }

 private:
  const model::TenantId tenant_;
};

TEST_F(AdminSlotsTest, SlotsOfTheTenantThatAsks) {
  put("m", {{"host", "a"}}, 0, Value::of_long(1));
  put("m", {{"host", "a"}}, 0, Value::of_long(1), "t-2");
  ThreeSlots slots(**store_.find_tenant("t-1"));
  add_admin_routes(router_, whole_.of(engine_, pool_, metrics_, {.slots = &slots}));
  const std::string aside =
      R"([{"work":"seal","slot":10,"granularity_ms":0,"series":"cpu{host=\"a\"}","failures":2,"retry":99,)"
      R"("error":"block: no block"},{"work":"merge","slot":-10,"granularity_ms":300000,"series":"","failures":1,)"
      R"("retry":100,"error":"no"}])";
  EXPECT_EQ(get("/api/v1/admin/slots?limit=2"),
            R"({"pending":3,"sealed":12,"windows":340,"set_aside":)" + aside +
                R"(,"slots":[{"start":20,"end":30,"state":"hot","samples":0,"bytes":0,"fragments":0,"open_groups":0},)"
                R"({"start":10,"end":20,"state":"pending","samples":7,"bytes":70,"fragments":2,"open_groups":0}],)"
                R"("messages":[{"start":20,"end":30,"state":"sealed","messages":5,"bytes":50,"fragments":1}]})"
                "\n");
  EXPECT_NE(get("/api/v1/admin/slots").find(R"({"start":-10,"end":0,"state":"dropped",)"), std::string::npos);
  for (const char* tenant : {"t-2", "nobody"}) {
    EXPECT_EQ(ask(Method::get, "/api/v1/admin/slots", {}, tenant).body,
              R"({"pending":3,"sealed":12,"windows":340,"set_aside":[],"slots":[],"messages":[]})"
              "\n");
  }
  for (const char* limit : {"0", "-1", "100001", "x", ""}) {
    EXPECT_EQ(ask(Method::get, std::string("/api/v1/admin/slots?limit=") + limit).status, 400) << limit;
  }
  EXPECT_EQ(ask(Method::get, "/api/v1/admin/slots", {}, "").status, 400);
}

}  // namespace
}  // namespace varve::api
