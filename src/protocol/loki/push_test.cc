// SPDX-License-Identifier: Apache-2.0
#include "protocol/loki/push.h"

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "protocol/loki/labels.h"
#include "protocol/loki/push_text.h"

namespace varve::protocol::loki {
namespace {

std::string push_json(std::string_view body) {
  const std::string want = pushed(body, Way::general, ' ');
  for (const char padding : {' ', '1', '"', '}', ']', ',', '\\', '\n', '\0'}) {
    EXPECT_EQ(pushed(body, Way::fast, padding), want) << body << " padded with " << padding;
  }
  return want;
}

std::string stream_of(std::string_view labels, std::string_view values) {
  return std::string(R"({"streams":[{"stream":)").append(labels).append(R"(,"values":)").append(values).append("}]}");
}

struct PushCase {
  std::string body;
  std::string want;
};

void expect_pushes(std::initializer_list<PushCase> cases) {
  for (const auto& [body, want] : cases) EXPECT_EQ(push_json(body), want) << body;
}

TEST(LokiPush, Entries) {
  const std::string kJob = R"({"job":"api"})";
  expect_pushes({
      {stream_of(kJob, R"([["1700000000000000123","a line"]])"),
       "1700000000000000.123 module='api' text='a line' job='api'"},
      {stream_of(kJob, R"([["1000","a"],["2001","b"]])"),
       "1 module='api' text='a' job='api' | 2.1 module='api' text='b' job='api'"},
      {stream_of(kJob, R"([ [ "1000" , "a" ] , ["2000","\"q\"\n\u00e9\\"] ])"),
       "1 module='api' text='a' job='api' | 2 module='api' text='\"q\"\né\\' job='api'"},
      {stream_of(kJob, R"([["1000","a",{"trace_id":"x y","n":""}]])"),
       "1 module='api' text='a' job='api' trace_id=~'x y' n=~''"},
      {stream_of(kJob, R"([["1000","a",{}],["1000","",null]])"),
       "1 module='api' text='a' job='api' | 1 module='api' text='' job='api'"},
      {stream_of(kJob, R"([["1000","a",{"job":"other"}]])"),
       "1 module='api' text='a' job='api' job_extracted=~'other'"},
      {stream_of(R"({"job":"api","job_extracted":"l"})", R"([["1000","a",{"job":"m"}]])"),
       "1 module='api' text='a' job='api' job_extracted='l' job_extracted_extracted=~'m'"},
      {stream_of(kJob, R"([["-1001","a"]])"), "-2.999 module='api' text='a' job='api'"},
      {stream_of(kJob, R"([[1000,"a"],["+1000","b"]])"),
       "1 module='api' text='a' job='api' | 1 module='api' text='b' job='api'"},
      {stream_of(kJob, "[]"), ""},
      {stream_of(kJob, "null"), ""},
      {R"({"streams":[{"values":[["1000","a"]],"stream":{"job":"api"}}]})", "1 module='api' text='a' job='api'"},
      {R"({"x":[1],"streams":[{"y":{},"stream":{"job":"a"},"values":[["1000","1"]]},{"stream":{"job":"b"},"values":[["1000","2"]]}]})",
       "1 module='a' text='1' job='a' | 1 module='b' text='2' job='b'"},
      {R"({"streams":[]})", ""},
      {R"({"streams":null})", ""},
      {R"({})", ""},
      {stream_of(kJob, "[[\"1000\",\"\xff\"]]"), "1 module='api' text='\xff' job='api'"},
  });
}

TEST(LokiPush, Columns) {
  const auto one = [](std::string_view labels, std::string_view metadata = "{}") {
    const std::string got = push_json(stream_of(labels, R"([["1000","",)" + std::string(metadata) + "]]"));
    return got.substr(0, got.find(" text="));
  };
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"instance":"i","hostname":"n","host":"h","source":"s"})", "1 source='s'"},
      {R"({"instance":"i","hostname":"n","host":"h"})", "1 source='h'"},
      {R"({"instance":"i","hostname":"n"})", "1 source='n'"},
      {R"({"instance":"i"})", "1 source='i'"},
      {R"({"host":"","instance":"i"})", "1 source='i'"},
      {R"({"container":"c","service_name":"v","job":"j","app":"a","module":"m"})", "1 module='m'"},
      {R"({"container":"c","service_name":"v","job":"j","app":"a"})", "1 module='a'"},
      {R"({"container":"c","service_name":"v","job":"j"})", "1 module='j'"},
      {R"({"container":"c","service_name":"v"})", "1 module='v'"},
      {R"({"container":"c"})", "1 module='c'"},
      {R"({"level":"WARN"})", "1 level=4"},
      {R"({"level":"strange","severity":"error","detected_level":"info"})", "1 level=3"},
      {R"({"detected_level":"critical"})", "1 level=2"},
      {R"({"level":"3"})", "1 level=3"},
      {R"({"level":"30"})", "1"},
      {R"({"Host":"h","type":"t"})", "1"},
  };
  for (const auto& [labels, want] : kCases) EXPECT_EQ(one(labels), want) << labels;
  EXPECT_EQ(one(R"({"a":"b"})", R"({"host":"h","app":"m","detected_level":"info"})"),
            "1 source='h' module='m' level=6");
  EXPECT_EQ(one(R"({"instance":"i","level":"err"})", R"({"host":"h","level":"info"})"), "1 source='i' level=3");
  EXPECT_EQ(one(R"({"level":"strange"})", R"({"level":"info"})"), "1") << "its name is level_extracted";
  EXPECT_EQ(one(R"({"level":"strange"})", R"({"severity":"info"})"), "1 level=6");
  EXPECT_EQ(one(R"({"app":"","b":"x"})", R"({"app":"m"})"), "1 module='m'") << "the label is none";
}

TEST(LokiPush, LabelsWithoutAValueAreNone) {
  expect_pushes({
      {stream_of(R"({"app":"","b":"x"})", R"([["1000","a",{"app":"m"}]])"), "1 module='m' text='a' b='x' app=~'m'"},
      {stream_of(R"({"app":"","b":"x"})", R"([["1000","a"]])"), "1 text='a' b='x'"},
      {stream_of(R"({"b":""})", R"([["1000","a"]])"), "1 text='a'"},
      {stream_of(R"({"level":"strange","b":"x"})", R"([["1000","a",{"level":"info"}]])"),
       "1 text='a' b='x' level='strange' level_extracted=~'info'"},
  });
}

TEST(LokiPush, Refused) {
  const std::string kJob = R"({"job":"a"})";
  const std::string many(message::kTextBytesMax + 1, 'x');
  const std::string kBad = "! couldn't parse push request: ";
  expect_pushes({
      {"", kBad + "not JSON: End of input at column 1"},
      {"5", kBad + "it is not an object"},
      {"{}x", kBad + "there is something behind the object"},
      {R"({"streams":{}})", kBad + "streams is not a list"},
      {R"({"streams":[5]})", kBad + "a stream is not an object"},
      {R"({"streams":[{"values":[["1000","a"]]}]})", "! error at least one label pair is required per stream"},
      {stream_of("{}", "[]"), "! error at least one label pair is required per stream"},
      {stream_of("5", "[]"), kBad + "stream is not an object of labels"},
      {stream_of(R"({"a":5})", "[]"), kBad + "the value of label 'a' is not a text"},
      {stream_of(R"({"":"x"})", "[]"), R"(! stream '{=)"
                                       "\"x\"}' has a label without a name"},
      {stream_of(R"({"a":"1","a":"2"})", "[]"), R"(! stream '{a="1", a="2"}' has duplicate label name: 'a')"},
      {stream_of(kJob, "{}"), kBad + "values is not a list"},
      {stream_of(kJob, R"(["1000","a"])"), kBad + "an entry is not a list"},
      {stream_of(kJob, R"([["1000"]])"), kBad + "an entry is not [timestamp, line]"},
      {stream_of(kJob, R"([[]])"), kBad + "an entry is not [timestamp, line]"},
      {stream_of(kJob, R"([["soon","a"]])"),
       kBad + "strconv.ParseInt: parsing \"soon\": it is not a number of nanoseconds in 64 bits"},
      {stream_of(kJob, R"([["1.5","a"]])"),
       kBad + "strconv.ParseInt: parsing \"1.5\": it is not a number of nanoseconds in 64 bits"},
      {stream_of(kJob, R"([["9223372036854775808","a"]])"),
       kBad + "strconv.ParseInt: parsing \"9223372036854775808\": it is not a number of nanoseconds in 64 bits"},
      {stream_of(kJob, R"([[null,"a"]])"), kBad + "a timestamp is not a text"},
      {stream_of(kJob, R"([["1000",5]])"), kBad + "a line is not a text"},
      {stream_of(kJob, R"([["1000","a","b"]])"), kBad + "structured metadata is not an object"},
      {stream_of(kJob, R"([["1000","a",{"n":5}]])"), kBad + "the value of structured metadata 'n' is not a text"},
      {stream_of(kJob, R"([["1000","a"],["-1000000000001","b"]])"),
       R"(! entry for stream '{job="a"}' has timestamp too old: 1969-12-31T23:43:19Z, oldest acceptable timestamp is: 1969-12-31T23:43:20Z)"},
      {stream_of(kJob, R"([["4000000000000001000","b"]])"),
       R"(! entry for stream '{job="a"}' has timestamp too new: 2096-10-02T07:06:40Z)"},
      {stream_of(kJob, R"([["1000",")" + many + R"("]])"),
       R"(! max entry size '1048576' bytes exceeded for stream '{job="a"}' while adding an entry with length '1048577' bytes)"},
      {stream_of(kJob, R"([["1000","a",{"":"b"}]])"), R"(! entry for stream '{job="a"}': a field has no name)"},
      {R"({"streams":[{"stream":{"a":"b"},"stream":{"a":"b"}}]})", kBad + "stream stands twice"},
      {R"({"streams":[{"values":[],"values":[]}]})", kBad + "values stands twice"},
  });
}

TEST(LokiPush, SharedLabelsDoNotMultiply) {
  std::string labels = "{";
  for (int i = 0; i < 15; ++i)
    labels += (i == 0 ? "\"l" : ",\"l") + std::to_string(i) + R"(":")" + std::string(60'000, 'v') + '"';
  std::string values = R"([["1",""])";
  for (int i = 0; i < 1000; ++i) values += R"(,["1",""])";
  const std::string got = push_json(stream_of(labels + "}", values + "]"));
  EXPECT_NE(got.find("repeated for its entries, are more than 16777216 bytes"), std::string::npos)
      << got.substr(0, 500);
}

// --- protobuf

std::string entry_bytes(std::int64_t seconds, std::int32_t nanos, const std::string& line) {
  std::string bytes;
  protozero::pbf_writer entry(bytes);
  {
    protozero::pbf_writer time(entry, 1);
    time.add_int64(1, seconds);
    time.add_int32(2, nanos);
  }
  entry.add_string(2, line);
  return bytes;
}

std::string request_bytes(const std::string& labels, const std::vector<std::string>& entries,
                          bool labels_last = false) {
  std::string bytes;
  protozero::pbf_writer request(bytes);
  protozero::pbf_writer stream(request, 1);
  if (!labels_last) stream.add_string(1, labels);
  for (const auto& entry : entries) stream.add_message(2, entry);
  if (labels_last) stream.add_string(1, labels);
  return bytes;
}

TEST(LokiPush, Protobuf) {
  const std::string kOne = "1700000000000000.7 source='h' text='x' host='h'";
  EXPECT_EQ(pushed_protobuf(request_bytes(R"({host="h"})", {entry_bytes(1'700'000'000, 7, "x")})), kOne);
  EXPECT_EQ(pushed_protobuf(request_bytes(R"({host="h"})", {entry_bytes(1'700'000'000, 7, "x")}, true)), kOne);
  EXPECT_EQ(pushed_protobuf(""), "");
  EXPECT_EQ(pushed_protobuf(request_bytes("{}", {})), "! error at least one label pair is required per stream");
  EXPECT_EQ(pushed_protobuf(request_bytes("", {})), "! error at least one label pair is required per stream");
  EXPECT_EQ(pushed_protobuf(request_bytes("{a", {})),
            "! error parsing labels '{a' with error: there is no = behind a name");
  EXPECT_EQ(pushed_protobuf(request_bytes(R"({a="b"})", {entry_bytes(1, 1'000'000'000, "x")})),
            "! couldn't parse push request: timestamp 1s 1000000000ns is out of range");
  EXPECT_EQ(pushed_protobuf(request_bytes(R"({a="b"})", {entry_bytes(1, -1, "x")})),
            "! couldn't parse push request: timestamp 1s -1ns is out of range");
  EXPECT_EQ(pushed_protobuf("\x0a\xff"), "! couldn't parse push request: it is not valid protobuf");
}

TEST(LokiPush, ProtobufMetadata) {
  std::string entry = entry_bytes(1, 0, "x");
  protozero::pbf_writer more(entry);
  {
    protozero::pbf_writer metadata(more, 3);
    metadata.add_string(1, "trace_id");
    metadata.add_string(2, "77");
  }
  EXPECT_EQ(pushed_protobuf(request_bytes(R"({a="b"})", {entry})), "1000000 text='x' a='b' trace_id=~'77'");
}

TEST(LokiLabels, Text) {
  const auto read = [](std::string_view text) {
    Labels labels;
    std::deque<std::string> undone;
    const Status status = read_labels(text, labels, undone);
    if (!status) return "! " + status.error().message.substr(status.error().message.find("error: ") + 7);
    std::string out;
    for (const Label& label : labels) out.append(label.name).append("=").append(label.value).append(";");
    return out;
  };
  const std::pair<const char*, const char*> kCases[] = {
      {"{}", ""},
      {R"({a="b"})", "a=b;"},
      {R"( { a = "b" , c="d"} )", "a=b;c=d;"},
      {R"({a="b",})", "! a label has no name"},
      {R"({service.name="b"})", "service.name=b;"},
      {R"({a="q\"\\\n\t\u00e9\x41\101\U0001F600"})",
       "a=q\"\\\n\té"
       "AA😀;"},
      {R"({a=`raw\n"`})", "a=raw\\n\";"},
      {R"({a="}"})", "a=};"},
      {R"(a="b"})", "! it does not begin with {"},
      {R"({a="b")", "! there is neither , nor } behind a value"},
      {R"({a="b"}x)", "! there is something behind the labels"},
      {R"({a=b})", "! a value is not in quotes"},
      {R"({a="b)", "! a value does not end"},
      {R"({a="b\)", "! a value has an escape that there is not"},
      {R"({a="\q"})", "! a value has an escape that there is not"},
      {R"({a="\ud800"})", "! a value has an escape that there is not"},
      {R"({a="\x4"})", "! a value has an escape that there is not"},
      {R"({a="\777"})", "! a value has an escape that there is not"},
      {R"({a=`b})", "! a value does not end"},
  };
  for (const auto& [text, want] : kCases) EXPECT_EQ(read(text), want) << text;
}

}  // namespace
}  // namespace varve::protocol::loki
