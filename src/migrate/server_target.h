// SPDX-License-Identifier: Apache-2.0
// ServerTarget: a server that runs and takes samples of others meanwhile, by its KairosDB API.
#pragma once

#include <utility>

#include "migrate/server_call.h"
#include "migrate/target.h"

namespace varve::migrate {

class ServerTarget final : public Target {
 public:
  explicit ServerTarget(ServerCall call) : call_(std::move(call)) {}

  std::unique_ptr<Sink> sink(const std::atomic<bool>& stopping, const Refused& refused) override;
  // By the server's count, which rollups answer where samples are gone.
  Result<std::uint64_t> held(std::string_view metric, model::TimeRange range,
                             const std::atomic<bool>& stopping) override;
  [[nodiscard]] bool is_in_use() const override { return true; }

 private:
  const ServerCall call_;
};

}  // namespace varve::migrate
