// SPDX-License-Identifier: Apache-2.0
#include "tools/load/log_kinds.h"

#include <array>

namespace varve::load {
namespace {

constexpr std::array kKinds = {
    LogKind{90, "sshd", "Syslog", "auth", "", 10, 6, "Failed password for {user} from {out} port {u:64000} ssh2", {}},
    LogKind{30,
            "sshd",
            "Syslog",
            "auth",
            "",
            10,
            6,
            "Accepted publickey for {user} from {in} port {u:64000} ssh2: ED25519 SHA256:{x:43}",
            {}},
    LogKind{40,
            "kernel",
            "Syslog",
            "kern",
            "",
            10,
            4,
            "[{n:9000000}.{u:999999}] TCP: request_sock_TCP: Possible SYN flooding on port {n:9000}. Sending cookies.",
            {}},
    LogKind{40,
            "kernel",
            "Syslog",
            "kern",
            "",
            10,
            6,
            "[{n:9000000}.{u:999999}] eth{n:8}: link {updown}, 10 Gbps, full duplex, flow control {updown}",
            {}},
    LogKind{40,
            "CRON",
            "Syslog",
            "cron",
            "",
            10,
            6,
            "({user}) CMD (/usr/lib/site/{job} --shard {n:64} > /dev/null 2>&1)",
            {}},
    LogKind{60,
            "systemd",
            "Syslog",
            "daemon",
            "",
            10,
            6,
            "{unit}: Scheduled restart job, restart counter is at {n:400}.",
            {}},
    LogKind{40,
            "systemd",
            "Syslog",
            "daemon",
            "",
            10,
            5,
            "{unit}: Deactivated successfully. Consumed {n:90}.{u:999}s CPU time.",
            {}},
    LogKind{60,
            "postfix/smtp",
            "Syslog",
            "mail",
            "",
            10,
            6,
            "{x:10}: to=<{user}@example.com>, relay=mx{n:9}.example.com[{out}]:25, delay={n:30}.{u:99}, dsn=2.0.0, "
            "status=sent (250 2.0.0 OK {u:999999999} {x:12})",
            {}},
    LogKind{180,
            "nginx",
            "Access",
            "local7",
            "",
            10,
            6,
            "{out} - - \"GET {path}/{n:100000}?page={n:50} HTTP/1.1\" {status} {n:90000} \"-\" \"{agent}\" "
            "rt=0.{n:999} uct=0.{n:99} upstream={in}:{n:9000} req={x:32}",
            {}},
    LogKind{120,
            "",
            "AppLog",
            "app",
            "",
            10,
            6,
            "{\"level\":\"info\",\"service\":\"{svc}\",\"event\":\"{event}\",\"user_id\":{n:2000000},\"path\":\"{path}/"
            "{n:100000}\",\"status\":{status},\"duration_ms\":{n:3000}.{u:99},\"trace_id\":\"{x:32}\",\"span_id\":\"{x:"
            "16}\",\"pod\":\"{svc}-7d9f8b6c5-{n:12}\"}",
            {"ServiceTable:{svc}"}},
    LogKind{12,
            "",
            "AppLog",
            "app",
            "",
            10,
            3,
            "{\"level\":\"error\",\"service\":\"{svc}\",\"event\":\"db pool "
            "exhausted\",\"waited_ms\":{n:30000},\"trace_id\":\"{x:32}\",\"span_id\":\"{x:16}\",\"pod\":\"{svc}-"
            "7d9f8b6c5-{n:12}\"}",
            {"ServiceTable:{svc}"}},
    LogKind{48,
            "",
            "AppLog",
            "app",
            "",
            10,
            7,
            "{\"level\":\"debug\",\"service\":\"{svc}\",\"event\":\"cache "
            "miss\",\"logger\":\"com.example.cache.TieredCache\",\"thread\":\"worker-{n:64}\",\"key\":\"{svc}:{x:16}\","
            "\"span_id\":\"{x:16}\"}",
            {}},
    LogKind{40,
            "",
            "JavaError",
            "app",
            "",
            10,
            3,
            "ERROR [http-nio-8080-exec-{n:200}] c.e.{svc} - request {id} failed\n{error}\n\tat "
            "{frame}(Service.java:{n:900})\n\tat {frame}(Handler.java:{n:900})\n\tat {frame}(Pool.java:{n:400})\n\tat "
            "{frame}(Channel.java:{n:1200})\n\tat {frame}(Worker.java:{n:900})\n\tat {frame}(Loop.java:{n:600})\n\tat "
            "java.lang.Thread.run(Thread.java:833)",
            {}},
    LogKind{40,
            "postgres",
            "SlowQuery",
            "local0",
            "",
            10,
            5,
            "duration: {n:20000}.{u:999} ms  statement: SELECT id, state, total FROM {table} WHERE customer_id = "
            "{n:3000000} ORDER BY created_at DESC LIMIT {n:100}",
            {}},
    LogKind{70,
            "control",
            "BgpPeerStateLog",
            "BGP",
            "Control",
            1,
            6,
            "<BgpPeerStateLog type=\"event\"><peer type=\"string\" identifier=\"1\">{peer}</peer><from type=\"string\" "
            "identifier=\"2\">{state}</from><to type=\"string\" identifier=\"3\">{state}</to><flaps type=\"u32\" "
            "identifier=\"4\">{n:40}</flaps><file type=\"string\" "
            "identifier=\"-32768\">control/bgp/state_machine.cc</file><line type=\"i32\" "
            "identifier=\"-32767\">{n:3000}</line></BgpPeerStateLog>",
            {"ObjectBgpPeer:{peer}"}},
    LogKind{60,
            "vrouter-agent",
            "VmObjectLog",
            "default",
            "Compute",
            7,
            6,
            "<VmObjectLog type=\"event\"><vn type=\"string\" identifier=\"1\" key=\"ObjectVNTable\">{vn}</vn><vm "
            "type=\"string\" identifier=\"2\" key=\"ObjectVMTable\">{vm}</vm><action type=\"string\" "
            "identifier=\"3\">{action}</action><vrf type=\"list\" identifier=\"4\"><list type=\"struct\" "
            "size=\"1\"><VrfEntry><name type=\"string\">{vn}</name><id "
            "type=\"u32\">{n:4000}</id></VrfEntry></list></vrf></VmObjectLog>",
            {"ObjectVNTable:{vn}", "ObjectVMTable:{vm}"}},
    LogKind{70,
            "vrouter-agent",
            "UveVirtualNetworkAgentTrace",
            "",
            "Compute",
            6,
            7,
            "<UveVirtualNetworkAgent type=\"uve\"><name type=\"string\" identifier=\"1\" "
            "key=\"ObjectVNTable\">{vn}</name><total_acl_rules type=\"u64\" "
            "identifier=\"2\">{n:30}</total_acl_rules><in_bytes type=\"u64\" "
            "identifier=\"7\">{n:99999999999}</in_bytes><out_bytes type=\"u64\" "
            "identifier=\"8\">{n:99999999999}</out_bytes><in_tpkts type=\"u64\" "
            "identifier=\"5\">{n:999999999}</in_tpkts><out_tpkts type=\"u64\" "
            "identifier=\"6\">{n:999999999}</out_tpkts><flow_count type=\"u64\" "
            "identifier=\"9\">{n:900}</flow_count></UveVirtualNetworkAgent>",
            {"ObjectVNTable:{vn}"}},
    LogKind{20,
            "api",
            "VncApiConfigLog",
            "default",
            "Config",
            7,
            5,
            "<VncApiConfigLog type=\"audit\"><identifier_uuid type=\"string\" "
            "identifier=\"1\">{id}</identifier_uuid><identifier_name type=\"string\" identifier=\"3\" "
            "key=\"ConfigObjectTable\">{thing}:{vn}</identifier_name><operation type=\"string\" "
            "identifier=\"5\">{verb}</operation><user type=\"string\" identifier=\"7\" "
            "key=\"ConfigObjectTableByUser\">{user}</user></VncApiConfigLog>",
            {"ConfigObjectTable:{thing}:{vn}", "ConfigObjectTableByUser:{user}"}},
};

struct Words {
  std::string_view name;
  std::span<const std::string_view> words;
};

using Text = std::string_view;
constexpr Text kUsers[] = {"root",  "admin", "deploy", "postgres", "git",   "jenkins",
                           "alice", "bob",   "carol",  "oracle",   "backup"};
constexpr Text kUpDown[] = {"up", "down"};
constexpr Text kJobs[] = {"rotate", "report", "sync-users", "expire", "index", "mail-digest"};
constexpr Text kUnits[] = {"cron.service",   "nginx.service",     "ssh.service",      "logrotate.service",
                           "docker.service", "collector.service", "user@1000.service"};
constexpr Text kPaths[] = {"/api/v2/orders", "/api/v2/users",  "/login",           "/static/app.js", "/api/v2/cart",
                           "/health",        "/api/v2/search", "/images/logo.png", "/api/v1/report", "/admin/settings"};
constexpr Text kStatuses[] = {"200", "200", "200", "200", "200", "304", "301", "404", "500"};
constexpr Text kAgents[] = {
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
    "curl/7.88.1", "kube-probe/1.28", "Go-http-client/1.1", "python-requests/2.31.0"};
constexpr Text kServices[] = {"orders", "payments", "search", "cart", "users", "mailer", "billing", "gateway"};
constexpr Text kEvents[] = {"request completed", "retrying after timeout", "token refreshed",
                            "order created",     "rate limited",           "message published"};
constexpr Text kErrors[] = {"java.net.SocketTimeoutException: Read timed out", "java.lang.NullPointerException",
                            "java.sql.SQLTransientConnectionException: no connection",
                            "java.lang.IllegalStateException: closed"};
constexpr Text kFrames[] = {"com.example.orders.OrderService.place", "com.example.db.Pool.acquire",
                            "com.example.http.Client.send",          "org.example.web.FrameworkServlet.service",
                            "com.example.billing.Invoice.close",     "io.example.channel.AbstractContext.invokeRead"};
constexpr Text kTables[] = {"orders", "users", "payments", "sessions", "events", "inventory"};
constexpr Text kStates[] = {"Established", "Idle", "OpenConfirm", "Active"};
constexpr Text kActions[] = {"Add", "Change", "Delete"};
constexpr Text kVerbs[] = {"put", "post", "get", "delete"};
constexpr Text kThings[] = {"virtual-network", "instance-ip", "virtual-machine-interface", "network-policy"};

constexpr std::array kWords = {
    Words{"user", kUsers},   Words{"updown", kUpDown},   Words{"job", kJobs},     Words{"unit", kUnits},
    Words{"path", kPaths},   Words{"status", kStatuses}, Words{"agent", kAgents}, Words{"svc", kServices},
    Words{"event", kEvents}, Words{"error", kErrors},    Words{"frame", kFrames}, Words{"table", kTables},
    Words{"state", kStates}, Words{"action", kActions},  Words{"verb", kVerbs},   Words{"thing", kThings}};

}  // namespace

std::span<const LogKind> log_kinds() { return kKinds; }

std::span<const std::string_view> log_words(std::string_view name) {
  for (const auto& list : kWords) {
    if (list.name == name) {
      return list.words;
    }
  }
  return {};
}

}  // namespace varve::load
