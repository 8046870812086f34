// SPDX-License-Identifier: Apache-2.0
// Runs one disabled test of this program in a process of its own, which is to die there. (A fork would lack the threads
// of RocksDB.)
#pragma once

#include <gtest/gtest.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/rocksdb/store.h"
#include "storage/testing/store_fixture.h"

namespace varve::engine::rocksdb::testing {

inline constexpr int kDied = 42;  // the exit code of a child that died where it was told

// The child's exit code; −1 if there is none.
inline int run_child(const std::string& test, const std::vector<std::pair<std::string, std::string>>& told) {
  std::string arguments[] = {"/proc/self/exe", "--gtest_filter=" + test, "--gtest_also_run_disabled_tests",
                             "--gtest_brief=1"};
  std::vector<std::string> variables;
  for (const auto& [name, value] : told) variables.push_back(name + "=" + value);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  for (char** inherited = environ; *inherited != nullptr; ++inherited) environment.push_back(*inherited);
  environment.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environment.data()) != 0) return -1;
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// flush.begin → flush_begin
inline std::string name_of_step(const ::testing::TestParamInfo<const char*>& step) {
  std::string name = step.param;
  name[name.find('.')] = '_';
  return name;
}

// An engine on a directory that is somebody else's.
class StoreAt final : public storage::testing::Engine {
 public:
  StoreAt(const Options& options, const Clock& clock) : StoreAt(std::move(*Store::open(options, clock))) {}
  explicit StoreAt(std::unique_ptr<Store> store) : store_(std::move(store)) {}
  storage::SeriesStore& series() override { return *store_; }
  storage::SampleStore& samples() override { return *store_; }
  void restart() override {}
  Store& store() { return *store_; }

 private:
  std::unique_ptr<Store> store_;
};

}  // namespace varve::engine::rocksdb::testing
