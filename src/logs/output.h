// SPDX-License-Identifier: Apache-2.0
// Where rows go: lines on the standard output or in a file, datagrams of syslog, or the names of their fields.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "logs/line.h"
#include "logs/options.h"
#include "logs/recent.h"
#include "logs/syslog_sender.h"

namespace varve::logs {

class Output {
 public:
  // The options have to outlive it.
  explicit Output(const Options& options) : options_(options) {}

  Status open();
  // As long as --limit lets them.
  [[nodiscard]] bool wants_more() const { return !options_.limit || rows_ < *options_.limit; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // Has it been told an error, or made one? Then another connection does not help.
  [[nodiscard]] bool failed() const { return failed_; }

  // Rows that this one has printed are left out from now on. It has to outlive the output.
  void leave_out(Recent& recent) { recent_ = &recent; }
  // A row as JSON. Errors: invalid (it is none), io (it cannot be written, or is an error).
  Status add(std::string_view json);
  Status flush();
  Status finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  Status add_row(const Row& row, std::string_view json);
  Status write(std::string_view text);
  Status broken();

  const Options& options_;
  SyslogSender sender_;
  std::unique_ptr<std::FILE, Close> own_;
  std::FILE* file_ = stdout;
  Recent* recent_ = nullptr;
  std::uint64_t rows_ = 0;
  bool failed_ = false;
  std::string line_;
  std::map<std::string, std::uint64_t, std::less<>> fields_;  // how many rows have it
};

}  // namespace varve::logs
