// SPDX-License-Identifier: Apache-2.0
#include "migrate/kairosdb_objects.h"

#include <gtest/gtest.h>

#include <random>

#include "model/complex.h"
#include "model/histogram.h"

namespace varve::migrate {
namespace {

using model::Histogram;

std::string object_bytes(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += hex[i] == ' ' ? 1 : 2) {
    if (hex[i] != ' ') out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

// "p7 1*3 2*1 min max mean sum", or the error.
std::string text(const Result<std::string>& read) {
  if (!read) return read.error().message;
  const auto histogram = model::decode_histogram(*read);
  if (!histogram) return "bytes that are none";
  std::string out = "p" + std::to_string(histogram->precision);
  char number[40];
  for (const auto& bin : histogram->bins) {
    std::snprintf(number, sizeof number, " %.12g*", model::bin_value(bin.key, histogram->precision));
    out += number + std::to_string(bin.count);
  }
  for (const double field : {histogram->min, histogram->max, histogram->mean, histogram->sum}) {
    std::snprintf(number, sizeof number, " %.12g", field);
    out += number;
  }
  return out;
}

TEST(KairosdbObjects, Complex) {
  const auto read = complex_of(object_bytes("3ff8000000000000 c000000000000000"));
  ASSERT_TRUE(read);
  const auto value = model::decode_complex(*read);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->real, 1.5);
  EXPECT_EQ(value->imaginary, -2);
  EXPECT_EQ(complex_of(object_bytes("3ff8000000000000")).error().message, "a complex number has 8 bytes, not 16");
}

const std::string kV1 =
    "00000002 3ff0000000000000 00000003 4000000000000000 00000001"
    "3ff0000000000000 4000000000000000 3ff4000000000000 4014000000000000";

TEST(KairosdbObjects, HistogramV1) {
  EXPECT_EQ(text(histogram_v1_of(object_bytes(kV1))), "p7 1*3 2*1 1 2 1.25 5");
  // 0.1 is no bin of precision 7: nothing of it is lost.
  EXPECT_EQ(text(histogram_v1_of(object_bytes("00000001 3fb999999999999a 7fffffff") + std::string(32, '\0'))),
            "p51 0.1*2147483647 0 0 0 0");
  EXPECT_EQ(text(histogram_v1_of(object_bytes("00000000") + std::string(32, '\0'))), "p7 0 0 0 0");
  const std::string good = object_bytes(kV1);
  for (std::size_t n = 0; n < good.size(); ++n) {
    EXPECT_EQ(text(histogram_v1_of(good.substr(0, n))), "the value is not a histogram") << n;
  }
  EXPECT_FALSE(histogram_v1_of(good + "x"));
  EXPECT_FALSE(histogram_v1_of(object_bytes("ffffffff") + good.substr(4)));
  EXPECT_FALSE(histogram_v1_of(object_bytes("00000001 7ff0000000000000 00000001") + std::string(32, '\0')))
      << "infinity";
  EXPECT_FALSE(histogram_v1_of(object_bytes("00000001 3ff0000000000000 ffffffff") + std::string(32, '\0')))
      << "a count of -1";
}

// Keys 130944 (1.0) and 131072 (2.0), 393088 (-1.0); fields in order of their numbers.
const std::string kDoubles = " 19 000000000000f0bf 21 0000000000000040 29 0000000000001040 31 333333333333e33f 38 07";

TEST(KairosdbObjects, HistogramV2) {
  const auto message = [](const std::string& hex) {
    const std::string inner = object_bytes(hex);
    return std::string(3, '\0') + static_cast<char>(inner.size()) + inner;
  };
  const std::string want = "p7 -1*1 1*3 2*1 -1 2 0.6 4";
  EXPECT_EQ(text(histogram_v2_of(message("0a09 80ff07 808008 80ff17 1203 030101" + kDoubles))), want) << "packed";
  EXPECT_EQ(text(histogram_v2_of(message("0880ff07 1003 08808008 1001 0880ff17 1001" + kDoubles))), want);
  EXPECT_EQ(text(histogram_v2_of(message("0880ff07 1001 0880ff07 1002"))), "p7 1*3 0 0 0 0") << "added";
  EXPECT_EQ(text(histogram_v2_of(message("0880ff07 10fcffffff1f"))), "p7 1*8589934588 0 0 0 0");
  EXPECT_EQ(text(histogram_v2_of(message("4a0161 5500000000 580a"))), "p7 0 0 0 0") << "fields of later plugins";
  for (const char* bad : {"08", "0880ff07", "0880ff07 10ffffffffffffffffff01", "08ffffffff0f 1001", "0880f87f 1001",
                          "3835", "1800", "0900000000000000f0", "0a05 80ff", "0b"}) {
    EXPECT_EQ(text(histogram_v2_of(message(bad))), "the value is not a histogram") << bad;
  }
  EXPECT_FALSE(histogram_v2_of(""));
  EXPECT_FALSE(histogram_v2_of(object_bytes("00000001")));
}

TEST(KairosdbObjects, DamageIsAnErrorOrAHistogram) {
  std::mt19937 random(5);
  const std::string good = object_bytes("0000003b 0a09 80ff07 808008 80ff17 1203 030101" + kDoubles);
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = good;
    damaged[4 + random() % (damaged.size() - 4)] = static_cast<char>(random());
    damaged[3] = static_cast<char>(damaged.size() - 4);
    EXPECT_NE(text(histogram_v2_of(damaged)), "bytes that are none");
  }
}

}  // namespace
}  // namespace varve::migrate
