// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/xml_names.h"

#include <gtest/gtest.h>

namespace varve::protocol::messages {
namespace {

std::string names_of(std::string_view xml) {
  static XmlNames names;  // reused: nothing of the text before is left
  const Status status = names.read(xml);
  if (!status) return "! " + status.error().message;
  std::string out;
  for (const auto& name : names.names()) out.append(out.empty() ? "" : " | ").append(name);
  return out;
}

TEST(XmlNames, Cases) {
  for (const auto& [xml, want] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"(<a><b key="T">x</b></a>)", "T:x"},
           {R"(<a key="T">x</a>)", "T:x"},
           {R"(<a><b type="string" identifier="1" key="T">x</b></a>)", "T:x"},
           {R"(<a><b key='T'>x</b></a>)", "T:x"},
           {R"( <a ><b  key = "T" >x</b ></a > )", "T:x"},
           {"<?xml version=\"1.0\"?>\n<!-- it --><a><b key=\"T\">x</b></a><!-- key -->\n", "T:x"},
           // Two of one table on one level are one name; of two tables two; in nested structs each is its own.
           {R"(<a><b key="T">2121</b><c key="T">string22</c></a>)", "T:2121:string22"},
           {R"(<a><b key="T">1</b><c key="U">2</c><d key="T">3</d></a>)", "T:1:3 | U:2"},
           {R"(<a><list><s><n key="T">1</n></s><s><n key="T">2</n></s><s><n key="T">3</n></s></list></a>)",
            "T:1 | T:2 | T:3"},
           {R"(<a><b key="T">1</b><s><c key="T">2</c></s><d key="T">3</d></a>)", "T:1:3 | T:2"},
           {R"(<a key="T">x<b key="T">y</b></a>)", "T:y | T:x"},
           // Texts as they were meant.
           {R"(<a><b key="T">vm11&amp;&gt;</b></a>)", "T:vm11&>"},
           {R"(<a><b key="T">&lt;&quot;&apos;&#65;&#x42;&#233;</b></a>)", "T:<\"'ABé"},
           {R"(<a><b key="T&amp;U">x</b></a>)", "T&U:x"},
           {R"(<a><b key="T">a&b &no; &#; &#xd800; &#1114112; &#x41</b></a>)",
            "T:a&b &no; &#; &#xd800; &#1114112; &#x41"},
           {R"(<a><b key="T"><![CDATA[x&amp;<y>]]></b></a>)", "T:x&amp;<y>"},
           {R"(<a><b key="T"> x:y </b></a>)", "T: x:y "},
           {R"(<a><b key="T"><!-- no -->x<c/>y</b></a>)", "T:x"},
           {"<a><b key=\"T\">\n  <c>z</c>x</b></a>", "T:x"},
           {R"(<é><b key="T">ü</b></é>)", "T:ü"},
           // Nothing is named.
           {R"(<a><b key="">x</b></a>)", ""},
           {R"(<a><b key="T"></b></a>)", ""},
           {R"(<a><b key="T"> </b></a>)", ""},
           {R"(<a><b key="T"/></a>)", ""},
           {R"(<a><b keys="T">x</b></a>)", ""},
           {R"(<a><b Key="T">x</b></a>)", ""},
           {R"(<a><key>T</key></a>)", ""},
           // No XML.
           {"", ""},
           {"plain key=\"T\" text", ""},
           {"x<a><b key=\"T\">x</b></a>", ""},
           {"<a><b key=\"T\">x</b></a>x", ""},
           {"<a><b key=\"T\">x</b></a><c/>", ""},
           {"<a><b key=\"T\">x</b>", ""},
           {"<a><b key=\"T\">x</c></a>", ""},
           {"<a><b key=\"T\">x</a></b>", ""},
           {"<a><b key=\"T>x</b></a>", ""},
           {"<a><b key=T>x</b></a>", ""},
           {"<a><b key>x</b></a>", ""},
           {"<a><b key=\"<\">x</b></a>", ""},
           {"<a><b key=\"T\"c=\"d\">x</b></a>", ""},
           {"<a><b key=\"T\">x</b></a", ""},
           {"<a><b key=\"T\">x</b><!-- </a>", ""},
           {"<a><b key=\"T\"><![CDATA[x</b></a>", ""},
           {"<!DOCTYPE a><a><b key=\"T\">x</b></a>", ""},
           {"<a><b key=\"T\">x</b></a></a>", ""},
           {"<><b key=\"T\">x</b></>", ""},
           {"<", ""},
           {"<key", ""},
           {"</key", ""},
           {"<a key=", ""},
           {"<!--key-->", ""},
       }) {
    EXPECT_EQ(names_of(xml), want) << xml;
  }
}

TEST(XmlNames, AMessageHasSoManyOfThem) {
  const auto structs = [](int count) {
    std::string xml = "<a>";
    for (int i = 0; i < count; ++i) xml += "<s><n key=\"T\">" + std::to_string(i) + "</n></s>";
    return xml;
  };
  EXPECT_TRUE(names_of(structs(1024) + "</a>").ends_with(" | T:1023"));
  EXPECT_EQ(names_of(structs(1025) + "</a>"), "! more than 1024 objects in the XML text");
  EXPECT_EQ(names_of(structs(1025)), "");  // no XML at all
  // Deep, and one after the other: neither takes the stack nor more than a moment.
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_EQ(names_of(deep + "key"), "");
  std::string flat = "<a>";
  for (int i = 0; i < 50'000; ++i) flat += "<b key=\"T\">x</b>";
  EXPECT_EQ(names_of(flat + "</a>").size(), 2U + 2 * 50'000 - 1);
}

}  // namespace
}  // namespace varve::protocol::messages
