// SPDX-License-Identifier: Apache-2.0
#include "logs/line.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "logs/syslog_sender.h"
#include "logs/times.h"
#include "logs/xml_line.h"

namespace varve::logs {
namespace {

class Line : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
  }
  static std::string line(std::string_view json, const Options& options = {}) {
    protocol::json::Reader reader(json);
    const auto row = protocol::json::read_strict(reader);
    if (!row) return "! " + row.error().message;
    std::string out;
    append_line(out, *row, options);
    return out;
  }
};

Options in(Format format) {
  Options options;
  options.format = format;
  return options;
}

constexpr std::string_view kRow =
    R"({"MessageTS":1488491800401440,"Source":"host","NodeType":"Analytics","ModuleId":"contrail-collector",)"
    R"("InstanceId":"0","Messagetype":"QueLog","Type":1,"Category":"db","Level":6,"SequenceNum":42,"Pid":7,)"
    R"("ObjectName":["ObjectVNTable:a","ObjectVMTable:b"],)"
    R"("Xmlmessage":"<QueLog type=\"sandesh\"><a type=\"i32\">1</a><b>x &amp; y</b><file>f.cc</file></QueLog>","user.name":"jo e"})";

TEST_F(Line, Plain) {
  EXPECT_EQ(line(kRow), "2017-03-02 21:56:40.401440 info    host contrail-collector[7]: 1 x & y user.name=\"jo e\"\n");
  EXPECT_EQ(line(R"({"MessageTS":0})"), "1970-01-01 00:00:00.000000 -       -:\n");
  EXPECT_EQ(
      line(
          R"({"MessageTS":0,"Source":"h","Pid":7,"Level":4,"Xmlmessage":"a\nb","n":1.50,"l":[1,{"k":"v w"},null],"none":null,"b":true})"),
      "1970-01-01 00:00:00.000000 warning h: a\n    b n=1.50 l=\"[1,{\\\"k\\\":\\\"v w\\\"},null]\" b=true\n");
  EXPECT_EQ(line(R"({"MessageTS":0,"Source":"h","ModuleId":"m","Level":200,"ObjectId":"a:b","SystemLog":"t"})"),
            "1970-01-01 00:00:00.000000 200     h m: t object=a:b\n");
  Options fields;
  fields.fields = {"b", "none"};
  EXPECT_EQ(line(R"({"MessageTS":0,"a":"1","b":"2"})", fields), "1970-01-01 00:00:00.000000 -       -: b=2\n");
}

TEST_F(Line, OfMessages) {
  EXPECT_EQ(line(kRow, in(Format::contrail)),
            "2017 Mar 02 21:56:40.401440 host [Analytics:contrail-collector:0:db][SYS_INFO] : QueLog:42 1 x & y\n");
  EXPECT_EQ(line(kRow, in(Format::raw)),
            "2017 Mar 02 21:56:40.401440 host [Analytics:contrail-collector:0:db][SYS_INFO] : QueLog:42 "
            "<QueLog type=\"sandesh\"><a type=\"i32\">1</a><b>x &amp; y</b><file>f.cc</file></QueLog>\n");
  Options fields = in(Format::contrail);
  fields.fields = {"user.name", "none"};
  EXPECT_EQ(line(R"({"MessageTS":0,"Messagetype":"Syslog","Level":4,"Xmlmessage":"text","user.name":"jo e"})", fields),
            "1970 Jan 01 00:00:00.000000  [:::][SYS_WARN] : Syslog: {user.name=\"jo e\"} text\n");
}

// What a stranger can send in a datagram neither clears the screen nor makes lines.
TEST_F(Line, OfStrangers) {
  constexpr std::string_view kForged =
      R"({"MessageTS":0,"Source":"e\u001b[1mvil\nhost","ModuleId":"m","Messagetype":"T","Level":4,)"
      R"("Xmlmessage":"\u001b[2J\u001b]0;owned\u0007\nForged line"})";
  const std::string head = "1970 Jan 01 00:00:00.000000 e\\x1b[1mvil\\nhost [:m::][SYS_WARN] : T: ";
  EXPECT_EQ(line(kForged),
            "1970-01-01 00:00:00.000000 warning e\\x1b[1mvil\\nhost m: \\x1b[2J\\x1b]0;owned\\x07\n    Forged line\n");
  EXPECT_EQ(line(R"({"MessageTS":0,"a\u001b[1m b=\nc\u009b":"\u009b2J"})"),
            "1970-01-01 00:00:00.000000 -       -: a_[1m_b__c_=\"\\u009b2J\"\n");
  Options options = in(Format::contrail);
  EXPECT_EQ(line(kForged, options), head + "\\x1b[2J\\x1b]0;owned\\x07\n    Forged line\n");
  options.format = Format::raw;
  EXPECT_EQ(line(kForged, options), head + "\\x1b[2J\\x1b]0;owned\\x07\n    Forged line\n");
  options.fields = {"f"};
  EXPECT_EQ(line(R"({"MessageTS":0,"Level":4,"f":"\u001b[1m"})", options),
            "1970 Jan 01 00:00:00.000000  [:::][SYS_WARN] : : {f=\"\\u001b[1m\"} \n");
  options.object_values = true;
  EXPECT_EQ(line(R"({"ObjectId":"a\u001b\nb"})", options), "a\\x1b\\nb\n");
}

TEST_F(Line, OfObjectsAndTraces) {
  Options object = in(Format::contrail);
  object.object_table = "ObjectVNTable";
  EXPECT_EQ(
      line(R"({"MessageTS":1,"Source":"h","NodeType":"N","ModuleId":"m","InstanceId":"0","Messagetype":"T","Type":6,
                     "ObjectLog":"<T><data><name>x</name><n>1</n></data><v>2</v></T>","SystemLog":null})",
           object),
      "1970 Jan 01 00:00:00.000001 h [N:m:0] : T: data = [name = x, n = 1], v = 2\n");
  object.object_values = true;
  EXPECT_EQ(line(R"({"ObjectId":"a:b"})", object), "a:b\n");
  Options trace = in(Format::contrail);
  trace.trace = "T";
  EXPECT_EQ(line(R"({"MessageTS":1,"Messagetype":"T","SequenceNum":3,"Type":4,"Xmlmessage":"<T><a>1</a><b>2</b></T>"})",
                 trace),
            "1970 Jan 01 00:00:00.000001 T:3 1 2\n");
  Options types;
  types.list_types = true;
  EXPECT_EQ(line(R"({"fields.value":"Syslog"})", types), "Syslog\n");
}

TEST_F(Line, Logfmt) {
  Options options;
  options.format = Format::logfmt;
  options.fields = {"user.name"};
  EXPECT_EQ(
      line(kRow, options),
      "ts=2017-03-02T21:56:40.401440Z level=info source=host module=contrail-collector type=QueLog node_type=Analytics "
      "category=db instance=0 kind=1 pid=7 sequence=42 objects=ObjectVNTable:a,ObjectVMTable:b user.name=\"jo e\" "
      "msg=\"<QueLog type=\\\"sandesh\\\"><a type=\\\"i32\\\">1</a><b>x &amp; y</b><file>f.cc</file></QueLog>\"\n");
  EXPECT_EQ(line(R"({"MessageTS":0,"Source":"","Level":200,"Xmlmessage":"a\nb\t\u0001=\\"})", options),
            "ts=1970-01-01T00:00:00.000000Z level=200 source=\"\" msg=\"a\\nb\\t\\u0001=\\\\\"\n");
}

TEST_F(Line, Xml) {
  const auto named = [](std::string_view text) { return xml_line(text, XmlForm::named); };
  EXPECT_EQ(named("no xml < at > all"), "no xml < at > all");
  EXPECT_EQ(named("<T/>"), "");
  EXPECT_EQ(named("<?xml version='1.0'?><!-- c --><T><a x=\">\"><![CDATA[<b>]]></a></T> "), "a = <b>");
  EXPECT_EQ(named("<T>text</T>"), "text");
  EXPECT_EQ(named("<T><l><list><e>1</e><e>2</e></list></l></T>"), "l = [list = [e = 1, e = 2]]");
  EXPECT_EQ(xml_line("<T><l><list><e>1</e><e>2</e></list></l><c/></T>", XmlForm::values), "1 2 ");
  for (const auto* const broken : {"<T", "<T>", "<T><a></T>", "<T></U>", "<T/><T/>", "<T/>x", "<!DOCTYPE x><T/>",
                                   "<T a='>", "<T><![CDATA[</T>", "<>x</>"}) {
    EXPECT_EQ(named(broken), broken);
  }
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_EQ(named(deep), deep);
}

TEST_F(Line, Times) {
  EXPECT_EQ(query_time("1488491800401440").value(), "1488491800401440");
  EXPECT_EQ(query_time("now").value(), "now");
  EXPECT_EQ(query_time("now-10m").value(), "now-10m");
  EXPECT_EQ(query_time("now+2d").value(), "now+2d");
  EXPECT_EQ(query_time("-10m").value(), "now-10m");
  EXPECT_EQ(query_time("2017-03-02T21:56:40.40144Z").value(), "1488491800401440");
  EXPECT_EQ(query_time("2017 Mar 02 21:56:40.401440").value(), "1488491800401440");
  EXPECT_EQ(query_time("2017-03-02 21:56").value(), "1488491760000000");
  EXPECT_EQ(query_time("2017 Mar 2").value(), "1488412800000000");
  for (const auto* const bad : {"", "now-", "now-10", "now-10w", "10m", "2017-03-02 21:56:40.", "yesterday",
                                "2017-03-02 21:56:40.1234567", "now-1h2m"}) {
    EXPECT_FALSE(query_time(bad)) << bad;
  }
  EXPECT_EQ(time_before_now("25m").value(), "now-25m");
  EXPECT_FALSE(time_before_now("m"));
  EXPECT_EQ(local_time(-1), "1969 Dec 31 23:59:59.999999");
  ::setenv("TZ", "Europe/Paris", 1);
  ::tzset();
  EXPECT_EQ(local_time(1488491800401440), "2017 Mar 02 22:56:40.401440");
  EXPECT_EQ(query_time("2017 Mar 02 22:56:40.401440").value(), "1488491800401440");
}

TEST_F(Line, AsSyslog) {
  protocol::json::Reader reader(kRow);
  const auto row = protocol::json::read_tree(reader);
  EXPECT_EQ(syslog_message(*row), "<14>1 2017-03-02T21:56:40.401440Z host contrail-collector 7 QueLog - 1 x & y");
  protocol::json::Reader none(R"({"MessageTS":0,"Source":"a b\u00e4","Level":3})");
  EXPECT_EQ(syslog_message(*protocol::json::read_tree(none)), "<11>1 1970-01-01T00:00:00.000000Z a_b__ - - - - ");
}

}  // namespace
}  // namespace varve::logs
