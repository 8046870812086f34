// SPDX-License-Identifier: Apache-2.0
#include "tools/load/snmp_agent.h"

#include <algorithm>
#include <charconv>

namespace varve::load {
namespace {

constexpr std::size_t kFrameBytes = 48;  // about the varbinds, but for the community

}  // namespace

SnmpAgent::SnmpAgent(const AgentOptions& options) : options_(options), devices_(options.devices), random_(1) {
  for (std::uint32_t i = 0; i < options.devices; ++i) {
    devices_[i].number = i;
    devices_[i].interfaces = options.interfaces;
    devices_[i].booted_ms = devices_[i].zero_ms = options.since_ms;
  }
}

Device* SnmpAgent::device_of(std::string_view community, std::uint32_t addressed) {
  std::uint32_t number = addressed;
  const auto dash = community.rfind('-');
  if (dash != std::string_view::npos) {
    std::uint32_t named = 0;
    const char* end = community.data() + community.size();
    const auto [stop, error] = std::from_chars(community.data() + dash + 1, end, named);
    if (error == std::errc{} && stop == end) number = named;
  }
  return number < devices_.size() ? &devices_[number] : nullptr;
}

Delivery SnmpAgent::answer(std::span<const std::uint8_t> datagram, std::uint32_t addressed, std::int64_t now_ms,
                           BerWriter& out) {
  if (!parse_snmp(datagram, request_)) return {};
  Device* device = device_of(request_.community, addressed);
  if (device == nullptr) return {};
  ++device->received;
  if (device->heard.size() < device->heard_max) {
    const char kind = request_.kind == BerTag::get ? 'g' : request_.kind == BerTag::get_next ? 'n' : 'b';
    device->heard.push_back({now_ms, kind, request_.names.size()});
  }
  const Lies& lies = device->lies;
  if (lies.silent || (lies.loss_permille > 0 && random_.next() % 1000 < lies.loss_permille)) return {};
  const auto version = static_cast<std::int64_t>(request_.version) ^ (lies.wrong == Wrong::version ? 1 : 0);
  SnmpAnswer frame(out);
  frame.begin(version, lies.wrong == Wrong::community ? "somebody else" : request_.community,
              lies.wrong == Wrong::kind ? BerTag::get : BerTag::response,
              lies.wrong == Wrong::id ? request_.id ^ 0x55 : request_.id);
  varbinds_ = found_ = 0;
  room_ = options_.bytes_max > kFrameBytes + request_.community.size()
              ? frame.varbinds_at() + options_.bytes_max - kFrameBytes - request_.community.size()
              : 0;
  if (request_.kind == BerTag::get) {
    answer_get(*device, now_ms, out, frame);
  } else {
    answer_next(*device, now_ms, out, frame);
  }
  // Of GETBULK the repetitions that fit are an answer; of the others nothing less than all.
  if (request_.kind != BerTag::get_bulk && out.size() > room_) {
    frame.drop_varbinds();
    frame.fail(SnmpError::too_big, 0);
    found_ = 0;
  }
  spoil(*device, frame);
  frame.end();
  out.truncate(out.size() - std::min<std::size_t>(lies.cut_bytes, out.size()));
  ++device->answered;
  device->objects += found_;
  return {1 + lies.duplicates, lies.delay_ms};
}

bool SnmpAgent::add(const std::optional<Place>& place, const Oid& asked, const Device& device, std::int64_t now_ms,
                    BerWriter& out) {
  ++varbinds_;
  if (place && device.lies.answer != Answers::missing) {
    tables_.write(*place, device, now_ms, out);
    ++found_;
    return true;
  }
  const auto varbind = out.open(BerTag::sequence);
  out.object(asked);
  out.empty(request_.version == SnmpVersion::v1                                      ? BerTag::null
            : request_.kind == BerTag::get || device.lies.answer == Answers::missing ? BerTag::no_such_object
                                                                                     : BerTag::end_of_view);
  out.close(varbind);
  return false;
}

void SnmpAgent::answer_get(const Device& device, std::int64_t now_ms, BerWriter& out, SnmpAnswer& frame) {
  const bool v1 = request_.version == SnmpVersion::v1;
  for (std::size_t i = 0; i < request_.names.size(); ++i) {
    const Oid& name = request_.names[i];
    if (!add(tables_.find(name, device, !v1), name, device, now_ms, out) && v1) {
      frame.fail(SnmpError::no_such_name, i + 1);
    }
  }
}

void SnmpAgent::answer_next(const Device& device, std::int64_t now_ms, BerWriter& out, SnmpAnswer& frame) {
  const bool v1 = request_.version == SnmpVersion::v1, bulk = request_.kind == BerTag::get_bulk;
  auto& names = request_.names;
  const std::size_t once = bulk ? std::min(request_.non_repeaters, names.size()) : 0;
  places_.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) places_[i] = tables_.next(names[i], device, !v1);
  for (std::size_t i = 0; i < once; ++i) add(places_[i], names[i], device, now_ms, out);
  bool more = once < names.size();
  for (std::size_t repetition = 0; more && repetition < request_.repetitions; ++repetition) {
    more = false;
    for (std::size_t i = once; i < names.size(); ++i) {
      const std::size_t before = out.size();
      const bool there = add(places_[i], names[i], device, now_ms, out);
      if (!there && v1) frame.fail(SnmpError::no_such_name, i + 1);
      if (bulk && out.size() > room_) {
        out.truncate(before);
        --varbinds_;
        if (there) --found_;
        return;
      }
      more |= there;
      if (bulk && places_[i]) {
        const auto next = tables_.next(*places_[i], device, true);
        if (!next) names[i] = tables_.oid_of(*places_[i]);  // the end of the view bears the last name
        places_[i] = next;
      }
    }
  }
}

void SnmpAgent::spoil(const Device& device, SnmpAnswer& frame) {
  const Lies& lies = device.lies;
  if (lies.too_big > 0 && varbinds_ > lies.too_big) {
    frame.drop_varbinds();
    frame.fail(SnmpError::too_big, 0);
  } else if (lies.answer == Answers::empty) {
    frame.drop_varbinds();
  } else if (lies.answer == Answers::error) {
    frame.fail(SnmpError::general, 1);
  } else {
    return;
  }
  found_ = 0;
}

}  // namespace varve::load
