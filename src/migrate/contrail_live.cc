// SPDX-License-Identifier: Apache-2.0
// Plays Contrail's collector for tests/migrate_contrail_test.py: makes its tables in the Cassandra that VARVE_CASSANDRA
// names, and writes rows as docs/formats/contrail.md says, at times relative to CONTRAIL_NOW (µs). What a
// migration makes of them is for the test to look at.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <semaphore>

#include "base/bytes.h"
#include "driver/cassandra.h"
#include "driver/wait.h"

namespace varve::migrate {
namespace {

constexpr std::int64_t kSecondUs = 1'000'000, kDayUs = 86'400 * kSecondUs;

std::string setting(const char* name, const char* fallback) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing changes it
  return value == nullptr ? fallback : value;
}
std::int64_t now_us() { return std::stoll(setting("CONTRAIL_NOW", "0")); }
std::int64_t t2_of(std::int64_t us) { return us >> 23; }
std::int64_t t1_of(std::int64_t us) { return us & 0x7fffff; }
std::string hex_of(std::int64_t t2, const char* format) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), format, static_cast<long long>(t2));
  return text.data();
}
// Two digits of the message's number stand at the end of its UUID.
std::string uuid_of(int number) { return "5e0c5621-7039-4497-a11a-0000000000" + std::to_string(number); }

constexpr const char* kV2 =
    "key int, key2 int, column1 int, column2 uuid, column3 text, column4 text, column5 text, column6 text, "
    "column7 text, column8 text, column9 text, column10 text, column11 text, column12 %, column13 int, column14 text, "
    "column15 int, column16 text, column17 text, column18 int, %value text, "
    "PRIMARY KEY ((key, key2), column1, column2)";

class Contrail {
 public:
  Contrail() {
    driver::SessionOptions options;
    options.contact_points = setting("VARVE_CASSANDRA", "");
    options.request_timeout_ms = 60'000;  // changes of the schema, on a busy machine
    session_ = std::make_unique<driver::Session>(must(driver::wait<driver::Session>(
        [&](driver::Done<driver::Session> done) { driver::Session::connect(runtime_, options, std::move(done)); })));
  }
  ~Contrail() {
    for (std::ptrdiff_t i = 0; i < kFlying; ++i) free_.acquire();
  }

  void query(const std::string& cql) {
    must(driver::wait<driver::Rows>(
        [&](driver::Done<driver::Rows> done) { session_->query(cql, {}, std::move(done)); }));
  }
  void keyspace(const std::string& name) {
    keyspace_ = name;
    query("CREATE KEYSPACE IF NOT EXISTS " + name +
          " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
  }
  void table(const std::string& name, const std::string& columns) {
    query("CREATE TABLE " + keyspace_ + "." + name + " (" + columns + ")");
  }
  // As it was designed: without Type, and addresses as text.
  void designed_v2() { table_v2("text", ""); }
  void shipped_v2() { table_v2("inet", "column19 int, "); }
  // Without quotes inside values.
  void insert(const std::string& name, const std::string& columns, const std::string& values) {
    query("INSERT INTO " + keyspace_ + "." + name + " (" + columns + ") VALUES (" + values + ")");
  }
  void v2(std::int64_t us, int number, const std::string& columns, const std::string& values) {
    insert("messagetablev2", "key, key2, column1, column2" + columns,
           std::to_string(t2_of(us)) + ", 3, " + std::to_string(t1_of(us)) + ", " + uuid_of(number) + values);
  }

  void prepare(const std::string& name, const std::string& columns, const std::string& marks) {
    insert_ = std::make_unique<driver::Statement>(
        must(driver::wait<driver::Statement>([&](driver::Done<driver::Statement> done) {
          session_->prepare("INSERT INTO " + keyspace_ + "." + name + " (" + columns + ") VALUES (" + marks + ")",
                            std::move(done));
        })));
  }
  // Some at a time are on their way.
  void put(const std::vector<std::string>& row) {
    const std::vector<driver::Cell> cells(row.begin(), row.end());
    free_.acquire();
    session_->execute({insert_.get(), cells}, {}, [this](Result<driver::Rows> done) {
      EXPECT_TRUE(done) << done.error().message;
      free_.release();
    });
  }
  void settle() {
    for (std::ptrdiff_t i = 0; i < kFlying; ++i) free_.acquire();
    free_.release(kFlying);
  }

 private:
  static constexpr std::ptrdiff_t kFlying = 128;

  template <class T>
  static T must(Result<T> result) {
    if (!result) {
      ADD_FAILURE() << result.error().message;
      std::abort();
    }
    if constexpr (!std::is_void_v<T>) return std::move(*result);
  }
  void table_v2(const std::string& address, const std::string& type) {
    std::string columns = kV2;
    columns.replace(columns.find('%'), 1, address);
    columns.replace(columns.find('%'), 1, type);
    table("messagetablev2", columns);
  }

  driver::Runtime runtime_ = must(driver::Runtime::start(1));
  std::unique_ptr<driver::Session> session_;
  std::unique_ptr<driver::Statement> insert_;
  std::string keyspace_;
  std::counting_semaphore<kFlying> free_{kFlying};
};

std::string be(std::int64_t value, std::size_t bytes) {
  std::string out(8, 0);
  store_be64(out.data(), static_cast<std::uint64_t>(value));
  return out.substr(8 - bytes);
}
std::string quoted_cell(const std::string& text) { return ", '" + text + "'"; }

// messagetablev2 as it was shipped: decimal prefixes, column19, addresses of type inet; and rows with something wrong.
TEST(Play, ContrailV2) {
  Contrail db;
  db.keyspace("\"ContrailAnalyticsCql\"");
  db.shipped_v2();
  const std::int64_t now = now_us();
  const std::string all =
      ", column3, column4, column5, column6, column7, column12, column13, column14, column15, column16, column17, "
      "column18, column19, value";
  const std::string rest =
      ", '10.1.2.3', 4711, 'XMPP', 3, 'Control', '0', 17, 1, '<CollectorInfo>a&amp;b</CollectorInfo>'";
  const auto texts = [](const std::string& t2, std::initializer_list<const char*> values) {
    std::string out;
    for (const auto* value : values) out += quoted_cell((t2.empty() ? "" : t2 + ":") + value);
    return out;
  };
  const auto five = {"a1s42", "CollectorInfo", "contrail-collector", "ObjectGeneratorInfo:a1s42:Control:contrail-dns:0",
                     "ObjectVNTable:default:vn 1"};
  db.v2(now - 10 * kSecondUs, 11, all, texts(std::to_string(t2_of(now - 10 * kSecondUs)), five) + rest);
  db.v2(now - 20 * kSecondUs, 12, all, texts(hex_of(t2_of(now - 20 * kSecondUs), "%llx"), five) + rest);
  db.v2(now - 30 * kSecondUs, 13, all, texts(hex_of(t2_of(now - 30 * kSecondUs), "%08llX"), five) + rest);
  db.v2(now - 40 * kSecondUs, 14, all, texts("", five) + rest);
  // What is not this row's T2 belongs to the value; and of two only the first is taken off.
  const std::int64_t five_at = now - 50 * kSecondUs;
  const std::string own = std::to_string(t2_of(five_at)), other = std::to_string(t2_of(five_at) - 1);
  db.v2(five_at, 15, ", column3, column4, column6, column7",
        quoted_cell(other + ":host") + quoted_cell(own + ":" + own + ":type") + quoted_cell(other + ":value") +
            quoted_cell(own + ":"));
  // Six names in cells, and all seven in the text.
  std::string xml = "<M>", names;
  for (int i = 1; i <= 7; ++i) {
    xml += "<n key=\"T" + std::to_string(i) + "\">v" + std::to_string(i) + "</n>";
    if (i <= 6) names += quoted_cell("T" + std::to_string(i) + ":v" + std::to_string(i));
  }
  db.v2(now - 60 * kSecondUs, 16, ", column6, column7, column8, column9, column10, column11, value",
        names + quoted_cell(xml + "</M>"));
  db.v2(now - 70 * kSecondUs, 17, ", column3, column6, column15, column18", ", 'h', 'no name', 2147483647, -2");
  db.v2(now - 80 * kSecondUs, 18, ", column15", ", -100");
  db.v2(now - 40 * kDayUs, 19, ", column3", ", 'too old'");
  db.v2(now + 3 * kDayUs, 20, ", column3", ", 'ahead'");
  db.insert("messagetablev2", "key, key2, column1, column2, column3",
            std::to_string(t2_of(now)) + ", 0, 8388608, " + uuid_of(21) + ", 'no T1'");
}

// In the same keyspace, as in one that has been upgraded.
TEST(Play, ContrailV1) {
  Contrail db;
  db.keyspace("\"ContrailAnalyticsCql\"");
  db.table(
      "messagetable",
      R"(key uuid PRIMARY KEY, "Category" text, "Context" text, "IPAddress" text, "InstanceId" text, "Level" int, )"
      R"("MessageTS" bigint, "Messagetype" text, "ModuleId" text, "Namespace" text, "NodeType" text, "Pid" int, )"
      R"("SequenceNum" int, "Source" text, "Type" int, "VersionSig" int, "Xmlmessage" text)");
  db.table("messagetabletimestamp",
           "key int, key2 int, column1 int, column2 uuid, value blob, "
           "PRIMARY KEY ((key, key2), column1, column2)");
  db.table("objecttable",
           "key int, key2 int, key3 text, column1 text, column2 int, value uuid, "
           "PRIMARY KEY ((key, key2, key3), column1, column2)");
  const auto message = [&](std::int64_t us, int number, const std::string& columns, const std::string& values) {
    db.insert("messagetable", "key, \"MessageTS\"" + columns, uuid_of(number) + ", " + std::to_string(us) + values);
    db.insert("messagetabletimestamp", "key, key2, column1, column2",
              std::to_string(t2_of(us)) + ", 1, " + std::to_string(t1_of(us)) + ", " + uuid_of(number));
  };
  const auto name = [&](std::int64_t us, int number, const std::string& type, const std::string& value) {
    db.insert("objecttable", "key, key2, key3, column1, column2, value",
              std::to_string(t2_of(us)) + ", 0, '" + type + "', '" + value + "', " + std::to_string(t1_of(us)) + ", " +
                  uuid_of(number));
  };
  const std::int64_t now = now_us(), first = now - 3600 * kSecondUs;
  message(first, 31,
          R"(, "Category", "Context", "IPAddress", "InstanceId", "Level", "Messagetype", "ModuleId", "Namespace", )"
          R"("NodeType", "Pid", "SequenceNum", "Source", "Type", "VersionSig", "Xmlmessage")",
          ", 'c', '', '::1', '0', 6, 'T', 'm', 'ns', 'Analytics', 1, 2, 's', 7, -5, '<T/>'");
  for (int i = 1; i <= 8; ++i) name(first, 31, "ObjectVNTable", "vn" + std::to_string(i) + ":x");
  name(first, 31, "ObjectGeneratorInfo", "a1s42:Control:contrail-dns:0");
  message(first + 1, 32, R"(, "Source")", ", 's'");
  db.insert("messagetable", "key, \"Source\"", uuid_of(33) + ", 'without a time'");
  message(now - 31 * kDayUs, 34, R"(, "Source")", ", 'too old'");
  name(first, 35, "ObjectVNTable", "of no message");
}

// The form of the design, names without quotes, and a first table whose names are in the text alone.
TEST(Play, ContrailDesigned) {
  Contrail db;
  db.keyspace("oldcontrail");
  db.designed_v2();
  const std::int64_t at = now_us() - 10 * kSecondUs;
  const std::string t2 = hex_of(t2_of(at), "%llx") + ":";
  db.v2(at, 11, ", column3, column6, column12, value",
        quoted_cell(t2 + "a1s42") + quoted_cell(t2 + "ObjectVNTable:vn:1") + ", 'fe80::1', '<x/>'");
  db.table("messagetable", "key uuid PRIMARY KEY, MessageTS bigint, Source text, Level text, Xmlmessage text");
  db.insert("messagetable", "key, MessageTS, Source, Level, Xmlmessage",
            uuid_of(12) + ", " + std::to_string(at) + R"(, 'b', '4', '<m><n key="ObjectVNTable">vn:2</n></m>')");
}

std::string text_of(std::int64_t i) {
  std::string text = "<VncApiStatsLog type=\"object\" level=\"6\">";
  for (std::int64_t line = 0; line < 12; ++line) {
    text += "<operation" + std::to_string(line) + " type=\"string\" identifier=\"" + std::to_string(line) +
            "\">response time of request " + std::to_string((i * 7919 + line * 104729) % 1'000'003) +
            " in virtual_network number " + std::to_string(i % 97) + "</operation>";
  }
  return text + "</VncApiStatsLog>";
}

// CONTRAIL_ROWS messages of two days: a third in the first tables, with two names each, the rest in the second.
TEST(Play, ContrailMany) {
  Contrail db;
  db.keyspace("many");
  db.shipped_v2();
  db.table("messagetable", R"(key uuid PRIMARY KEY, "MessageTS" bigint, "Source" text, "ModuleId" text, "Level" int, )"
                           R"("Xmlmessage" text)");
  db.table("objecttable",
           "key int, key2 int, key3 text, column1 text, column2 int, column3 uuid, value text, "
           "PRIMARY KEY ((key, key2, key3), column1, column2, column3)");
  const std::int64_t count = std::stoll(setting("CONTRAIL_ROWS", "30000"));
  const std::int64_t first = std::stoll(setting("CONTRAIL_FIRST_TABLES", std::to_string(count / 3).c_str()));
  const std::int64_t step = 2 * kDayUs / count, begin = now_us() - 2 * kDayUs;
  const auto id_of = [](std::int64_t i) { return be(0x5e0c562170394497 ^ (i * 0x9e37), 8) + be(i, 8); };
  const auto host = [](std::int64_t i) { return "host" + std::to_string(i % 40); };
  db.prepare("messagetable", R"(key, "MessageTS", "Source", "ModuleId", "Level", "Xmlmessage")", "?, ?, ?, ?, ?, ?");
  for (std::int64_t i = 0; i < first; ++i)
    db.put({id_of(i), be(begin + i * step, 8), host(i), "contrail-api", be(i % 8, 4), text_of(i)});
  db.settle();
  db.prepare("objecttable", "key, key2, key3, column1, column2, column3", "?, ?, ?, ?, ?, ?");
  for (std::int64_t i = 0; i < 2 * first; ++i) {
    const std::int64_t us = begin + i / 2 * step;
    db.put({be(t2_of(us), 4), be(0, 4), i % 2 == 0 ? "ObjectVNTable" : "ObjectVMTable", "o" + std::to_string(i / 2),
            be(t1_of(us), 4), id_of(i / 2)});
  }
  db.settle();
  db.prepare("messagetablev2",
             "key, key2, column1, column2, column3, column4, column5, column6, column7, column13, column15, column19, "
             "value",
             "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?");
  for (std::int64_t i = first; i < count; ++i) {
    const std::int64_t us = begin + i * step;
    const std::string t2 = std::to_string(t2_of(us)) + ":", o = "o" + std::to_string(i);
    std::string network = t2, machine = t2;
    network.append("ObjectVNTable:").append(o);
    machine.append("ObjectVMTable:").append(o);
    db.put({be(t2_of(us), 4), be(i % 9, 4), be(t1_of(us), 4), id_of(i), t2 + host(i), t2 + "VncApiStatsLog",
            t2 + "contrail-api", network, machine, be(100, 4), be(i % 8, 4), be(i % 2 == 0 ? 1 : 7, 4), text_of(i)});
  }
}

}  // namespace
}  // namespace varve::migrate
