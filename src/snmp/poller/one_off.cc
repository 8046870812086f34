// SPDX-License-Identifier: Apache-2.0
// A poll that a person asked for: all names as they would be stored, and nothing stored.
#include "snmp/poller/one_off.h"

#include <algorithm>
#include <utility>

#include "snmp/inventory/utf8_text.h"

namespace varve::snmp::poller {
namespace {

using inventory::PolledObject;
using inventory::PolledSet;

std::string oid_text(const walk::ArcVector& oid, const std::vector<std::uint32_t>& index) {
  std::string out;
  for (const session::Arc arc : oid) out += (out.empty() ? "" : ".") + std::to_string(arc);
  for (const std::uint32_t arc : index) out += "." + std::to_string(arc);
  return out;
}

// A counter that is beyond a signed number is shown as it is.
std::variant<std::int64_t, std::uint64_t, double, std::string> shown(std::int64_t value) {
  if (value < 0) return static_cast<std::uint64_t>(value);
  return value;
}

void add_records(const walk::Plan& plan, const correlation::Found& found, PolledSet& out) {
  std::size_t record_number = 0;
  found.records.for_each([&](const correlation::RecordView& record) {
    const auto& oids = found.oids[record_number++];
    const auto metrics = correlation::texts_of(record.metrics);
    const auto tags = correlation::tags_of(record.tags);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      PolledObject object;
      object.metric = metrics[i];
      for (const auto& tag : tags) object.tags.emplace_back(tag.key, tag.value);
      object.oid = oids[i];
      object.time = record.head.at;
      const inventory::Object* const known = plan.oidset.find(metrics[i].substr(5));  // behind "snmp."
      const bool is_signed = known != nullptr && known->type == inventory::ObjectType::integer32;
      if (is_signed) {
        object.value = record.values[i];
      } else {
        object.value = shown(record.values[i]);
      }
      out.objects.push_back(std::move(object));
    }
  });
}

// Rows that are kept as history have the names of objects, and no metric.
void add_history(const walk::Plan& plan, const correlation::Found& found, PolledSet& out) {
  for (const inventory::WalkedRow& row : found.history) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      if (std::holds_alternative<std::monostate>(row.values[i])) continue;
      PolledObject object;
      object.metric = plan.oidset.objects[i].name;
      const auto& layouts = plan.correlator.layouts;
      if (!row.name.empty() && !layouts.empty()) object.tags = {{layouts[0].tags[0].name, row.name}};
      const auto& oid = plan.oidset.objects[i].oid;
      object.oid = oid_text({oid.begin(), oid.end()}, row.index);
      object.time = found.first_ms;
      if (const auto* const number = std::get_if<std::int64_t>(&row.values[i])) object.value = *number;
      if (const auto* const text = std::get_if<std::string>(&row.values[i])) {
        object.value = inventory::utf8_text(*text, correlation::kTagBytesMax);
      }
      out.objects.push_back(std::move(object));
    }
  }
}

}  // namespace

void Worker::poll_once(const DeviceKey& device, const Member& member, SetsDone done) {
  std::erase_if(one_offs_, [](const auto& one) { return one->is_over; });
  auto made = std::make_unique<OneOff>();
  OneOff& one_off = *made;
  one_off.device = device;
  one_off.member = member;
  one_off.done = std::move(done);
  one_off.began_ns = parts_.clock.steady_ns();
  const auto secret = credentials_.find(device.first, member.credential);
  if (!secret) return one_off.done(fail(Code::invalid, secret.error().message));
  one_off.secret = *secret;
  one_offs_.push_back(std::move(made));
  if (const auto peer = session::peer_of_address(member.address.host, member.address.port)) {
    return begin_one_off(one_off, *peer);
  }
  // The resolver ends before the worker does.
  const bool posted = parts_.names.post(member.address, [this, of = &one_off, self = self_](const auto& peer) {
    post([of, self, peer] {
      if (*self != nullptr) (*self)->begin_one_off(*of, peer);
    });
  });
  if (posted) return;
  one_off.is_over = true;
  one_off.done(fail(Code::unavailable, "too many names are looked up"));
}

void Worker::begin_one_off(OneOff& one_off, const Result<session::Peer>& peer) {
  if (!peer || !credentials_.may_go_to(one_off.device.first, one_off.member.credential, *peer)) {
    return after(options_.timeout_ms * (options_.retries + 1),
                 [this, of = &one_off] { finish_silent(*of, std::string(to_text(walk::Fault::timeout))); });
  }
  auto session = loop_.open({*peer, one_off.secret});
  if (!session) {
    one_off.is_over = true;
    return one_off.done(fail(Code::unavailable, session.error().message));
  }
  one_off.session = std::move(*session);
  one_off.poll = std::make_unique<Poll>(scratch_, [this, &one_off](Poll& poll, const PollEnd& end) {
    add_set(one_off, poll.found(), end);
    // Not from here: the poll that calls is to be used again.
    post([this, of = &one_off, self = self_, end] {
      if (*self == nullptr) return;
      end.answered ? next_of(*of) : finish_silent(*of, end.error);
    });
  });
  next_of(one_off);
}

void Worker::add_set(OneOff& one_off, correlation::Found& found, const PollEnd& end) {
  const walk::Plan& plan = *one_off.member.plans[one_off.next++];
  PolledSet set;
  set.oidset = plan.oidset.name;
  add_records(plan, found, set);
  add_history(plan, found, set);
  set.reports = found.left_out();
  set.error = end.error;
  set.seconds = static_cast<double>(parts_.clock.steady_ns() - one_off.began_ns) * 1e-9;
  one_off.sets.push_back(std::move(set));
}

void Worker::next_of(OneOff& one_off) {
  if (one_off.next == one_off.member.plans.size()) return finish_one_off(one_off);
  one_off.memory = {};
  one_off.began_ns = parts_.clock.steady_ns();
  one_off.poll->start({.plan = one_off.member.plans[one_off.next],
                       .device = one_off.device.second,
                       .session = one_off.session.get(),
                       .version = one_off.secret->credential.version,
                       .tries = options_.retries + 1,
                       .memory = &one_off.memory,
                       .finder = &one_off.finder,
                       .explains = true});
}

void Worker::finish_silent(OneOff& one_off, const std::string& error) {
  for (; one_off.next < one_off.member.plans.size(); ++one_off.next) {
    PolledSet set;
    set.oidset = one_off.member.plans[one_off.next]->oidset.name;
    set.error = error;
    set.seconds = static_cast<double>(parts_.clock.steady_ns() - one_off.began_ns) * 1e-9;
    one_off.sets.push_back(std::move(set));
  }
  finish_one_off(one_off);
}

void Worker::finish_one_off(OneOff& one_off) {
  one_off.is_over = true;
  one_off.session.reset();
  one_off.done(std::move(one_off.sets));
}

}  // namespace varve::snmp::poller
