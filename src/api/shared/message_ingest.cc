// SPDX-License-Identifier: Apache-2.0
#include "api/shared/message_ingest.h"

#include <string>

#include "base/check.h"

namespace varve::api {
namespace {

constexpr std::int64_t kIngestUsPerMs = 1000;

constexpr std::pair<Code, const char*> kReasons[] = {{Code::invalid, "invalid"},
                                                     {Code::too_large, "too_large"},
                                                     {Code::limit, "limit"},
                                                     {Code::too_old, "time"},
                                                     {Code::unsupported, "unsupported"}};

storage::MessageStore& store_of(const Context& context) {
  check(context.messages != nullptr, "the engine keeps messages");
  return *context.messages;
}

write::MessageIntake& intake_of(const Context& context) {
  check(context.message_intake != nullptr, "what stores messages has an intake");
  return *context.message_intake;
}

}  // namespace

MessageIngest::MessageIngest(const Context& context, std::string_view protocol)
    : store_(store_of(context)),
      writer_(context.writer),
      clock_(context.clock),
      intake_(intake_of(context)),
      accepted_(context.metrics.counter("varve_messages_accepted_total", "Log messages stored, by protocol.",
                                        {{"protocol", std::string(protocol)}})) {
  for (const auto& [code, reason] : kReasons) {
    rejected_.emplace_back(
        code, &context.metrics.counter("varve_messages_rejected_total", "Log messages refused, by protocol and reason.",
                                       {{"protocol", std::string(protocol)}, {"reason", reason}}));
  }
}

std::int64_t MessageIngest::now_us() const { return clock_.now_ms() * kIngestUsPerMs; }

void MessageIngest::count_rejected(Code code, std::size_t messages) const {
  for (const auto& [of, counter] : rejected_) {
    if (of == code) counter->add(messages);
  }
}

void MessageIngest::count_rejected(const protocol::Outcome& outcome) const {
  for (const auto& [code, counter] : rejected_) counter->add(outcome.count(code));
}

void MessageIngest::append(std::string_view tenant, const message::Batch& batch,
                           std::function<void(const Status& status)> done) const {
  if (batch.empty()) return done({});
  if (const Status made = writer_.make_tenant(tenant); !made) return done(made);
  store_.append_messages(tenant, batch,
                         [rows = batch.rows(), &accepted = accepted_, done = std::move(done)](const Status& status) {
                           if (status) accepted.add(rows);
                           done(status);
                         });
}

}  // namespace varve::api
