// SPDX-License-Identifier: Apache-2.0
// varve-snmp-loop PORT DEVICES IN_FLIGHT SECONDS: what libsnmp alone costs. One thread with one session a device (the
// community dev-N) walks ten counter columns by GETBULK, as fast as it can, and keeps nothing.
#include <fmt/format.h>
#include <net-snmp/net-snmp-config.h>
//
#include <net-snmp/net-snmp-includes.h>
//
#include <net-snmp/library/large_fd_set.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Column {
  std::array<oid, 12> name;  // with room for the row
  std::size_t length;
};

constexpr int kRepetitions = 5;  // of ten columns: about what fits into an answer of 1400 bytes
constexpr Column kColumns[] = {
    {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6}, 11}, {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10}, 11},
    {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 7}, 11}, {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 11}, 11},
    {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 8}, 11}, {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 12}, 11},
    {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 9}, 11}, {{1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 13}, 11},
    {{1, 3, 6, 1, 2, 1, 2, 2, 1, 14}, 10},    {{1, 3, 6, 1, 2, 1, 2, 2, 1, 20}, 10},
};

struct Session {
  void* handle = nullptr;
  int fd = -1;
  oid row = 0;  // the last one of the first column; 0: the walk begins
};

std::uint64_t objects = 0, timeouts = 0, sum = 0;
bool ending = false;
std::deque<Session*> idle;  // those that wait for their turn

double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

int answered(int operation, netsnmp_session* session, int id, netsnmp_pdu* pdu, void* magic);

void ask(Session& session) {
  netsnmp_pdu* pdu = snmp_pdu_create(SNMP_MSG_GETBULK);
  pdu->non_repeaters = 0;
  pdu->max_repetitions = kRepetitions;
  for (Column column : kColumns) {
    column.name[column.length] = session.row;
    snmp_add_null_var(pdu, column.name.data(), column.length + (session.row == 0 ? 0 : 1));
  }
  if (snmp_sess_async_send(session.handle, pdu, answered, &session) == 0) {
    snmp_free_pdu(pdu);
    throw std::runtime_error("a request could not be sent");
  }
}

// The walk of the next device, when this one's is over.
void next_device(Session& session) {
  session.row = 0;
  idle.push_back(&session);
  Session& next = *idle.front();
  idle.pop_front();
  ask(next);
}

// Takes what is of these columns; whether the walk goes on.
bool take(Session& session, const netsnmp_pdu& pdu) {
  bool goes_on = pdu.errstat == SNMP_ERR_NOERROR && pdu.variables != nullptr;
  std::size_t at = 0;
  for (const auto* value = pdu.variables; value != nullptr; value = value->next_variable, ++at) {
    const Column& column = kColumns[at % std::size(kColumns)];
    if (value->name_length != column.length + 1 ||
        snmp_oid_compare(value->name, column.length, column.name.data(), column.length) != 0) {
      goes_on &= at % std::size(kColumns) != 0;
      continue;
    }
    if (value->type == ASN_COUNTER64) {
      sum += value->val.counter64->high + value->val.counter64->low;
    } else if (value->type == ASN_COUNTER) {
      sum += static_cast<std::uint64_t>(*value->val.integer);
    }
    ++objects;
    if (at % std::size(kColumns) == 0) session.row = value->name[column.length];
  }
  return goes_on;
}

int answered(int operation, netsnmp_session* /*session*/, int /*id*/, netsnmp_pdu* pdu, void* magic) {
  auto& session = *static_cast<Session*>(magic);
  if (operation == NETSNMP_CALLBACK_OP_TIMED_OUT) ++timeouts;
  if (operation != NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE && operation != NETSNMP_CALLBACK_OP_TIMED_OUT) return 1;
  if (ending) return 1;
  if (operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE && take(session, *pdu)) {
    ask(session);
  } else {
    next_device(session);
  }
  return 1;
}

void start_library() {
  setenv("MIBS", "", 1);
  for (const int off : {NETSNMP_DS_LIB_DONT_PERSIST_STATE, NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD,
                        NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE, NETSNMP_DS_LIB_DONT_READ_CONFIGS}) {
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, off, 1);
  }
  init_snmp("varve-snmp-loop");
}

void open(Session& session, int number, const std::string& port, int poller) {
  std::string peer = "udp:127.0.0.1:" + port, community = fmt::format("dev-{}", number);
  netsnmp_session wanted;
  snmp_sess_init(&wanted);
  wanted.version = SNMP_VERSION_2c;
  wanted.peername = peer.data();
  wanted.community = reinterpret_cast<u_char*>(community.data());
  wanted.community_len = community.size();
  wanted.timeout = 2'000'000;
  wanted.retries = 2;
  session.handle = snmp_sess_open(&wanted);
  if (session.handle == nullptr) throw std::runtime_error("a session could not be opened");
  session.fd = static_cast<int>(snmp_sess_transport(session.handle)->sock);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = &session;
  epoll_ctl(poller, EPOLL_CTL_ADD, session.fd, &event);
}

void run(const std::string& port, int devices, int in_flight, double seconds) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;  // a descriptor each
  setrlimit(RLIMIT_NOFILE, &files);
  start_library();
  const int poller = epoll_create1(0);
  std::vector<Session> sessions(static_cast<std::size_t>(devices));
  for (int i = 0; i < devices; ++i) open(sessions[static_cast<std::size_t>(i)], i, port, poller);
  const double begin = monotonic_s(), cpu = cpu_s();
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (i < static_cast<std::size_t>(in_flight)) {
      ask(sessions[i]);
    } else {
      idle.push_back(&sessions[i]);
    }
  }
  netsnmp_large_fd_set ready;
  netsnmp_large_fd_set_init(&ready, devices + 64);
  double looked = begin;
  while (monotonic_s() - begin < seconds) {
    std::array<epoll_event, 256> events{};
    const int count = epoll_wait(poller, events.data(), static_cast<int>(events.size()), 10);
    for (int i = 0; i < count; ++i) {
      const auto& session = *static_cast<Session*>(events[static_cast<std::size_t>(i)].data.ptr);
      NETSNMP_LARGE_FD_ZERO(&ready);
      NETSNMP_LARGE_FD_SET(session.fd, &ready);
      snmp_sess_read2(session.handle, &ready);
    }
    if (monotonic_s() - looked > 0.5) {
      looked = monotonic_s();
      for (const Session& session : sessions) snmp_sess_timeout(session.handle);
    }
  }
  ending = true;
  fmt::print("{{\"objects\":{},\"seconds\":{:.3f},\"cpu_s\":{:.3f},\"timeouts\":{},\"sum\":{}}}\n", objects,
             monotonic_s() - begin, cpu_s() - cpu, timeouts, sum);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "varve-snmp-loop PORT DEVICES IN_FLIGHT SECONDS\n");
    return 2;
  }
  try {
    run(argv[1], std::stoi(argv[2]), std::stoi(argv[3]), std::stod(argv[4]));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "varve-snmp-loop: {}\n", error.what());
    return 1;
  }
}
