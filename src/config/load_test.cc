// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "config/keys.h"

namespace varve::config {
namespace {

Sources flags(std::initializer_list<std::pair<const char*, const char*>> list) {
  Sources sources;
  for (const auto& [key, value] : list) sources.flags.push_back({key, value, std::string("--") + key});
  return sources;
}

// The faults of one flag, joined.
std::string faults_of(const char* key, const char* value) {
  std::string out;
  for (const auto& fault : load(flags({{key, value}})).faults) out += fault;
  return out;
}

std::string origin_of(const Loaded& loaded, std::string_view key) {
  for (const auto& setting : loaded.effective) {
    if (setting.key == key) return setting.origin;
  }
  return "no such key";
}

TEST(Load, AGranularityWithoutRetentionIsDropped) {
  const Loaded loaded = load(flags({{"rollups", "5m:1y,7m:0,1h:5y,1d:0"}}));
  ASSERT_TRUE(loaded.faults.empty()) << loaded.faults[0];
  EXPECT_EQ(loaded.config.rollups.size(), 2U);
  EXPECT_EQ(loaded.config.dropped_rollups_ms, (std::vector<std::int64_t>{420'000, 86'400'000}));
}

TEST(Load, DefaultsAreGood) {
  const Loaded loaded = load({});
  EXPECT_TRUE(loaded.faults.empty()) << loaded.faults[0];
  EXPECT_EQ(loaded.config.storage.path, "./varve-data");
  EXPECT_EQ(loaded.config.storage.sync_interval_ms, 1000);
  EXPECT_FALSE(loaded.config.storage.sync_always);
  EXPECT_EQ(loaded.config.http.listen, (Address{"127.0.0.1", 8080}));
  EXPECT_EQ(loaded.config.http.body_bytes_max, 64U << 20);
  EXPECT_TRUE(loaded.config.telnet.on);
  EXPECT_EQ(loaded.config.telnet.listen, (Address{"127.0.0.1", 4242}));
  EXPECT_EQ(loaded.config.slots.width_ms, 3'600'000);
  EXPECT_EQ(loaded.config.rollups.size(), 3U);
  EXPECT_EQ(loaded.config.counters, (std::vector<counter::Pattern>{{"*_total", 60'000}}));
  EXPECT_EQ(loaded.config.counter_suffixes, (std::vector<std::string>{"reads", "writes", "bytes"}));
  EXPECT_EQ(loaded.config.tenant_default, "default");
  EXPECT_EQ(loaded.config.series_per_tenant_max, 10'000'000U);
  EXPECT_EQ(loaded.config.query.memory_bytes_max, 1U << 30);
  EXPECT_EQ(loaded.config.query.timeout_ms, 60'000);
  EXPECT_EQ(loaded.config.memory_bytes_max, 0U);
  EXPECT_EQ(loaded.effective.size(), keys().size());
}

TEST(Load, Counters) {
  const auto counters = [](const char* text) { return load(flags({{"counters", text}})).config.counters; };
  using Patterns = std::vector<counter::Pattern>;
  EXPECT_EQ(counters(""), Patterns{});
  EXPECT_EQ(counters("*_total:15s, node:cpu:*:5m"), (Patterns{{"*_total", 15'000}, {"node:cpu:*", 300'000}}));
  for (const char* bad : {"*_total", "*_total:", ":1m", "*_total:0s", "*_total:999ms", "*_total:2y", "*_total:often"}) {
    EXPECT_NE(faults_of("counters", bad).find("'" + std::string(bad) + "'"), std::string::npos) << bad;
  }
}

TEST(Load, ShedMarks) {
  const auto disk = [](const char* text) {
    return load(flags({{"messages.shed.disk", text}})).config.messages.shed_disk;
  };
  using Marks = std::vector<Shed>;
  EXPECT_EQ(load({}).config.messages.shed_disk, (Marks{{85, 80, 7}, {90, 85, 6}, {95, 90, 3}}));
  EXPECT_EQ(load({}).config.messages.shed_backlog, (Marks{{85, 80, 7}, {90, 85, 6}, {95, 90, 3}}));
  EXPECT_EQ(disk(""), Marks{});
  EXPECT_EQ(disk("100/0:Error, 50/50:0"), (Marks{{100, 0, 3}, {50, 50, 0}}));
  for (const char* bad : {"80/85:debug", "101/80:debug", "80:debug", "85/80", "85/80:loud", "85/80:8", "85%/80:debug",
                          "/80:debug", "85/:debug", "85/80:", "debug:85/80", "-1/0:err"}) {
    for (const char* key : {"messages.shed.disk", "messages.shed.backlog"}) {
      const std::string text = std::string("85/80:info,") + bad;
      EXPECT_NE(faults_of(key, text.c_str()).find("'" + std::string(bad) + "'"), std::string::npos) << bad;
    }
  }
}

TEST(Load, MessageClasses) {
  EXPECT_TRUE(load({}).config.messages.classes.empty());
  const auto loaded = load(flags(
      {{"messages.classes", "audit:90d:type=VncApiConfigLog, vn:1y:objects=ObjectVNTable:a:b*,audit:90d:level=err"}}));
  EXPECT_TRUE(loaded.faults.empty());
  const auto& classes = loaded.config.messages.classes;
  ASSERT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes[0].name, "audit");
  EXPECT_EQ(classes[0].retention_ms, std::int64_t{90} * 24 * 3'600'000);
  EXPECT_EQ(classes[0].value, "VncApiConfigLog");
  EXPECT_EQ(classes[1].value, "ObjectVNTable:a:b");
  EXPECT_TRUE(classes[1].is_prefix);
  EXPECT_EQ(classes[2].number, 3);
  for (const auto& [bad, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"audit", "is not NAME:RETENTION:COLUMN=VALUE"},
           {"audit:90d", "is not NAME:RETENTION:COLUMN=VALUE"},
           {":90d:type=a", "needs a name"},
           {"a b:90d:type=a", "needs a name"},
           {"audit:90:type=a", "needs a retention"},
           {"audit:1ms:type=a", "needs a retention"},
           {"audit:90d:type", "is not NAME:RETENTION:COLUMN=VALUE"},
           {"audit:90d:colour=a", "'colour'"},
           {"audit:90d:level=loud", "'loud'"},
           {"audit:90d:type=", "needs a value"},
           {"known:2d:type=a", "another retention"}}) {
    const std::string faults = faults_of("messages.classes", (std::string("known:1d:type=b,") + bad).c_str());
    EXPECT_NE(faults.find("'" + std::string(bad) + "'"), std::string::npos) << bad << faults;
    EXPECT_NE(faults.find(why), std::string::npos) << bad << faults;
  }
}

TEST(Load, RetentionClasses) {
  EXPECT_TRUE(load({}).config.retention_classes.empty());
  const auto loaded = load(
      flags({{"retention.classes", "brief:3d:metric=debug.*&tag.env=a:b, acme:2y:tenant=acme,brief:3d:metric=x"}}));
  const auto& classes = loaded.config.retention_classes;
  ASSERT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes[0].name, "brief");
  EXPECT_EQ(classes[0].retention_ms, std::int64_t{3} * 24 * 3'600'000);
  EXPECT_EQ(classes[0].conditions.size(), 2U);
  EXPECT_EQ(classes[0].conditions[1].value, "a:b");
  EXPECT_EQ(classes[1].conditions[0].value, "acme");
  for (const auto& [bad, why] :
       std::initializer_list<std::pair<const char*, const char*>>{{"brief", "is not NAME:RETENTION:CONDITION"},
                                                                  {"brief:3d", "is not NAME:RETENTION:CONDITION"},
                                                                  {":3d:metric=a", "needs a name"},
                                                                  {"a b:3d:metric=a", "needs a name"},
                                                                  {"brief:3:metric=a", "needs a retention"},
                                                                  {"brief:10ms:metric=a", "needs a retention"},
                                                                  {"brief:3d:", "needs conditions"},
                                                                  {"brief:3d:host=a", "needs conditions"},
                                                                  {"brief:3d:metric=", "needs a value"},
                                                                  {"known:2d:metric=a", "another retention"}}) {
    const std::string faults = faults_of("retention.classes", (std::string("known:1d:metric=b,") + bad).c_str());
    EXPECT_NE(faults.find("'" + std::string(bad) + "'"), std::string::npos) << bad << faults;
    EXPECT_NE(faults.find(why), std::string::npos) << bad << faults;
  }
  std::string many;
  for (int i = 0; i < 201; ++i) many += "c:1d:metric=m" + std::to_string(i) + ",";
  many.pop_back();
  EXPECT_NE(faults_of("retention.classes", many.c_str()).find("at most 200 entries"), std::string::npos);
}

TEST(Load, OriginsAndHosts) {
  const auto origins = [](const char* text) { return load(flags({{"http.origins", text}})).config.http.origins; };
  using Names = std::vector<std::string>;
  EXPECT_EQ(origins(""), Names{});
  EXPECT_EQ(origins("*"), Names{"*"});
  EXPECT_EQ(origins("https://Grafana.example:3000, http://[::1]:8080,moz-extension://a1-b2"),
            (Names{"https://grafana.example:3000", "http://[::1]:8080", "moz-extension://a1-b2"}));
  EXPECT_EQ(origins("http://a:80,https://a:443,https://a:80"), (Names{"http://a", "https://a", "https://a:80"}));
  for (const char* bad :
       {"a.example", "http://", "http://a/", "http://a:0", "http://a:x", "http://a b", "null", "://a",
        "http://a,,http://b", "http://*.a", "http://user@a", "http://[::1", "http://[]", "http://[x]"}) {
    EXPECT_NE(faults_of("http.origins", bad), "") << bad;
  }
  EXPECT_EQ(load(flags({{"http.hosts", "Db.example.org,*.lan, *"}})).config.http.hosts,
            (Names{"db.example.org", "*.lan", "*"}));
  for (const char* bad : {"a.example:80", "a,,b", "*a", "*.", "a*", "http://a", "a/b"}) {
    EXPECT_NE(faults_of("http.hosts", bad), "") << bad;
  }
}

TEST(Load, WhoNamesTheTenant) {
  const auto from = [](const char* text) {
    const auto f = load(flags({{"tenant.from", text}})).config.tenant_from;
    return std::string(f.path ? "p" : "") + (f.x_tenant ? "x" : "") + (f.x_scope_orgid ? "o" : "") + (f.tag ? "t" : "");
  };
  EXPECT_EQ(from("path,x-tenant,x-scope-orgid,tag"), "pxot");
  EXPECT_EQ(from("x-tenant"), "x");
  EXPECT_EQ(from(""), "");
  EXPECT_NE(faults_of("tenant.from", "path,path"), "");
  EXPECT_NE(faults_of("tenant.from", "header"), "");
}

TEST(Load, GoodValues) {
  const auto f = [](const char* key, const char* value) {
    EXPECT_EQ(faults_of(key, value), "") << key << "=" << value;
  };
  f("engine", "embedded");
  f("roles", "query");
  f("storage.sync", "always");
  f("storage.sync", "1ms");
  f("storage.repair", "true");
  f("http.listen", "[::1]:0");
  f("telnet.listen", "");
  f("slots.width", "5m");
  f("slots.width", "2h");
  f("slots.own", "none");
  f("slots.own", "0-15,40");
  f("rollups", "");
  f("rollups", "1s:1h");
  f("raw.retention", "100y");
  f("tenant.default", "");
  f("tenant.default", "A.b_c-9");
  f("cassandra.replication", "dc1:3,dc2:3");
  f("cassandra.hosts", "a,b:1");
  f("redis.url", "rediss://user:secret@h:6380/0");
  f("limits.memory", "16MiB");
}

TEST(Load, BadValuesNameKeyValueAndWhatIsAllowed) {
  const auto f = [](const char* key, const char* value, const char* allowed) {
    const std::string got = faults_of(key, value);
    const std::string shown = *value ? value : "\"\"";
    EXPECT_TRUE(got.starts_with(std::string(key) + "=" + shown)) << got;
    EXPECT_NE(got.find(allowed), std::string::npos) << got;
  };
  f("engine", "memory", "embedded or cluster");
  f("cassandra.consistency", "quorum", "LOCAL_QUORUM");
  f("roles", "ingest,ingest", "each once");
  f("roles", "cook", "ingest, query, rollup and poll");
  f("roles", "", "at least one");
  f("storage.path", "", "a directory");
  f("storage.sync", "sometimes", "always, or a duration");
  f("storage.sync", "0s", "at least 1ms");
  f("storage.repair", "maybe", "true or false");
  f("http.listen", "8080", "host:port");
  f("http.body_max", "64MB", "KiB");
  f("http.body_max", "1", "at least 1KiB");
  f("telnet.listen", "x", "empty, or host:port");
  f("slots.width", "999ms", "at least 1s");
  f("slots.width", "7m", "10m would do");
  f("slots.width", "90m", "2h would do");
  f("slots.quiet", "10x", "such as 500ms");
  f("slots.partitions", "0", "from 1 to 65536");
  f("slots.jobs", "65", "at most slots.partitions=64");
  f("slots.hot_kept", "8d", "at most 7d");
  f("slots.own", "5-3", "0-15,40");
  f("slots.own", "", "0-15,40");
  f("slots.own", "64", "below slots.partitions=64");
  f("rollups", "5m", "granularity:retention");
  f("rollups", "5m:1y,7m:1y", "multiple");
  f("rollups", "1h:1y,5m:1y", "ascend");
  f("rollups", "5m:1y,5m:1y", "ascend");
  f("rollups", "5m:1y,5m:0", "retention 0");
  f("rollups", "5m:1y,0:0", "retention 0");
  f("rollup.counter_suffixes", "a,,b", "name endings");
  f("tenant.default", "a/b", "A-Z");
  f("limits.series_per_tenant", "1e6", "whole number");
  f("limits.tenants", "0", "whole number");
  f("query.memory", "10", "at least 1MiB");
  f("limits.memory", "15MiB", "auto, or a size of at least 16MiB");
  f("limits.memory", "half", "auto, or a");
  f("query.metrics_max", "0", "a whole number from 1");
  f("promql.lookback", "0s", "at least 1ms");
  f("promql.strict", "maybe", "true or false");
  f("promql.max_series", "0", "a whole number from 1");
  f("http.write_timeout", "0s", "at least 1ms");
  f("query.timeout", "0s", "at least 1ms");
  f("cassandra.hosts", "a:0", "host:port");
  f("cassandra.keyspace", "a-b", "a-z");
  f("cassandra.replication", "dc1", "datacenter:N");
  f("redis.url", "http://x", "redis://");
  f("log.level", "loud", "debug");
}

TEST(Load, PublicAddressesNeedToBeMeant) {
  EXPECT_NE(faults_of("http.listen", "0.0.0.0:8080").find("http.insecure_public"), std::string::npos);
  EXPECT_NE(faults_of("telnet.listen", "[::]:4242").find("http.insecure_public"), std::string::npos);
  EXPECT_TRUE(load(flags({{"http.listen", ":8080"}, {"http.insecure_public", "true"}})).faults.empty());
}

TEST(Load, TwoAtOneAddress) {
  const auto count = [](const char* http, const char* telnet, const char* udp = "") {
    return load(flags({{"http.listen", http},
                       {"telnet.listen", telnet},
                       {"syslog.udp", udp},
                       {"http.insecure_public", "true"}}))
        .faults.size();
  };
  EXPECT_EQ(count("127.0.0.1:1", "127.0.0.1:1"), 1U);
  EXPECT_EQ(count(":1", "127.0.0.1:1"), 1U);
  EXPECT_EQ(count("[::1]:1", "[::]:1"), 1U);
  EXPECT_EQ(count("[::1]:1", "127.0.0.1:1"), 0U);
  EXPECT_EQ(count("127.0.0.1:1", "127.0.0.2:1"), 0U);
  EXPECT_EQ(count("127.0.0.1:0", "127.0.0.1:0"), 0U) << "each has a port of its own";
  EXPECT_EQ(count("127.0.0.1:1", "", "127.0.0.1:1"), 0U) << "UDP is another matter";
}

TEST(Load, TlsNeedsItsFiles) {
  const auto faults = load(flags({{"syslog.tls", "127.0.0.1:6514"}, {"syslog.key", "k"}})).faults;
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(
      faults[0],
      "syslog.tls=127.0.0.1:6514: TLS needs a certificate and its key: set syslog.certificate=FILE as well, in PEM");
  EXPECT_TRUE(
      load(flags({{"syslog.tls", "127.0.0.1:6514"}, {"syslog.certificate", "c"}, {"syslog.key", "k"}})).faults.empty());
}

TEST(Load, APublicTlsAddressDemandsCertificates) {
  std::vector<std::pair<std::string, std::string>> given{
      {"syslog.tls", ":6514"}, {"syslog.certificate", "c"}, {"syslog.key", "k"}};
  const auto faults = [&] {
    Sources sources;
    for (const auto& [key, value] : given) sources.flags.push_back({key, value, "--" + key});
    return load(sources).faults;
  };
  ASSERT_EQ(faults().size(), 1U);
  EXPECT_NE(faults()[0].find("http.insecure_public"), std::string::npos);
  given.emplace_back("syslog.client_ca", "a");
  EXPECT_TRUE(faults().empty());
}

TEST(Load, OwnRangesAreParts) {
  using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  const auto own = [](const char* value) { return load(flags({{"slots.own", value}})).config.slots; };
  EXPECT_EQ(own("1,5-8,12,15-18").own_ranges, (Ranges{{1, 1}, {5, 8}, {12, 12}, {15, 18}}));
  EXPECT_EQ(own("0, 1, 3-5").own_ranges, (Ranges{{0, 0}, {1, 1}, {3, 5}}));
  EXPECT_EQ(own("none").own, Config::Slots::Own::none);
  EXPECT_TRUE(own("jobs").own_ranges.empty());
}

TEST(Load, UnknownKeysAreFaults) {
  EXPECT_EQ(faults_of("http", "127.0.0.1:1"),
            "http=127.0.0.1:1 (--http): http is a group of keys, such as http.listen");
  EXPECT_EQ(
      faults_of("messages.shed.disk", "80:debug"),
      "messages.shed.disk=80:debug (--messages.shed.disk): '80:debug' is not high/low:level, such as 85/80:debug");
  EXPECT_EQ(faults_of("slots.widht", "1h"), "slots.widht=1h (--slots.widht): unknown key; did you mean slots.width?");
  EXPECT_NE(faults_of("quite.another.thing", "1").find("`varve check` prints every key"), std::string::npos);
  Sources sources;
  sources.environment = {"VARVE_SLOTS_WIDHT=1h", "HOME=/", "VARVE_SERVICE_HOST=10.0.0.1", "VARVE_PORT_80_TCP=x"};
  ASSERT_EQ(load(sources).faults.size(), 1U);
  EXPECT_TRUE(load(sources).faults[0].starts_with("VARVE_SLOTS_WIDHT=1h"));
}

TEST(Load, EveryFaultIsTold) {
  EXPECT_EQ(load(flags({{"slots.width", "x"}, {"no.such.key", "1"}, {"engine", "y"}})).faults.size(), 3U);
}

TEST(Load, FlagBeatsEnvironmentBeatsFileBeatsDefault) {
  const std::string path = testing::TempDir() + "varve_load_test.yaml";
  std::ofstream(path) << "query:\n  timeout: 1s\n  memory: 2MiB\nslots:\n  quiet: 7s\n";
  Sources sources = flags({{"query.timeout", "4s"}, {"query.timeout", "3s"}});
  sources.file = path;
  sources.environment = {"VARVE_QUERY_TIMEOUT=2s", "VARVE_QUERY_MEMORY=3MiB"};
  const Loaded loaded = load(sources);
  std::remove(path.c_str());
  ASSERT_TRUE(loaded.faults.empty()) << loaded.faults[0];
  EXPECT_EQ(loaded.config.query.timeout_ms, 3000);
  EXPECT_EQ(loaded.config.query.memory_bytes_max, 3U << 20);
  EXPECT_EQ(loaded.config.slots.quiet_ms, 7000);
  EXPECT_EQ(loaded.config.slots.lease_ms, 30'000);
  EXPECT_EQ(origin_of(loaded, "slots.quiet"), path + ":5");
  EXPECT_EQ(origin_of(loaded, "query.memory"), "VARVE_QUERY_MEMORY");
  EXPECT_EQ(origin_of(loaded, "query.timeout"), "--query.timeout");
  EXPECT_EQ(origin_of(loaded, "slots.lease"), "");
}

TEST(Load, AFileThatIsNotThere) {
  Sources sources;
  sources.file = "/no/such/file.yaml";
  ASSERT_EQ(load(sources).faults.size(), 1U);
  EXPECT_EQ(load(sources).faults[0], "--config=/no/such/file.yaml: this file cannot be read");
  sources.file = "/tmp";
  EXPECT_EQ(load(sources).faults[0], "--config=/tmp: this is a directory, not a file");
}

TEST(Keys, SecretsAreHidden) {
  const auto f = [](const char* value) { return shown_value("redis.url", value); };
  EXPECT_EQ(f("redis://127.0.0.1:6379"), "redis://127.0.0.1:6379");
  EXPECT_EQ(f("redis://user:secret@h:6379"), "redis://user:***@h:6379");
  EXPECT_EQ(f("redis://:p@ss@h:6379"), "redis://:***@h:6379");
  EXPECT_EQ(f("redis://user@h:6379"), "redis://user@h:6379");
  EXPECT_EQ(shown_value("storage.path", "a:b@c://"), "a:b@c://");
  // Also where the value is at fault.
  EXPECT_EQ(faults_of("redis.url", "http://u:secret@h").find("secret"), std::string::npos);
}

TEST(Keys, NamesAreDistinctAlsoAsVariables) {
  std::set<std::string> names;
  for (const Key& key : keys()) EXPECT_TRUE(names.insert(environment_name(key.name)).second) << key.name;
  EXPECT_EQ(environment_name("slots.width"), "VARVE_SLOTS_WIDTH");
  EXPECT_EQ(environment_name("http.insecure_public"), "VARVE_HTTP_INSECURE_PUBLIC");
}

TEST(Keys, TheWholeConfigurationReadsBackAsItself) {
  const Loaded first = load(flags({{"telnet.listen", ""}, {"roles", "query,ingest"}}));
  const auto settings = parse_yaml(to_yaml(first.effective), "f");
  ASSERT_TRUE(settings) << settings.error().message;
  Sources again;
  again.flags = *settings;
  const Loaded second = load(again);
  ASSERT_TRUE(second.faults.empty()) << second.faults[0];
  for (std::size_t i = 0; i < first.effective.size(); ++i) {
    EXPECT_EQ(first.effective[i].value, second.effective[i].value) << first.effective[i].key;
  }
}

}  // namespace
}  // namespace varve::config
