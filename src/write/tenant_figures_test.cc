// SPDX-License-Identifier: Apache-2.0
#include "write/tenant_figures.h"

#include <gtest/gtest.h>

#include "storage/testing/memory_store.h"

namespace varve::write {
namespace {

std::string numbers_of(const std::string& text, const std::string& name) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (text.compare(at, name.size() + 1, name + "{") != 0) continue;
    const std::size_t from = at + name.size();
    out += text.substr(from, text.find('\n', at) - from) + "|";
  }
  return out;
}

TEST(TenantFigures, TheLargestAreShown) {
  std::vector<LabelledNumber> all;
  for (int i = 0; i < 1000; ++i) all.push_back({"t" + std::to_string(i), static_cast<double>(i % 500)});
  const auto shown = largest(all, 3);
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(shown[0].label, "t499");
  EXPECT_EQ(shown[1].label, "t999");
  EXPECT_EQ(shown[2].label, "t498");
  EXPECT_EQ(largest({{"a", 1}}, 3).size(), 1U);
  EXPECT_TRUE(largest({}, 3).empty());
}

TEST(TenantFigures, AreMetricsByTenant) {
  storage::testing::MemoryStore store;
  Metrics metrics;
  TenantFigures figures;
  figures.register_metrics(metrics, store);
  EXPECT_EQ(numbers_of(metrics.text(), "varve_tenant_samples_total"), "");
  EXPECT_NE(metrics.text().find("# TYPE varve_tenant_series gauge\n"), std::string::npos) << "without a tenant, too";
  figures.samples("a").add(2);
  figures.samples("b").add(7);
  figures.samples("a").add();
  figures.messages("c").add(1);
  EXPECT_EQ(numbers_of(metrics.text(), "varve_tenant_samples_total"), "{tenant=\"b\"} 7|{tenant=\"a\"} 3|");
  EXPECT_EQ(numbers_of(metrics.text(), "varve_tenant_messages_total"), "{tenant=\"c\"} 1|");
  EXPECT_TRUE(metrics.samples().empty()) << "what is recorded does not grow with the number of tenants";
}

TEST(TenantFigures, SeriesAreThoseOfTheStore) {
  storage::testing::MemoryStore store;
  Metrics metrics;
  TenantFigures figures;
  figures.register_metrics(metrics, store);
  const auto define = [&](const char* tenant, std::vector<std::string_view> names) {
    const auto id = store.tenant(tenant);
    ASSERT_TRUE(id);
    ASSERT_TRUE(store.define_group(*id, {{"host", "h"}}, names));
  };
  define("a", {"m"});
  define("b", {"m", "n"});
  ASSERT_TRUE(store.tenant("without"));
  EXPECT_EQ(numbers_of(metrics.text(), "varve_tenant_series"), "{tenant=\"b\"} 2|{tenant=\"a\"} 1|");
}

TEST(TenantFigures, AHundredOfThemAtMost) {
  storage::testing::MemoryStore store;
  Metrics metrics;
  TenantFigures figures;
  figures.register_metrics(metrics, store);
  for (int i = 1; i <= 1000; ++i) figures.samples("t" + std::to_string(i)).add(static_cast<std::uint64_t>(i));
  const std::string shown = numbers_of(metrics.text(), "varve_tenant_samples_total");
  EXPECT_EQ(std::ranges::count(shown, '|'), 100);
  EXPECT_NE(shown.find("\"t901\""), std::string::npos);
  EXPECT_EQ(shown.find("\"t900\""), std::string::npos);
}

}  // namespace
}  // namespace varve::write
