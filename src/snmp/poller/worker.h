// SPDX-License-Identifier: Apache-2.0
// Worker: what the poller's thread does: sessions, the schedule, polls under way, silent devices, traps. It blocks
// nowhere but in the loop's wait: names are resolved, rows stored and histories kept elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "base/task_pool.h"
#include "snmp/inventory/device_status.h"
#include "snmp/inventory/engine_store.h"
#include "snmp/poller/acknowledgements.h"
#include "snmp/poller/credential_map.h"
#include "snmp/poller/device.h"
#include "snmp/poller/outbox.h"
#include "snmp/poller/resolver.h"
#include "snmp/poller/trap_counters.h"
#include "snmp/schedule/schedule.h"
#include "write/writer.h"

namespace varve::snmp::poller {

struct PollerOptions {
  std::int64_t timeout_ms = 2000;
  unsigned retries = 2;
  std::int64_t backoff_max_ms = 60'000;
  std::size_t buffer_bytes = std::size_t{64} << 20;
  std::optional<session::Peer> traps = {};  // the address to hear them at; nullopt: nowhere
};

// A walk of a set that is kept as history; called on a thread that may block.
using RecordHistory =
    std::function<void(const std::string& tenant, const std::string& device, const inventory::Oidset& oidset,
                       model::Timestamp time, const std::vector<inventory::WalkedRow>& rows)>;

// Takes a trap of a device, to be stored; does not block. `done` is called once, by any thread, perhaps from here: is
// it stored?
using TrapDone = std::function<void(bool is_stored)>;
using TakeTrap = std::function<void(const std::string& tenant, const std::string& device, const session::Peer& from,
                                    const session::TrapMessage& trap, TrapDone done)>;

struct WorkerParts {
  write::Writer& writer;
  const Clock& clock;
  Metrics& metrics;
  TaskPool& pool;  // writes histories
  Resolver& names;
  Outbox& outbox;
  std::function<void(const std::string& tenant, const std::string& device, inventory::DeviceStatus)> report;
  std::function<void(const std::string& tenant, const std::string& device)> forget;
  RecordHistory record_history;
  TakeTrap take_trap;                       // not set: traps are not stored
  counter::Declared::Source declared = {};  // what counters are judged by; not set: by their types alone
};

inline constexpr unsigned kPollsMax = 2000;  // under way, of all devices
inline constexpr unsigned kPollsOfDevice = 2;
inline constexpr std::int64_t kTrapPauseMs = 10'000;  // between two times that traps make a device's polls due

// For one thread, but for post() and counts().
class Worker {
 public:
  Worker(const PollerOptions& options, WorkerParts parts, session::Loop& loop);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Takes traps at this address, from the next turn on; before there are devices. Returns the port. Errors: those of
  // Loop::hear().
  Result<std::uint16_t> hear_traps(const session::Peer& at);

  // Has it run by the loop's thread. Any thread.
  void post(std::function<void()> work);
  // One round: what was posted, what is due, what came.
  void turn();

  // By the loop's thread:
  void close();  // ends all polls and sessions; the last of its calls
  void set_members(Members members);
  void set_credentials(inventory::Credentials credentials);
  // Who we are to those who send informs by v3; before, they are not taken. Once.
  void set_engine(const inventory::EngineStart& engine);
  // Polls a device of its own making, apart from the schedule, and stores nothing. `done` is called by this thread. A
  // name that has no address, and an address that the credential may not be sent to, look like an agent that does not
  // answer, also by the time that they take. Error: invalid (the tenant may not name this credential), unavailable.
  using SetsDone = std::function<void(Result<std::vector<inventory::PolledSet>>)>;
  void poll_once(const DeviceKey& device, const Member& member, SetsDone done);

  struct Counts {
    std::size_t up = 0, down = 0, unknown = 0;
  };
  [[nodiscard]] Counts counts() const;  // of devices; any thread
  // Of all devices, without their sessions.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct OneOff;
  // A device where it is asked: those of one address are together, and of these those of one credential.
  struct Place {
    session::HostBytes host = {};
    std::string credential = {};
    std::uint64_t number = 0;
    auto operator<=>(const Place&) const = default;
  };
  void add_device(const DeviceKey& key, Member member);
  void remove_device(Device& device);
  void set_plans(Device& device, const Member& member);
  void add_job(Device& device, std::shared_ptr<const walk::Plan> plan);
  void remove_job(Job& job);
  void run_posted();
  void take_due();
  void start_waiting();
  void queue(Job& job, model::Timestamp due_ms);
  void start(Job& job);
  void on_end(Poll& poll, const PollEnd& end);
  void store(Job& job, Poll& poll, const PollEnd& end, model::Timestamp now_ms);
  void tell_left_out(Job& job, const correlation::Found& found);
  void append(Device& device, model::GroupId& group, const char* metric, model::Timestamp at, double value,
              bool is_real);
  void count_interfaces(Device& device);
  void report(Device& device, model::Timestamp now_ms);
  void poll_all(Device& device);
  void release(Poll& poll);
  Poll& take_poll();

  // The address that a device is asked at.
  void set_peer(Device& device, const std::optional<session::Peer>& peer);
  void leave_place(const Device& device);
  // What is to be sent back at once.
  std::string on_trap(const session::Peer& from, std::string_view datagram);
  void take_trap(const std::vector<const Device*>& of, const session::Peer& from, const session::TrapMessage& trap);
  void hurry(Device& device);
  void ask_soon(Device& device);
  [[nodiscard]] std::int64_t first_pause_ms() const { return std::min(options_.timeout_ms, options_.backoff_max_ms); }

  // Errors: what keeps it from being asked. Sets device.session, unless its name must be resolved first, or it may not
  // be asked at this address: unavailable.
  Status open(Device& device);
  // Has it fail as late as if it had been asked and were silent. `detail` is for the log alone.
  void fail_later(Device& device, const std::string& detail);
  void after(std::int64_t wait_ms, std::function<void()> work);
  void run_later();
  void resolve(Device& device);
  void on_resolved(const DeviceKey& key, std::uint64_t number, const Result<session::Peer>& peer);
  void tell_state(Device& device, const char* what, const std::string& error);
  void on_failure(Device& device, const std::string& error, const std::string& detail = {});
  void knock_on_silent();
  void knock(Device& device);
  void on_knock(Device& device, const session::Answer& answer);
  void be_silent(Device& device);
  void set_state(Device& device, inventory::DeviceState state);
  Device* find(const DeviceKey& key, std::uint64_t number);
  void begin_one_off(OneOff& one_off, const Result<session::Peer>& peer);
  void next_of(OneOff& one_off);
  void add_set(OneOff& one_off, correlation::Found& found, const PollEnd& end);
  // None of the sets that are left is answered.
  void finish_silent(OneOff& one_off, const std::string& error);
  void finish_one_off(OneOff& one_off);

  const PollerOptions options_;
  WorkerParts parts_;
  session::Loop& loop_;
  std::shared_ptr<Worker*> self_;  // the worker, for those who may come when it is gone
  CredentialMap credentials_;
  schedule::Schedule schedule_;
  std::map<DeviceKey, std::unique_ptr<Device>> devices_;
  std::uint64_t devices_so_far_ = 0;
  bool hears_traps_ = false;
  std::map<Place, Device*> places_;  // only then: it takes 100 bytes of a device
  TrapCounters trap_counters_;
  std::unique_ptr<session::Engine> engine_;  // none: who we are is not known yet
  const std::shared_ptr<Acknowledgements> acknowledgements_;
  std::vector<Job*> jobs_;                             // by number
  std::deque<Job*> ready_;                             // wait for a poll
  std::set<std::pair<std::int64_t, Device*>> silent_;  // by when they are asked again, steady
  unsigned running_ = 0;
  walk::Scratch scratch_;
  std::vector<std::unique_ptr<Poll>> polls_;
  std::vector<Poll*> free_polls_;
  std::vector<std::unique_ptr<OneOff>> one_offs_;
  std::multimap<std::int64_t, std::function<void()>> later_;  // by when, steady
  correlation::Records own_records_;                          // snmp.up and the like, of one poll
  correlation::GroupName name_;

  std::array<std::atomic<std::size_t>, 3> counts_{};  // by DeviceState
  Mutex mutex_;
  std::vector<std::function<void()>> posted_ VARVE_GUARDED_BY(mutex_);

  Counter &ok_, &timeout_, &error_, &skipped_, &objects_, &unnamed_, &same_name_, &renumbered_;
  Histogram& lateness_;
  std::array<Counter*, counter::kWhyUnknown.size()> unknown_ = {};
};

}  // namespace varve::snmp::poller
