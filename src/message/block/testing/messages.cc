// SPDX-License-Identifier: Apache-2.0
#include "message/block/testing/messages.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <span>

#include "base/check.h"

namespace varve::message::block::testing {
namespace {

using Names = std::vector<std::string>;

const Names kUsers{"root",  "admin", "deploy", "postgres", "git",  "jenkins",
                   "alice", "bob",   "carol",  "oracle",   "test", "ubuntu"};
const Names kPaths{"/api/v2/orders", "/api/v2/users",    "/login",   "/static/app.js",   "/api/v2/cart", "/health",
                   "/api/v2/search", "/images/logo.png", "/metrics", "/api/v2/payments", "/wp-login.php"};
const Names kAgents{
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
    "curl/7.88.1", "kube-probe/1.28", "Go-http-client/1.1", "python-requests/2.31.0"};
const Names kServices{"orders", "payments", "search", "cart", "users", "mailer", "billing", "gateway"};
const Names kEvents{"request completed", "cache miss",   "retrying after timeout", "token refreshed",
                    "order created",     "rate limited", "db pool exhausted",      "message published"};
const Names kFrames{"com.example.orders.OrderService.place",
                    "com.example.db.Pool.acquire",
                    "org.springframework.web.servlet.FrameworkServlet.service",
                    "java.lang.Thread.run",
                    "java.util.concurrent.ThreadPoolExecutor.runWorker",
                    "com.example.billing.Invoice.close"};
const Names kErrors{"java.net.SocketTimeoutException: Read timed out", "java.lang.NullPointerException",
                    "java.sql.SQLTransientConnectionException: pool exhausted"};
const Names kUnits{"cron.service",      "nginx.service",  "ssh.service",
                   "logrotate.service", "docker.service", "user@1000.service"};

std::string number(std::uint64_t n) { return std::to_string(n); }
std::string padded(std::uint64_t n, std::size_t digits) {
  const std::string text = number(n);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

}  // namespace

struct SiteMessages::Message {
  std::string module, type, category, node, text;
  Names objects;
  std::int64_t kind = 10, level = 6;
};

std::vector<RowView> rows_of(Batch& batch, std::uint64_t arrival) {
  std::vector<RowView> rows;
  auto* at = const_cast<std::byte*>(batch.bytes().data());  // rows get their arrivals in the batch, as in a store
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    rows.push_back({at});
    set_arrival(at, arrival + i);
    at += rows.back().bytes();
  }
  return rows;
}

std::uint64_t SiteMessages::skew(std::uint64_t n) {
  const double x = static_cast<double>(random_() >> 11) * 0x1p-53;
  return static_cast<std::uint64_t>(x * x * x * static_cast<double>(n));
}

std::string SiteMessages::hex(std::size_t digits) {
  std::string text;
  for (std::size_t i = 0; i < digits; ++i) text += "0123456789abcdef"[below(16)];
  return text;
}

std::string SiteMessages::uuid() { return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-a" + hex(3) + "-" + hex(12); }

std::string SiteMessages::address(std::uint64_t k) {
  return "10." + number(k % 3 + 1) + "." + number(k / 3 % 250) + "." + number(k / 750 % 250 + 1);
}

std::string SiteMessages::outside() {
  const std::uint64_t k = skew(60'000);
  return number(k % 200 + 11) + "." + number(k / 7 % 251) + "." + number(k / 31 % 253) + "." + number(k % 254);
}

void SiteMessages::daemon(Message& m) {
  m.type = "Syslog";
  const std::string& user = kUsers[skew(kUsers.size())];
  const std::string port = number(1024 + below(64'000));
  switch (below(8)) {
    case 0:
      m.module = "sshd", m.category = "auth", m.level = 4;
      m.text = "Failed password for " + std::string(below(2) != 0 ? "invalid user " : "") + user + " from " +
               outside() + " port " + port + " ssh2";
      break;
    case 1:
      m.module = "sshd", m.category = "auth";
      m.text = "Accepted publickey for " + user + " from " + address(skew(4000)) + " port " + port +
               " ssh2: RSA SHA256:" + hex(43);
      break;
    case 2:
      m.module = "sshd", m.category = "auth";
      m.text = "pam_unix(sshd:session): session opened for user " + user + "(uid=" + number(1000 + below(15)) +
               ") by (uid=0)";
      break;
    case 3:
      m.module = "kernel", m.category = "kern", m.level = below(20) != 0 ? 6 : 3;
      m.text = "[" + number(below(2'000'000)) + "." + padded(below(1'000'000), 6) +
               "] [UFW BLOCK] IN=eth0 OUT= MAC=52:54:00:12:34:56:00:50:56:aa:bb:cc:08:00 SRC=" + outside() +
               " DST=" + address(skew(40)) + " LEN=" + number(40 + below(20)) +
               " TOS=0x00 TTL=" + number(30 + below(80)) + " ID=" + number(below(65'536)) +
               " PROTO=TCP SPT=" + number(below(65'536)) + " WINDOW=" + number(1024 * below(64)) + " SYN URGP=0";
      break;
    case 4:
      m.module = "CRON", m.category = "cron";
      m.text = "(" + user + ") CMD (   cd / && run-parts --report /etc/cron." +
               Names{"hourly", "daily", "weekly"}[below(3)] + ")";
      break;
    case 5:
      m.module = "systemd", m.category = "daemon";
      m.text = Names{"Started", "Stopping", "Starting", "Finished"}[below(4)] + " " + kUnits[skew(kUnits.size())] +
               ": " + Names{"Deactivated successfully.", "Consumed 1.024s CPU time."}[below(2)];
      break;
    default:
      m.module = "postfix/smtpd", m.category = "mail";
      m.text = hex(10) + ": to=<" + user + number(skew(9000)) + "@example.com>, relay=mx" + number(below(4)) +
               ".example.com[" + outside() + "]:25, delay=" + number(skew(60)) + "." + number(below(10)) +
               ", dsn=2.0.0, status=" + (below(9) != 0 ? "sent (250 OK)" : "deferred (connection timed out)");
  }
}

void SiteMessages::web(Message& m) {
  m.module = "nginx", m.type = "Access", m.category = "local7";
  m.text = outside() + " - " + (below(3) != 0 ? "-" : kUsers[skew(kUsers.size())]) + " \"" +
           (below(5) != 0 ? "GET " : "POST ") + kPaths[skew(kPaths.size())] + "/" + number(skew(100'000)) +
           "?page=" + number(skew(50)) + " HTTP/1.1\" " + Names{"200", "200", "304", "404", "500"}[below(5)] + " " +
           number(skew(90'000)) + " \"-\" \"" + kAgents[skew(kAgents.size())] + "\" rt=0." + padded(skew(999), 3) +
           " req=" + hex(32);
}

void SiteMessages::application(Message& m) {
  const std::string& service = kServices[skew(kServices.size())];
  m.module = service, m.category = "app";
  if (below(5) == 0) {
    m.type = "JavaError", m.level = 3;
    m.text = "ERROR [http-nio-8080-exec-" + number(below(200)) + "] c.e." + service + " - request " + uuid() +
             " failed\n" + kErrors[skew(kErrors.size())];
    for (std::uint64_t i = 4 + below(8); i > 0; --i)
      m.text += "\n\tat " + kFrames[skew(kFrames.size())] + "(" + service + ".java:" + number(skew(900)) + ")";
    return;
  }
  if (below(5) == 0) {
    m.module = "postgres", m.type = "SlowQuery", m.category = "local0", m.level = 5;
    m.text = "duration: " + number(skew(20'000)) + "." + padded(below(1000), 3) +
             " ms  statement: SELECT id, state, total FROM " + service +
             " WHERE customer_id = " + number(skew(3'000'000)) + " AND created_at > '2026-" + padded(1 + below(12), 2) +
             "-" + padded(1 + below(28), 2) + "' ORDER BY created_at DESC LIMIT 10";
    return;
  }
  const std::string& event = kEvents[skew(kEvents.size())];
  m.type = "AppLog", m.level = event[0] == 'd' ? 3 : below(3) != 0 ? 6 : 7;
  m.text = R"({"level":")" +
           std::string(m.level == 3   ? "error"
                       : m.level == 6 ? "info"
                                      : "debug") +
           R"(","service":")" + service + R"(","event":")" + event + R"(","user_id":)" + number(skew(2'000'000)) +
           R"(,"path":")" + kPaths[skew(kPaths.size())] + "/" + number(skew(100'000)) + R"(","duration_ms":)" +
           number(skew(3000)) + "." + padded(below(100), 2) + R"(,"trace_id":")" + hex(32) + R"(","span_id":")" +
           hex(16) + R"(","pod":")" + service + "-7d9f8b6c5-" + number(below(12)) + "\"}";
  if (below(2) != 0) m.objects.push_back("ServiceTable:" + service + ":" + number(below(12)));
}

void SiteMessages::contrail(Message& m) {
  const std::string network = "default-domain:proj-" + number(skew(40)) + ":vn-" + number(skew(300));
  m.node = "Control", m.category = "default";
  switch (below(4)) {
    case 0:
      m.module = "contrail-control", m.kind = 1,
      m.type = Names{"BgpPeerStateLog", "XmppSessionLog", "IFMapServerLog"}[below(3)];
      m.text = "<" + m.type + " type=\"sandesh\"><peer type=\"string\" identifier=\"1\">" + address(skew(900)) +
               ":bgp:" + address(skew(900)) + "</peer><state>" + Names{"Established", "Idle", "Active"}[below(3)] +
               "</state><flaps type=\"u32\" identifier=\"4\">" + number(skew(40)) + "</flaps></" + m.type + ">";
      m.objects = {"ObjectBgpPeer:" + address(skew(900))};
      break;
    case 1: {
      std::mt19937_64 keep(skew(20'000));
      std::swap(keep, random_);  // one of 20,000 machines, again and again
      const std::string machine = uuid();
      std::swap(keep, random_);
      m.module = "contrail-vrouter-agent", m.kind = 7, m.node = "Compute",
      m.type = below(2) != 0 ? "VnObjectLog" : "VmObjectLog";
      m.text = "<" + m.type + " type=\"sandesh\"><name type=\"string\" identifier=\"1\" key=\"ObjectVNTable\">" +
               network + "</name><vm type=\"string\" identifier=\"2\" key=\"ObjectVMTable\">" + machine +
               "</vm><action>" + Names{"Add", "Change", "Delete"}[below(3)] + "</action></" + m.type + ">";
      m.objects = {"ObjectVNTable:" + network, "ObjectVMTable:" + machine};
      break;
    }
    case 2:
      m.module = "contrail-vrouter-agent", m.kind = 6, m.node = "Compute", m.category = "",
      m.type = "UveVirtualNetworkAgentTrace", m.level = 2'147'483'647;
      m.text =
          "<UveVirtualNetworkAgentTrace type=\"sandesh\"><name type=\"string\" identifier=\"1\" "
          "key=\"ObjectVNTable\">" +
          network + "</name><in_bytes type=\"u64\" identifier=\"7\">" + number(skew(1ULL << 40)) +
          "</in_bytes><out_bytes type=\"u64\" identifier=\"8\">" + number(skew(1ULL << 40)) +
          "</out_bytes><flow_count type=\"u32\" identifier=\"9\">" + number(skew(900)) +
          "</flow_count></UveVirtualNetworkAgentTrace>";
      m.objects = {"ObjectVNTable:" + network};
      break;
    default:
      m.module = "contrail-api", m.kind = 7, m.node = "Config", m.type = "VncApiConfigLog", m.level = 5;
      m.text = "<VncApiConfigLog type=\"sandesh\"><identifier_uuid type=\"string\" identifier=\"1\">" + uuid() +
               "</identifier_uuid><identifier_name key=\"ConfigObjectTable\">" + network +
               "</identifier_name><operation>" + Names{"put", "post", "get", "delete"}[below(4)] +
               "</operation><user key=\"ConfigObjectTableByUser\">" + kUsers[skew(kUsers.size())] +
               "</user></VncApiConfigLog>";
      m.objects = {"ConfigObjectTable:virtual-network:" + network,
                   "ConfigObjectTableByUser:" + kUsers[skew(kUsers.size())]};
  }
}

void SiteMessages::fill(Message& m) {
  const std::uint64_t r = below(100);
  if (r < 33) return daemon(m);
  if (r < 52) return web(m);
  if (r < 78) return application(m);
  contrail(m);
}

void SiteMessages::make(std::size_t count, std::int64_t start_us, std::int64_t span_us, Batch& out) {
  Builder builder(out);
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < count; ++i)
    times.push_back(start_us + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(span_us))));
  std::ranges::sort(times);
  for (const std::int64_t time : times) {
    Message m;
    fill(m);
    const std::uint64_t host = skew(40);
    const std::string source = (m.node.empty() ? "web" : m.node == "Compute" ? "compute" : "ctrl") + padded(host, 2);
    const std::string ip = address(host);
    builder.start();
    bool ok = builder.set(Column::source, source) && builder.set(Column::module, m.module) &&
              builder.set(Column::type, m.type) && builder.set(Column::ip, ip) && builder.set(Column::text, m.text) &&
              (m.category.empty() || builder.set(Column::category, m.category));
    builder.set(Column::kind, m.kind);
    builder.set(Column::level, m.level);
    builder.set(Column::pid, static_cast<std::int64_t>(300 + (host * 131 + m.module.size() * 977) % 32'000));
    if (!m.node.empty()) {
      ok = ok && builder.set(Column::node_type, m.node) && builder.set(Column::instance, "0");
      builder.set(Column::sequence, ++sequences_[host]);
      json_bytes_ += 52;
    }
    for (const std::string& object : m.objects) ok = ok && builder.add_object(object), json_bytes_ += object.size() + 5;
    check(ok, "messages within the limits");
    builder.finish(time);
    json_bytes_ += 150 + source.size() + m.module.size() + m.type.size() + m.category.size() + ip.size() +
                   m.text.size() + static_cast<std::size_t>(std::ranges::count_if(m.text, [](char c) {
                     return c == '"' || c == '\n' || c == '\t';
                   }));
  }
}

void add_random_message(std::mt19937_64& random, std::int64_t time_us, Batch& out, bool has_nanos) {
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  const auto one_in = [&below](std::uint64_t n) { return below(n) == 0; };
  static const Names kWords{"alpha",
                            "Alpha",
                            "be_ta",
                            "dead",
                            "DEAD",
                            "face1",
                            "x",
                            "17",
                            "017",
                            "0",
                            "4294967296",
                            "a1b2",
                            "12345678901234567890",
                            "\xc3\xa4gypten",
                            "\xff\xfe",
                            "-",
                            "/",
                            "<b>",
                            "\"q\"",
                            "",
                            "web7",
                            "add"};
  std::deque<std::string> kept;
  const auto word = [&]() -> const std::string& { return kWords[below(kWords.size())]; };
  const auto phrase = [&]() -> const std::string& {
    std::string& text = kept.emplace_back();
    for (std::uint64_t n = below(6); n > 0; --n)
      text += word() + Names{" ", ":", "", "\n", std::string(1, '\0')}[below(40) == 0 ? 4 : below(4)];
    return text;
  };
  const auto sentence = [&]() -> const std::string& {  // few templates
    return kept.emplace_back(Names{"took ", "Took ", "sent "}[below(3)] + number(below(3) * 1000 + below(5)) +
                             " ms by " + Names{"web", "db"}[below(2)] + padded(below(20), 2) +
                             " id=" + padded(below(256), 3));
  };
  Builder builder(out);
  builder.start();
  bool ok = true;
  for (const Column c : {Column::source, Column::module, Column::type, Column::node_type, Column::instance,
                         Column::category, Column::ip}) {
    if (!one_in(3)) ok = ok && builder.set(c, one_in(4) ? phrase() : word());
  }
  if (!one_in(4)) builder.set(Column::level, static_cast<std::int64_t>(below(8)));
  if (!one_in(4)) builder.set(Column::kind, static_cast<std::int64_t>(below(13)));
  if (!one_in(4))
    builder.set(Column::pid, one_in(9) ? static_cast<std::int64_t>(random()) : static_cast<std::int64_t>(below(40)));
  if (!one_in(4)) builder.set(Column::sequence, static_cast<std::int64_t>(random()));
  for (std::uint64_t n = one_in(2) ? 0 : below(4); n > 0; --n) {
    ok = ok && builder.add_object(kept.emplace_back(Names{"VN", "VNTable", "VM"}[below(3)] + ":" +
                                                    Names{"a:b", "a", "\xff\xff", "c d"}[below(4)]));
  }
  if (!one_in(6)) ok = ok && builder.set(Column::text, one_in(2) ? sentence() : phrase());
  if (one_in(3)) {
    std::array<char, kIdBytes> id{};
    id[0] = static_cast<char>(below(4));
    builder.set_id(id);
  }
  for (std::uint64_t n = one_in(2) ? 0 : below(5); n > 0; --n) {
    const std::string& name =
        one_in(10) ? phrase() : kept.emplace_back(Names{"user", "tries", "ok", "ratio"}[below(4)]);
    const auto form = static_cast<FieldForm>(below(4));
    const std::string& value = one_in(2) ? word() : kept.emplace_back(Names{"1", "2.5", "-3", "1e3", "true"}[below(5)]);
    if (!name.empty()) ok = ok && builder.add_field(name, form, value);
  }
  check(ok, "messages within the limits");
  const unsigned nanos = one_in(3) && has_nanos ? static_cast<unsigned>(below(1000)) : 0;
  if (builder.has(Column::id) || one_in(2)) return builder.finish(time_us, nanos);
  builder.finish_with_computed_id(time_us, nanos);
}

}  // namespace varve::message::block::testing
