// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/line.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "protocol/testing/fake_groups.h"

namespace varve::protocol::influx {
namespace {

constexpr model::Timestamp kNow = 1'700'000'000'000;

struct Parsed {
  std::vector<std::string> samples;
  std::vector<std::string> errors;  // "line: reason"
  bool operator==(const Parsed&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Parsed& p) {
  for (const auto& s : p.samples) to << "  " << s << '\n';
  for (const auto& e : p.errors) to << "  ! " << e << '\n';
  return to;
}

// Parses texts as bodies with hostile bytes behind their end.
class Bench {
 public:
  testing::FakeGroups groups;
  model::RowBatch batch;
  Outcome outcome;

  Parsed parse(std::string_view text, Precision precision = Precision::ms) {
    std::string body(text);
    body.append(kBodyPadding, '7');
    batch.clear();
    outcome = parse_lines(std::string_view(body).substr(0, text.size()), precision, kNow, groups, batch);
    Parsed parsed{groups.samples(batch), {}};
    EXPECT_EQ(outcome.accepted, parsed.samples.size());
    for (const auto& e : outcome.listed) parsed.errors.push_back(std::to_string(e.position) + ": " + e.reason);
    return parsed;
  }
};

struct Case {
  const char* text;
  std::vector<std::string> samples;
  std::vector<std::string> errors = {};
};

void PrintTo(const Case& c, std::ostream* to) { *to << c.text; }

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      // measurement, tags, fields
      {"m f=1i 5", {"m_f{} 5 1"}},
      {"m value=1i 5", {"m{} 5 1"}},
      {"m valu=1i,value=2i,value2=3i 5", {"m_valu{} 5 1", "m{} 5 2", "m_value2{} 5 3"}},
      {"m,host=a f=1i 5", {"m_f{host=a} 5 1"}},
      {"m,z=1,host=a f=1i,g=2i 5", {"m_f{host=a,z=1} 5 1", "m_g{host=a,z=1} 5 2"}},
      {"m,k=a=b f=1i 5", {"m_f{k=a=b} 5 1"}},
      {"m,k=\"q\" f=1i 5", {"m_f{k=\"q\"} 5 1"}},
      {"m,köln=ß f=1i 5", {"m_f{köln=ß} 5 1"}},
      {"1,2=3 4=5i 6", {"1_4{2=3} 6 5"}},
      {"value value=1i 5", {"value{} 5 1"}},
      {"m,t=0123456789012345678901234567890123456789 f=1i 5", {"m_f{t=0123456789012345678901234567890123456789} 5 1"}},
      {"m a123456789012345678901234567890123456789=1i 5", {"m_a123456789012345678901234567890123456789{} 5 1"}},
      {"m a123456789012345678901234567890x=1i,a123456789012345678901234567890y=2i 5",
       {"m_a123456789012345678901234567890x{} 5 1", "m_a123456789012345678901234567890y{} 5 2"}},
      // escapes
      {R"(m\ x f=1i 5)", {"m x_f{} 5 1"}},
      {R"(m\,x f=1i 5)", {"m,x_f{} 5 1"}},
      {R"(m,a\ b=c\ d f=1i 5)", {"m_f{a b=c d} 5 1"}},
      {R"(m,a\,b=c\,d f=1i 5)", {"m_f{a,b=c,d} 5 1"}},
      {R"(m,a\=b=c\=d f=1i 5)", {"m_f{a=b=c=d} 5 1"}},
      {R"(m f\ g=1i 5)", {"m_f g{} 5 1"}},
      {R"(m f\,g=1i 5)", {"m_f,g{} 5 1"}},
      {R"(m f\=g=1i,h=2i 5)", {"m_f=g{} 5 1", "m_h{} 5 2"}},
      {R"(m f\g=1i 5)", {R"(m_f\g{} 5 1)"}},
      {R"(m,path=C:\dir f=1i 5)", {R"(m_f{path=C:\dir} 5 1)"}},
      {R"(m,p=a\\b f=1i 5)", {R"(m_f{p=a\\b} 5 1)"}},
      // integers
      {"m f=0i 5", {"m_f{} 5 0"}},
      {"m f=-0i 5", {"m_f{} 5 0"}},
      {"m f=-7i 5", {"m_f{} 5 -7"}},
      {"m f=+7i 5", {"m_f{} 5 7"}},
      {"m f=7u 5", {"m_f{} 5 7"}},
      {"m f=007i 5", {"m_f{} 5 7"}},
      {"m f=12345678i 5", {"m_f{} 5 12345678"}},
      {"m f=123456789i 5", {"m_f{} 5 123456789"}},
      {"m f=1234567890123456i 5", {"m_f{} 5 1234567890123456"}},
      {"m f=999999999999999999i 5", {"m_f{} 5 999999999999999999"}},
      {"m f=9223372036854775807i 5", {"m_f{} 5 9223372036854775807"}},
      {"m f=-9223372036854775808i 5", {"m_f{} 5 -9223372036854775808"}},
      {"m f=9223372036854775807u 5", {"m_f{} 5 9223372036854775807"}},
      {"m f=9223372036854775808i 5", {}, {"1: integer '9223372036854775808i' does not fit into 64 bits with a sign"}},
      {"m f=18446744073709551615u 5", {}, {"1: integer '18446744073709551615u' does not fit into 64 bits with a sign"}},
      {"m f=-1u 5", {}, {"1: '-1u' is not an integer"}},
      {"m f=+-1i 5", {}, {"1: '+-1i' is not an integer"}},
      {"m f=i 5", {}, {"1: 'i' is not an integer"}},
      {"m f=-i 5", {}, {"1: '-i' is not an integer"}},
      {"m f=1.5i 5", {}, {"1: '1.5i' is not an integer"}},
      {"m f=1ii 5", {}, {"1: '1ii' is not an integer"}},
      // floats
      {"m f=1 5", {"m_f{} 5 1.0"}},
      {"m f=0 5", {"m_f{} 5 0.0"}},
      {"m f=-0 5", {"m_f{} 5 -0.0"}},
      {"m f=-0.00 5", {"m_f{} 5 -0.0"}},
      {"m f=1. 5", {"m_f{} 5 1.0"}},
      {"m f=.5 5", {"m_f{} 5 0.5"}},
      {"m f=-.5 5", {"m_f{} 5 -0.5"}},
      {"m f=+1.25 5", {"m_f{} 5 1.25"}},
      {"m f=0.1 5", {"m_f{} 5 0.1"}},
      {"m f=58.13 5", {"m_f{} 5 58.13"}},
      {"m f=-58.130 5", {"m_f{} 5 -58.13"}},
      {"m f=0.000000000000001 5", {"m_f{} 5 1e-15"}},
      {"m f=0.0000000000000001 5", {"m_f{} 5 1e-16"}},
      {"m f=9007199254740991 5", {"m_f{} 5 9007199254740991.0"}},
      {"m f=9007199254740992 5", {"m_f{} 5 9007199254740992.0"}},
      {"m f=9007199254740993 5", {"m_f{} 5 9007199254740992.0"}},
      {"m f=0.6046602879796196 5", {"m_f{} 5 0.6046602879796196"}},
      {"m f=1234567.12345678901 5", {"m_f{} 5 1234567.123456789"}},
      {"m f=123456789012345678901234567890 5", {"m_f{} 5 1.2345678901234568e+29"}},
      {"m f=1e3 5", {"m_f{} 5 1000.0"}},
      {"m f=-1.5E-7 5", {"m_f{} 5 -1.5e-07"}},
      {"m f=1e+3 5", {"m_f{} 5 1000.0"}},
      {"m f=1.7976931348623157e308 5", {"m_f{} 5 1.7976931348623157e+308"}},
      {"m f=5e-324 5", {"m_f{} 5 5e-324"}},
      {"m f=1e-400 5", {"m_f{} 5 0.0"}},
      {"m f=1e400 5", {}, {"1: number '1e400' is over the range of doubles"}},
      {"m f=NaN 5", {}, {"1: 'NaN' is not a number, boolean or quoted string"}},
      {"m f=-inf 5", {}, {"1: '-inf' is not a number, boolean or quoted string"}},
      {"m f=0x10 5", {}, {"1: '0x10' is not a number, boolean or quoted string"}},
      {"m f=1e 5", {}, {"1: '1e' is not a number, boolean or quoted string"}},
      {"m f=1.2.3 5", {}, {"1: '1.2.3' is not a number, boolean or quoted string"}},
      {"m f=- 5", {}, {"1: '-' is not a number, boolean or quoted string"}},
      {"m f=. 5", {}, {"1: '.' is not a number, boolean or quoted string"}},
      {"m f=abc 5", {}, {"1: 'abc' is not a number, boolean or quoted string"}},
      {"m f=1;2 5", {}, {"1: '1;2' is not a number, boolean or quoted string"}},
      {"m a=0.5,b=1,c=2.25 5", {"m_a{} 5 0.5", "m_b{} 5 1.0", "m_c{} 5 2.25"}},
      {"m a=9007199254740991,b=0.5 5", {"m_a{} 5 9007199254740991.0", "m_b{} 5 0.5"}},
      {"m a=1i,b=0.5,c=2 5", {"m_a{} 5 1", "m_b{} 5 0.5", "m_c{} 5 2.0"}},
      {"m a=1e3,b=2i,c=0.25 5", {"m_a{} 5 1000.0", "m_b{} 5 2", "m_c{} 5 0.25"}},
      // booleans
      {"m a=t,b=T,c=true,d=True,e=TRUE 5", {"m_a{} 5 1", "m_b{} 5 1", "m_c{} 5 1", "m_d{} 5 1", "m_e{} 5 1"}},
      {"m a=f,b=F,c=false,d=False,e=FALSE 5", {"m_a{} 5 0", "m_b{} 5 0", "m_c{} 5 0", "m_d{} 5 0", "m_e{} 5 0"}},
      {"m f=tRUE 5", {}, {"1: 'tRUE' is not a number, boolean or quoted string"}},
      // texts
      {R"(m f="x" 5)", {R"(m_f{} 5 "x")"}},
      {R"(m f="" 5)", {R"(m_f{} 5 "")"}},
      {R"(m f="a b,c=d" 5)", {R"(m_f{} 5 "a b,c=d")"}},
      {R"(m f="a\"b" 5)", {R"(m_f{} 5 "a"b")"}},
      {R"(m f="a\\" 5)", {R"(m_f{} 5 "a\")"}},
      {R"(m f="a\\\"b" 5)", {R"(m_f{} 5 "a\"b")"}},
      {R"(m f="C:\dir" 5)", {R"(m_f{} 5 "C:\dir")"}},
      {R"(m a=1i,f="x",b=2i,g="y" 5)", {"m_a{} 5 1", "m_b{} 5 2", R"(m_f{} 5 "x")", R"(m_g{} 5 "y")"}},
      {"m f=\"two\nlines\" 5\nn f=1i 5", {"m_f{} 5 \"two\nlines\"", "n_f{} 5 1"}},
      {R"(m f="x)", {}, {"1: a quoted string is not closed"}},
      {"m f=\"x\nn f=1i 5\n", {"n_f{} 5 1"}, {"1: a quoted string is not closed"}},
      {"m f=\"x\nn f=\"y\" 5\n", {"n_f{} 5 \"y\""}, {"1: after a quoted string comes neither a comma nor a space"}},
      {R"(m f="x"y 5)", {}, {"1: after a quoted string comes neither a comma nor a space"}},
      {R"(m f=x"y" 5)", {}, {"1: 'x\"y\"' is not a number, boolean or quoted string"}},
      // a field that stands twice
      {"m f=1i,f=2i 5", {"m_f{} 5 2"}},
      {"m f=1i,g=3i,f=2i 5", {"m_g{} 5 3", "m_f{} 5 2"}},
      {R"(m f="x",f=2i 5)", {"m_f{} 5 2"}},
      {R"(m f=2i,f="x" 5)", {R"(m_f{} 5 "x")"}},
      // timestamps
      {"m f=1i", {"m_f{} 1700000000000 1"}},
      {"m f=1i ", {"m_f{} 1700000000000 1"}},
      {"m f=1i 0", {"m_f{} 0 1"}},
      {"m f=1i -5", {"m_f{} -5 1"}},
      {"m f=1i 1700000000001", {"m_f{} 1700000000001 1"}},
      {"m f=1i 9007199254740992", {"m_f{} 9007199254740992 1"}},
      {"m f=1i -9007199254740992", {"m_f{} -9007199254740992 1"}},
      {"m f=1i 9007199254740993", {}, {"1: timestamp '9007199254740993' is out of range"}},
      {"m f=1i 99999999999999999999", {}, {"1: timestamp '99999999999999999999' is out of range"}},
      {"m f=1i 5.0", {}, {"1: timestamp '5.0' is not an integer"}},
      {"m f=1i 5i", {}, {"1: timestamp '5i' is not an integer"}},
      {"m f=1i now", {}, {"1: timestamp 'now' is not an integer"}},
      {"m f=1i 5 6", {}, {"1: timestamp '5 6' is not an integer"}},
      {"m f=1i 5,g=2i", {}, {"1: timestamp '5,g=2i' is not an integer"}},
      {"m f=1i 5\nm f=2i 5\nm f=3i 55\nm f=4i 5", {"m_f{} 5 1", "m_f{} 5 2", "m_f{} 55 3", "m_f{} 5 4"}},
      // lines, spaces, comments
      {"", {}},
      {"\n", {}},
      {"\r\n", {}},
      {"\n\n \n\t\n", {}},
      {"# m f=1i 5", {}},
      {"  # m f=1i 5\nm f=1i 5", {"m_f{} 5 1"}},
      {"#\"\nm f=1i 5", {"m_f{} 5 1"}},
      {"m f=1i 5\n", {"m_f{} 5 1"}},
      {"m f=1i 5\r\n", {"m_f{} 5 1"}},
      {"m f=1i\r\nm f=2i\r\n", {"m_f{} 1700000000000 1", "m_f{} 1700000000000 2"}},
      {"m f=\"x\"\r\n", {"m_f{} 1700000000000 \"x\""}},
      {"m f=1i 5\r", {"m_f{} 5 1"}},
      {"  m f=1i 5", {"m_f{} 5 1"}},
      {"m   f=1i   5  ", {"m_f{} 5 1"}},
      // malformed
      {"m", {}, {"1: the line has no fields"}},
      {"m,a=b", {}, {"1: the line has no fields"}},
      {"m ", {}, {"1: the line has no fields"}},
      {"m  \r\n", {}, {"1: the line has no fields"}},
      {"m 5", {}, {"1: a field has no '='"}},
      {"m f", {}, {"1: a field has no '='"}},
      {"m f 5", {}, {"1: a field has no '='"}},
      {"m f= 5", {}, {"1: a field has no value"}},
      {"m f=", {}, {"1: a field has no value"}},
      {"m f=1i, 5", {}, {"1: a field has no '='"}},
      {"m f=1i,,g=2i 5", {}, {"1: a field has no '='"}},
      {"m ,f=1i 5", {}, {"1: a field has no '='"}},
      {"m =1i 5", {}, {"1: a field has no name"}},
      {"m f=1i,=2i 5", {}, {"1: a field has no name"}},
      {R"(m f\=1i 5)", {}, {"1: a field has no '='"}},
      {R"(m\ f=1i 5)", {}, {"1: a field has no '='"}},
      {R"(m f\)", {}, {"1: a field has no '='"}},
      {"m\\\nn f=1i 5", {"n_f{} 5 1"}, {"1: the line has no fields"}},
      {",a=b f=1i 5", {}, {"1: the line has no measurement"}},
      {"=x f=1i 5", {"=x_f{} 5 1"}},
      {"m, f=1i 5", {}, {"1: tag '' has no '='"}},
      {"m,a f=1i 5", {}, {"1: tag 'a' has no '='"}},
      {"m,a= f=1i 5", {}, {"1: tag 'a' has an empty value"}},
      {"m,=b f=1i 5", {}, {"1: a tag has an empty name"}},
      {"m,a=b, f=1i 5", {}, {"1: tag '' has no '='"}},
      {"m,a=b,a=c f=1i 5", {}, {"1: tag 'a' stands twice"}},
      {"{\"metric\":\"m\"}", {}, {"1: the line has no fields"}},
      {"put m 5 1 a=b", {}, {"1: a field has no '='"}},
      {"bad\nm f=1i 5\nbad\nm f=2i 6\n\nbad\n",
       {"m_f{} 5 1", "m_f{} 6 2"},
       {"1: the line has no fields", "3: the line has no fields", "6: the line has no fields"}},
      {"m f=1i 5\nm f=x 5\nm f=3i 5\n",
       {"m_f{} 5 1", "m_f{} 5 3"},
       {"2: 'x' is not a number, boolean or quoted string"}},
      {"m f=\"a\nb\" 5\nbad\n", {"m_f{} 5 \"a\nb\""}, {"3: the line has no fields"}},
  };
  return all;
}

class LineCases : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, LineCases, ::testing::ValuesIn(cases()));

TEST_P(LineCases, AtFirstSight) {
  Bench bench;
  EXPECT_EQ(bench.parse(GetParam().text), (Parsed{GetParam().samples, GetParam().errors}));
}

TEST_P(LineCases, AgainWhenKnown) {
  Bench bench;
  bench.parse(GetParam().text);
  const auto defined = bench.groups.defines;
  EXPECT_EQ(bench.parse(GetParam().text), (Parsed{GetParam().samples, GetParam().errors}));
  if (GetParam().errors.empty()) {
    EXPECT_EQ(bench.groups.defines, defined);
  }
}

TEST_P(LineCases, KnownByHashOnly) {
  Bench bench;
  bench.groups.keep_names = false;
  bench.parse(GetParam().text);
  EXPECT_EQ(bench.parse(GetParam().text), (Parsed{GetParam().samples, GetParam().errors}));
}

// A line in the midst of others means what it means alone, and they mean what they mean without it.
TEST_P(LineCases, CostsOnlyItself) {
  const std::string text = GetParam().text;
  if (text.find('\n') != std::string::npos || text.find('"') != std::string::npos) return;
  Bench bench;
  const std::string body = "x,a=b y=1i 1\n" + text + "\nx,a=b y=2i 2\n" + text + "\nx,a=b y=3i 3";
  for (int round = 0; round < 3; ++round) {
    const Parsed got = bench.parse(body);
    Parsed want;
    want.samples.push_back("x_y{a=b} 1 1");
    want.samples.insert(want.samples.end(), GetParam().samples.begin(), GetParam().samples.end());
    want.samples.push_back("x_y{a=b} 2 2");
    want.samples.insert(want.samples.end(), GetParam().samples.begin(), GetParam().samples.end());
    want.samples.push_back("x_y{a=b} 3 3");
    for (const auto& e : GetParam().errors) want.errors.push_back("2" + e.substr(1));
    for (const auto& e : GetParam().errors) want.errors.push_back("4" + e.substr(1));
    EXPECT_EQ(got, want);
  }
}

TEST(Line, PrecisionTurnsIntoMilliseconds) {
  struct {
    Precision precision;
    const char* time;
    model::Timestamp ms;
  } const all[] = {
      {Precision::ns, "1700000000123456789", 1'700'000'000'123},
      {Precision::ns, "999999", 0},
      {Precision::ns, "-1", -1},
      {Precision::ns, "-1000000", -1},
      {Precision::ns, "-1000001", -2},
      {Precision::ns, "9223372036854775807", 9'223'372'036'854},
      {Precision::ns, "-9223372036854775808", -9'223'372'036'855},
      {Precision::us, "1700000000123456", 1'700'000'000'123},
      {Precision::ms, "1700000000123", 1'700'000'000'123},
      {Precision::s, "1700000000", 1'700'000'000'000},
      {Precision::s, "-1", -1'000},
      {Precision::m, "28333333", 1'699'999'980'000},
      {Precision::h, "472222", 1'699'999'200'000},
  };
  for (const auto& c : all) {
    for (const char* end : {"", "\n", "\r\n"}) {
      Bench bench;
      const std::string body = std::string("m f=1i ") + c.time + end;
      const Parsed want{{"m_f{} " + std::to_string(c.ms) + " 1"}, {}};
      EXPECT_EQ(bench.parse(body, c.precision), want) << body;
      EXPECT_EQ(bench.parse(body + "\n" + body, c.precision).samples.back(), want.samples[0]) << body;
    }
  }
  Bench bench;
  EXPECT_EQ(bench.parse("m f=1i 9223372036854775807", Precision::h).errors.size(), 1U);
  EXPECT_EQ(bench.parse("m f=1i 9007199254741", Precision::s).errors.size(), 1U);
}

TEST(Line, PrecisionNames) {
  for (const char* name : {"", "n", "ns", "u", "us", "µ", "µs", "ms", "s", "m", "h"}) EXPECT_TRUE(precision_of(name));
  EXPECT_EQ(precision_of("minutes").error().message, "precision 'minutes' is none of ns, us, ms, s, m, h");
}

TEST(Line, NewGroupsAreDefinedOnceAndKnownOnesAreGuessed) {
  Bench bench;
  const char* body = "cpu,h=a x=1i,y=2i 1\ncpu,h=b x=1i,y=2i 1\nmem,h=a z=1.5 1\n";
  bench.parse(body);
  EXPECT_EQ(bench.groups.defines, 3U);
  bench.groups.finds = 0;
  bench.parse(body);
  EXPECT_EQ(bench.groups.defines, 3U);
  EXPECT_EQ(bench.groups.finds, 1U);  // only the first line of a request cannot be guessed
}

TEST(Line, AFieldSetThatChangesIsAnotherGroup) {
  Bench bench;
  const char* body = "m a=1i,b=2i 1\nm a=1i 2\nm a=1i,b=2i,c=3i 3\nm b=2i,a=1i 4\nm a=1i,b=2i 5\n";
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(bench.parse(body).samples,
              (std::vector<std::string>{"m_a{} 1 1", "m_b{} 1 2", "m_a{} 2 1", "m_a{} 3 1", "m_b{} 3 2", "m_c{} 3 3",
                                        "m_b{} 4 2", "m_a{} 4 1", "m_a{} 5 1", "m_b{} 5 2"}));
  }
  EXPECT_EQ(bench.groups.defines, 4U);
}

// The names of this group's fields, read as if no '=' were escaped, fit a line that is malformed.
TEST(Line, AnEscapedEqualsSignIsNotTheEndOfAName) {
  Bench bench;
  EXPECT_EQ(bench.parse("m a\\=b=1i,c=2i 5\nm a\\=b=1i,c=2i 5").samples.size(), 4U);
  EXPECT_EQ(bench.parse("m a\\=b=1i,c=2i 5\nm a\\=1i,b=2i 5").errors,
            std::vector<std::string>{"2: a field has no '='"});
}

TEST(Line, ManyFieldsBecomeSeveralGroups) {
  Bench bench;
  std::string body = "m ";
  for (int i = 0; i < 2500; ++i) body += (i > 0 ? ",f" : "f") + std::to_string(i) + "=" + std::to_string(i) + "i";
  body += " 5";
  for (int round = 0; round < 2; ++round) {
    const auto parsed = bench.parse(body);
    ASSERT_EQ(parsed.samples.size(), 2500U);
    EXPECT_EQ(parsed.samples[2499], "m_f2499{} 5 2499");
  }
  EXPECT_EQ(bench.groups.defines, 3U);
}

TEST(Line, NamesAndTextsAreUtf8) {
  Bench bench;
  const Parsed got = bench.parse(
      "m\xff f=1i 5\nm,h=\xe2\x82 f=1i 5\nm,\xc0\x80=a f=1i 5\nm f\xff=1i 5\nm f=\"\xed\xa0\x80\" 5\nm,h=é "
      "ü=1i,t=\"€\" 5\n");
  EXPECT_EQ(got.samples, (std::vector<std::string>{"m_ü{h=é} 5 1", "m_t{h=é} 5 \"€\""}));
  EXPECT_EQ(got.errors,
            (std::vector<std::string>{"1: 'm\xff' is not valid UTF-8", "2: 'm,h=\xe2\x82' is not valid UTF-8",
                                      "3: 'm,\xc0\x80=a' is not valid UTF-8", "4: field 'f\xff' is not valid UTF-8",
                                      "5: the text of field 'f' is not valid UTF-8"}));
  EXPECT_EQ(bench.groups.defines, 2U) << "nothing is left of those";
}

TEST(Line, WhatCannotBeDefinedIsRefusedByItsCode) {
  Bench bench;
  bench.groups.groups_max = 1;
  const auto parsed = bench.parse("a f=1i 5\nb f=1i 5\na f=2i 6\nc g=\"x\",h=1i 6\n");
  EXPECT_EQ(parsed, (Parsed{{"a_f{} 5 1", "a_f{} 6 2"}, {"2: too many groups", "4: too many groups"}}));
  EXPECT_EQ(bench.outcome.count(Code::limit), 2U);
  EXPECT_EQ(bench.outcome.count(Code::invalid), 0U);
}

// The first of a line's two groups can be defined, the second cannot: nothing of the line is kept.
TEST(Line, ALineIsTakenWholeOrNotAtAll) {
  Bench bench;
  bench.groups.groups_max = 1;
  EXPECT_EQ(bench.parse("m a=1i,b=\"x\" 5"), (Parsed{{}, {"1: too many groups"}}));
  EXPECT_TRUE(bench.batch.empty());
}

TEST(Line, TagLimitsNameWhatIsOver) {
  Bench bench;
  bench.groups.limits.value_bytes_max = 3;
  EXPECT_EQ(bench.parse("m,t=abcd f=1i").errors[0], "1: the value of tag 't' has 4 bytes; at most 3");
}

TEST(Line, BadLinesAreCountedAndTheFirstHundredListed) {
  Bench bench;
  std::string body;
  for (int i = 0; i < 1000; ++i) body += "bad\nm f=1i 5\n";
  const auto parsed = bench.parse(body);
  EXPECT_EQ(parsed.samples.size(), 1000U);
  EXPECT_EQ(bench.outcome.rejected, 1000U);
  ASSERT_EQ(parsed.errors.size(), Outcome::kListed);
  EXPECT_EQ(parsed.errors.back(), "199: the line has no fields");
}

TEST(Line, ManyOpenQuotesAreSearchedOnce) {
  Bench bench;
  std::string body = "m f=\"\\\"";  // the one quote that could close is escaped
  for (int i = 0; i < 20000; ++i) body += "\nm f=\\\"";
  bench.parse(body);
  EXPECT_EQ(bench.outcome.rejected, 20001U);
}

TEST(Line, ATextThatReachesIntoTheLastLineIsKept) {
  Bench bench;
  EXPECT_EQ(bench.parse("a f=1i 1\nm f=\"x\ny\nz\" 5").samples,
            (std::vector<std::string>{"a_f{} 1 1", "m_f{} 5 \"x\ny\nz\""}));
  EXPECT_EQ(bench.parse("a f=1i 1\nm f=\"x\ny\nz\" 5\nb f=2i 2"),
            (Parsed{{"a_f{} 1 1", "m_f{} 5 \"x\ny\nz\"", "b_f{} 2 2"}, {}}));
  EXPECT_EQ(bench.parse("m f=\"x\ny\nb f=2i 2"),
            (Parsed{{"b_f{} 2 2"}, {"1: a quoted string is not closed", "2: the line has no fields"}}));
}

// Every cut of a body: lines before the cut mean the same, nothing is read past the end.
TEST(Line, CutAnywhere) {
  const std::string body =
      "cpu,h=a x=12345678i,y=0.25,z=-3 1700000000123\ncpu,h=b x=1i,y=2.5,z=3 1700000000123\ncpu,h=a x=7i,y=1,z=1e3 5\n";
  Bench bench;
  const auto whole = bench.parse(body).samples;
  ASSERT_EQ(whole.size(), 9U);
  for (std::size_t cut = 0; cut < body.size(); ++cut) {
    const auto lines = static_cast<std::size_t>(std::count(body.begin(), body.begin() + static_cast<long>(cut), '\n'));
    const auto got = bench.parse(body.substr(0, cut)).samples;
    ASSERT_GE(got.size(), lines * 3) << cut;
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + static_cast<long>(lines * 3), whole.begin())) << cut;
  }
}

}  // namespace
}  // namespace varve::protocol::influx
