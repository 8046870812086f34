// SPDX-License-Identifier: Apache-2.0
// For tests of handlers that keep texts: a store of them in memory, a router to add the handlers to, and questions to
// it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/testing/waiting_sink.h"
#include "base/task_pool.h"
#include "http/url.h"
#include "storage/testing/memory_texts.h"

namespace varve::api::testing {

class TextsApi : public ::testing::Test {
 protected:
  Response ask(Method method, const std::string& path, std::string_view body = "") {
    request_ = {};
    request_.method = method;
    EXPECT_TRUE(http::parse_target(path, request_.path, request_.query, &request_.name_slashes)) << path;
    request_.tenant = tenant_;
    request_.query = query_;
    request_.body = body;
    return answer_of(router_, request_);
  }
  // Its status and its body.
  std::string got(const std::string& path) {
    const Response response = ask(Method::get, path);
    return std::to_string(response.status) + " " + line_of(response);
  }

  storage::testing::MemoryTexts texts_;
  TaskPool pool_{1};
  Router router_;
  Request request_;  // the last one
  std::string tenant_ = "t";
  std::vector<std::pair<std::string, std::string>> query_;
};

}  // namespace varve::api::testing
