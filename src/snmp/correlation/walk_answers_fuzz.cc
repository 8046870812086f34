// SPDX-License-Identifier: Apache-2.0
// Answers of any kind to the requests of a walk: it ends, what it stores has names that are UTF-8, and each value has
// the name that stood beside it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "snmp/correlation/collector.h"
#include "snmp/inventory/history.h"
#include "snmp/inventory/inventory.h"
#include "snmp/inventory/utf8_text.h"

namespace varve::snmp::correlation {
namespace {

using session::Kind;

class NoGroups final : public GroupFinder {
 public:
  model::GroupId find(const GroupName&) override { return model::kNoGroup; }
};

// Takes bytes as long as there are some, then zeros.
class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  std::uint8_t byte() { return at_ == end_ ? 0 : *at_++; }
  [[nodiscard]] bool is_over() const { return at_ == end_; }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

struct AnswerText {
  std::vector<std::vector<session::Arc>> names;
  std::vector<std::string> texts;
  std::vector<session::Binding> bindings;
};

// Names are mostly what was asked for with something behind it, as only these come far.
session::Answer answer_of(Script& script, const session::Request& request, AnswerText& out) {
  session::Answer answer;
  const std::uint8_t how = script.byte();
  answer.outcome = how > 250 ? static_cast<session::Outcome>(how % 6) : session::Outcome::answered;
  answer.error_status = how > 230 && how <= 250 ? how % 19 : 0;
  answer.error_index = answer.error_status != 0 ? script.byte() : 0;
  answer.received_ms = 1'700'000'000'000 + how;
  const std::size_t asked = request.names.size();
  const std::size_t whole = request.non_repeaters + (asked - request.non_repeaters) * std::max(1U, request.repetitions);
  const std::size_t count = std::min<std::size_t>(how > 200 ? script.byte() : whole, 400);
  out = {};
  out.names.reserve(count);
  out.texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t repeated = asked - request.non_repeaters;
    const std::size_t of = i < request.non_repeaters || repeated == 0
                               ? i % asked
                               : request.non_repeaters + (i - request.non_repeaters) % repeated;
    auto& name = out.names.emplace_back(request.names[of].begin(), request.names[of].end());
    const std::uint8_t kind = script.byte();
    if ((kind & 0x80) != 0 && !name.empty()) name.pop_back();
    if ((kind & 0x40) == 0) name.push_back(script.byte());
    if ((kind & 0x20) != 0) name.push_back(script.byte());
    session::Binding binding;
    binding.name = name;
    binding.kind = static_cast<Kind>((kind & 0x1f) % 14);
    binding.number = script.byte() * 0x0101010101010101ULL;
    auto& text = out.texts.emplace_back();
    for (std::uint8_t size = script.byte() % 8; size > 0; --size) text += static_cast<char>(script.byte());
    if (binding.kind == Kind::octets || binding.kind == Kind::address) binding.octets = text;
    if (binding.kind == Kind::object_id) binding.oid = name;
    out.bindings.push_back(binding);
  }
  answer.bindings = out.bindings;
  return answer;
}

void poll(Script& script, const walk::Plan& plan, Memory& memory, session::Version version) {
  NoGroups groups;
  Found found;
  Collector collector;
  walk::Scratch scratch;
  collector.begin(plan, "d", memory, groups, found, true);
  walk::Walk walk(plan, memory.fit, version, collector);
  AnswerText text;
  int requests = 0;
  while (walk.next(scratch)) {
    if (++requests > 100'000) std::abort();
    session::Answer answer = answer_of(script, scratch.request, text);
    if (script.is_over()) answer.outcome = session::Outcome::timed_out;
    walk.take(answer);
  }
  collector.end(!walk.is_broken());
  std::size_t records = 0;
  found.records.for_each([&](const RecordView& record) {
    for (const auto& tag : tags_of(record.tags)) {
      if (tag.value.empty() || tag.value.size() > kTagBytesMax || inventory::utf8_text(tag.value) != tag.value)
        std::abort();
    }
    if (texts_of(record.metrics).size() != record.values.size()) std::abort();
    if (found.oids[records++].size() != record.values.size()) std::abort();
  });
  static_cast<void>(inventory::history_rows(plan.oidset, found.history));
}

}  // namespace
}  // namespace varve::snmp::correlation

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::snmp;
  const auto& all = inventory::built_in();
  static const auto plans = [&] {
    std::vector<std::shared_ptr<const walk::Plan>> out;
    for (const auto& [name, set] : all.oidsets) {
      out.push_back(walk::make_plan(set, *inventory::find_correlator(all, set.correlator)));
    }
    return out;
  }();
  correlation::Script script(data, size);
  const walk::Plan& plan = *plans[script.byte() % plans.size()];
  const auto version = script.byte() % 2 == 0 ? session::Version::v2c : session::Version::v1;
  correlation::Memory memory;
  for (int i = 0; i < 3; ++i) correlation::poll(script, plan, memory, version);
  return 0;
}
