// SPDX-License-Identifier: Apache-2.0
#include "migrate/sink.h"

#include <array>

#include "base/wait.h"
#include "migrate/pages.h"

namespace varve::migrate {
namespace {

constexpr std::size_t kBatchRows = 20'000;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

Status append(storage::SampleStore& samples, const model::RowBatch& batch) {
  return wait_for([&](const storage::SampleStore::AppendDone& done) { samples.append(batch, done); });
}

// The bytes that name a series inside this process.
std::string name_of(std::string_view metric, const model::Tags& tags) {
  std::string name;
  const auto part = [&](std::string_view text) {
    name.append(std::to_string(text.size())).append(1, ':').append(text);
  };
  part(metric);
  for (const auto& [key, value] : tags) part(key), part(value);
  return name;
}

}  // namespace

Result<write::Ingest*> Sink::ingest() {
  if (!ingest_) {
    // Groups are used after the batch in which they were defined has gone, so their numbers must be the store's.
    VARVE_RETURN_IF_ERROR(target_.writer.make_tenant(target_.tenant));
    VARVE_ASSIGN_OR_RETURN(ingest_, target_.writer.open(target_.tenant, write::Family::kairosdb));
  }
  return ingest_.get();
}

Result<model::KeptGroup> Sink::group(std::string_view metric, const model::Tags& tags) {
  VARVE_ASSIGN_OR_RETURN(write::Ingest* const open, ingest());
  const std::string name = name_of(metric, tags);
  if (const auto* known = open->groups().find(name, "")) return *known;
  auto views = model::to_views(tags);
  VARVE_RETURN_IF_ERROR(model::normalize(views));
  VARVE_ASSIGN_OR_RETURN(const auto* defined, open->groups().define(name, "", views, std::array{metric}));
  return *defined;
}

Result<model::Timestamp> Sink::kept_from() {
  VARVE_ASSIGN_OR_RETURN(write::Ingest* const open, ingest());
  return open->batch().kept_from();
}

Status Sink::add(const model::KeptGroup& group, model::Timestamp time, const model::Value& value) {
  VARVE_ASSIGN_OR_RETURN(write::Ingest* const open, ingest());
  open->batch().add(group, time, value);
  return open->batch().rows() >= kBatchRows || open->batch().bytes().size() >= kBatchBytes ? flush() : Status();
}

Status Sink::flush() {
  if (!ingest_ || ingest_->batch().empty()) return {};
  Status status = append(target_.samples, ingest_->batch());
  for (unsigned attempt = 0; !status && is_passing(status.error().code) && wait_before(attempt, stopping_); ++attempt) {
    status = append(target_.samples, ingest_->batch());
  }
  ingest_.reset();
  return status;
}

}  // namespace varve::migrate
