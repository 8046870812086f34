// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/translation.h"

#include <gtest/gtest.h>

namespace varve::protocol::otlp {
namespace {

constexpr Translation kWithSuffixes{true, true}, kWithoutSuffixes{true, false}, kUtf8{false, true}, kNone{false, false};
constexpr auto kGauge = MetricKind::gauge, kSum = MetricKind::sum, kCounter = MetricKind::counter;

struct NameCase {
  const char *name, *unit;
  MetricKind kind;
  const char* want;  // "": refused
};

void expect_names(std::initializer_list<NameCase> cases, Translation translation) {
  for (const NameCase& one : cases) {
    EXPECT_EQ(metric_name(one.name, one.unit, one.kind, translation).value_or(""), one.want)
        << one.name << " [" << one.unit << "]";
  }
}

TEST(OtlpTranslation, UnitsAndTypesAreAppended) {
  expect_names(
      {
          {"system.cpu.time", "s", kCounter, "system_cpu_time_seconds_total"},
          {"system.cpu.utilization", "1", kGauge, "system_cpu_utilization_ratio"},
          {"system.memory.usage", "By", kSum, "system_memory_usage_bytes"},
          {"http.server.request.duration", "ms", MetricKind::histogram, "http_server_request_duration_milliseconds"},
          {"requests", "", kCounter, "requests_total"},
          {"requests", "{request}", kCounter, "requests_total"},
          {"requests", "1", kCounter, "requests_total"},
          {"active", "1", kSum, "active"},
          {"size", "1", MetricKind::summary, "size"},
          {"t", "d", kGauge, "t_days"},
          {"t", "h", kGauge, "t_hours"},
          {"t", "min", kGauge, "t_minutes"},
          {"t", "us", kGauge, "t_microseconds"},
          {"t", "ns", kGauge, "t_nanoseconds"},
          {"m", "KiBy", kGauge, "m_kibibytes"},
          {"m", "MiBy", kGauge, "m_mebibytes"},
          {"m", "GiBy", kGauge, "m_gibibytes"},
          {"m", "TiBy", kGauge, "m_tibibytes"},
          {"m", "KBy", kGauge, "m_kilobytes"},
          {"m", "MBy", kGauge, "m_megabytes"},
          {"m", "GBy", kGauge, "m_gigabytes"},
          {"m", "TBy", kGauge, "m_terabytes"},
          {"x", "m", kGauge, "x_meters"},
          {"x", "V", kGauge, "x_volts"},
          {"x", "A", kGauge, "x_amperes"},
          {"x", "J", kGauge, "x_joules"},
          {"x", "W", kGauge, "x_watts"},
          {"x", "g", kGauge, "x_grams"},
          {"x", "kg", kGauge, "x_kg"},
          {"x", "Cel", kGauge, "x_celsius"},
          {"x", "Hz", kGauge, "x_hertz"},
          {"x", "%", kGauge, "x_percent"},
          {"x", "By/s", kGauge, "x_bytes_per_second"},
          {"x", " By / s ", kGauge, "x_bytes_per_second"},
          {"x", "1/s", kCounter, "x_per_second_total"},
          {"x", "1/m", kGauge, "x_per_minute"},
          {"x", "1/mo", kGauge, "x_per_month"},
          {"x", "1/widget", kGauge, "x_per_widget"},
          {"x", "By/{packet}", kGauge, "x_bytes"},
          {"x", "{packet}/s", kGauge, "x_per_second"},
          {"x", "By/", kGauge, "x_bytes"},
          {"x", "/", kGauge, "x"},
          {"x", "odd unit", kGauge, "x_odd_unit"},
          {"x", "a__b", kGauge, "x_a_b"},
          {"x", "a@b#c/e", kGauge, "x_a_b_c_per_e"},
      },
      kWithSuffixes);
}

TEST(OtlpTranslation, WhatIsThereIsNotAppendedTwice) {
  expect_names(
      {
          {"cpu_seconds_total", "s", kCounter, "cpu_seconds_total"},
          {"total.requests", "", kCounter, "requests_total"},
          {"use.ratio", "1", kGauge, "use_ratio"},
          {"bytes.sent", "By", kGauge, "bytes_sent"},
      },
      kWithSuffixes);
}

TEST(OtlpTranslation, OtherCharactersAreUnderscores) {
  expect_names(
      {
          {"a.b-c d", "", kGauge, "a_b_c_d"},
          {"a...b", "", kGauge, "a_b"},
          {"a__b", "", kGauge, "a_b"},
          {"_a_", "", kGauge, "a"},
          {"a:b", "", kGauge, "a:b"},
          {"größe", "", kGauge, "gr_e"},
          {"1st", "", kGauge, "_1st"},
          {"", "", kGauge, ""},
          {"@#", "", kGauge, ""},
          {"@#", "s", kGauge, "seconds"},
      },
      kWithSuffixes);
  expect_names(
      {
          {"a.b", "s", kCounter, "a_b"},
          {"a__b", "", kGauge, "a__b"},
          {"a..b", "", kGauge, "a_b"},
          {"1st", "", kGauge, "_1st"},
          {"__", "", kGauge, "__"},
          {"._.", "", kGauge, ""},
          {"@#", "s", kGauge, ""},
      },
      kWithoutSuffixes);
}

TEST(OtlpTranslation, Utf8StaysAsItIs) {
  expect_names(
      {
          {"größe.a", "By", kGauge, "größe.a_bytes"},
          {"requests", "", kCounter, "requests_total"},
          {"requests_total", "", kCounter, "requests_total"},
          {"cpu.seconds_total", "s", kCounter, "cpu.seconds_total"},
          {"use_ratio", "1", kGauge, "use_ratio"},
          {"io", "By/s", kCounter, "io_bytes_per_second_total"},
          {"io_bytes_per_second", "By/s", kGauge, "io_bytes_per_second"},
          {"total", "", kCounter, "total_total"},
          {"@#", "", kCounter, "@#_total"},
      },
      kUtf8);
  expect_names({{"größe.a", "By", kCounter, "größe.a"}, {"1st", "1", kGauge, "1st"}, {"", "", kGauge, ""}}, kNone);
}

TEST(OtlpTranslation, Labels) {
  const std::pair<const char*, const char*> kCases[] = {
      {"http.method", "http_method"},
      {"a b", "a_b"},
      {"a..b", "a__b"},
      {"a:b", "a_b"},
      {"1st", "key_1st"},
      {"_x", "key_x"},
      {"__x", "__x"},
      {"größe", "gr__e"},
      {"ab", "ab"},
      {"_", "key_"},
      {".", "key_"},
      {"..", ""},
      {"__", "__"},
      {"", ""},
  };
  for (const auto& [name, want] : kCases) EXPECT_EQ(label_name(name, kWithSuffixes).value_or(""), want) << name;
  EXPECT_EQ(*label_name("1. größe", kNone), "1. größe");
  EXPECT_FALSE(label_name("", kNone));
}

}  // namespace
}  // namespace varve::protocol::otlp
