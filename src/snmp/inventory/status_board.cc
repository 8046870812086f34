// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/status_board.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "codec/hash.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::snmp::inventory {
namespace {

using protocol::json::Kind;
using protocol::json::Node;
using storage::TextName;

constexpr std::int64_t kKeptMs = 2 * model::kDayMs;  // twice the longest frequency
constexpr std::chrono::seconds kLife{120};           // of what a replica gave, which may be gone

TextName share_name(std::uint32_t share) { return {"", "_snmp_status", "share", std::to_string(share)}; }

std::uint32_t share_of(const std::string& tenant, const std::string& device) {
  return static_cast<std::uint32_t>(codec::hash64(tenant + '/' + device) % StatusBoard::kShares);
}

std::int64_t whole_of(const Node& node) {
  std::int64_t out = 0;
  std::from_chars(node.text.data(), node.text.data() + node.text.size(), out);
  return out;
}

void append_status(protocol::json::Writer& json, const std::pair<std::string, std::string>& key,
                   const DeviceStatus& status) {
  json.begin_array().value(key.first).value(key.second).value(static_cast<int>(status.state));
  if (status.last_poll) {
    json.value(*status.last_poll);
  } else {
    json.null();
  }
  json.value(status.last_error).value(status.interfaces).array(status.left_out).begin_object();
  for (std::size_t why = 0; why < status.unknown_increases.size(); ++why) {
    json.member(counter::kWhyUnknown[why], status.unknown_increases[why]);
  }
  json.end_object().end_array();
}

bool is_newer(const DeviceStatus& one, const DeviceStatus& other) {
  return one.last_poll.value_or(model::kTimestampMin) > other.last_poll.value_or(model::kTimestampMin);
}

}  // namespace

void StatusBoard::report(const std::string& tenant, const std::string& device, DeviceStatus status) {
  const MutexLock lock(mutex_);
  own_.insert_or_assign({tenant, device}, std::move(status));
}

void StatusBoard::forget(const std::string& tenant, const std::string& device) {
  const MutexLock lock(mutex_);
  own_.erase({tenant, device});
}

DeviceStatus StatusBoard::find(const std::string& tenant, const std::string& device) const {
  const MutexLock lock(mutex_);
  DeviceStatus out;
  for (const Statuses* const statuses : {&own_, &others_}) {
    const auto found = statuses->find({tenant, device});
    if (found != statuses->end() && is_newer(found->second, out)) out = found->second;
  }
  return out;
}

Status StatusBoard::exchange(model::Timestamp now_ms) {
  if (shared_ == nullptr) return {};
  std::array<Statuses, kShares> own;
  {
    const MutexLock lock(mutex_);
    for (const auto& [key, status] : own_) own[share_of(key.first, key.second)].emplace(key, status);
  }
  Statuses others;
  for (std::uint32_t share = 0; share < kShares; ++share) {
    VARVE_ASSIGN_OR_RETURN(const auto text, shared_->passing_text(share_name(share)));
    Statuses& mine = own[share];
    if (text) {
      protocol::json::Reader reader(*text);
      const auto root = protocol::json::read_strict(reader);
      if (!root) return fail(root.error());
      for (const Node& node : root->children) {
        if (node.children.size() < 6) continue;
        const std::pair key(std::string(node.children[0].text), std::string(node.children[1].text));
        DeviceStatus status;
        status.state = static_cast<DeviceState>(std::clamp<std::int64_t>(whole_of(node.children[2]), 0, 2));
        if (node.children[3].kind == Kind::number) status.last_poll = whole_of(node.children[3]);
        status.last_error = node.children[4].text;
        status.interfaces = static_cast<std::size_t>(std::max<std::int64_t>(whole_of(node.children[5]), 0));
        if (node.children.size() > 6) {  // of a replica that says it
          for (const Node& what : node.children[6].children) status.left_out.emplace_back(what.text);
        }
        for (std::size_t why = 0; node.children.size() > 7 && why < status.unknown_increases.size(); ++why) {
          const Node* const count = node.children[7].find(counter::kWhyUnknown[why]);
          if (count != nullptr) {
            status.unknown_increases[why] = static_cast<std::uint64_t>(std::max<std::int64_t>(whole_of(*count), 0));
          }
        }
        if (status.last_poll.value_or(0) >= now_ms - kKeptMs) others.emplace(key, std::move(status));
      }
    }
    if (mine.empty()) continue;
    // Of a share of which several replicas have devices, everybody hands on what the others said last.
    std::string out;
    protocol::json::Writer json(out);
    json.begin_array();
    for (const auto& [key, status] : others) {
      const auto found = mine.find(key);
      if (share_of(key.first, key.second) == share && (found == mine.end() || is_newer(status, found->second))) {
        mine.insert_or_assign(key, status);
      }
    }
    for (const auto& [key, status] : mine) {
      if (out.size() > storage::kTextBytesMax * 3 / 4) break;
      append_status(json, key, status);
    }
    json.end_array();
    VARVE_RETURN_IF_ERROR(shared_->put_passing_text(share_name(share), out, kLife));
  }
  const MutexLock lock(mutex_);
  others_ = std::move(others);
  return {};
}

}  // namespace varve::snmp::inventory
