// SPDX-License-Identifier: Apache-2.0
// For tests of handlers that answer from a store: one in memory, a router to add them to, and questions to it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "api/testing/waiting_sink.h"
#include "api/testing/whole_context.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/task_pool.h"
#include "http/url.h"
#include "query/engine.h"
#include "storage/testing/memory_store.h"

namespace varve::api::testing {

class MemoryApi : public ::testing::Test {
 protected:
  // `root` stands in front of every target.
  explicit MemoryApi(std::string root) : root_(std::move(root)) {}

  Response ask(const std::string& target, std::string tenant = "t") {
    Request request;
    request.method = Method::get;
    request.tenant = std::move(tenant);
    request.gone = gone_;
    EXPECT_TRUE(http::parse_target(root_ + target, request.path, request.query)) << target;
    return answer_of(router_, request);
  }
  // Its answer, which is a 200.
  std::string get(const std::string& target, std::string tenant = "t") {
    const Response response = ask(target, std::move(tenant));
    EXPECT_EQ(response.status, 200) << target << " " << response.body;
    return line_of(response);
  }

  storage::testing::MemoryStore store_;
  ManualClock clock_;
  query::Engine engine_{store_, store_, clock_, {}};
  TaskPool pool_{1};
  Metrics metrics_;
  WholeContext whole_{store_, clock_};
  Router router_;
  std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);

 private:
  const std::string root_;
};

}  // namespace varve::api::testing
