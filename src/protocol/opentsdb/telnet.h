// SPDX-License-Identifier: Apache-2.0
// The line protocol of OpenTSDB and KairosDB (port 4242): put, putm, puts, version, help, exit.
// docs/protocols/telnet.md says what is taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "protocol/opentsdb/route.h"

namespace varve::protocol::opentsdb {

struct TelnetOptions {
  std::size_t line_max = 64 * 1024;  // bytes of a line without its end
  bool answer_errors = true;         // a line for each bad one, as OpenTSDB; false: silence, as KairosDB
  TenantTag tenant_tag = TenantTag::names;
  std::string version;  // what `version` answers
};

// One connection. One thread at a time.
class TelnetParser {
 public:
  TelnetParser(Targets& targets, TelnetOptions options);

  // Takes the next bytes of the stream, cut anywhere. Samples go to the batches of the targets, which are asked for
  // anew in each call: the caller may commit in between. Answers are appended to `replies` (at most some 300 bytes a
  // line). False: `exit` was said; what came behind it is ignored, now and later.
  bool feed(std::string_view piece, std::string& replies);

  // Bytes of a line that has not ended. At the end of a stream they are no line: it may be cut within a number.
  [[nodiscard]] std::size_t pending() const { return rest_.size(); }

  [[nodiscard]] std::uint64_t taken() const { return taken_; }      // samples, since the start
  [[nodiscard]] std::uint64_t refused() const { return refused_; }  // lines, since the start
  [[nodiscard]] std::uint64_t too_old() const { return too_old_; }  // of those

 private:
  void line(std::string_view line, bool padded, std::string& replies);
  bool fast_put(std::string_view line);
  void general(std::string_view line, std::string& replies);
  Status put(std::string_view command);
  Status read_tags(std::string_view command, model::TagViews& tags, std::uint32_t& ttl_s);
  std::string_view key_of_words();
  void too_long(std::string& replies);
  void refuse(std::string_view text, std::string& replies);

  TelnetOptions options_;
  Route route_;
  SplitKey key_;                         // metric, and from behind the value to the end of the line, as written
  std::vector<std::string_view> words_;  // of the line at hand
  bool quotes_ = false;                  // some of them stood in quotes
  std::string_view tail_;                // the line behind the third word after the command
  std::string quoted_key_;
  std::string rest_;       // of the last piece: a line that has not ended
  bool skipping_ = false;  // in a line that is too long
  bool ended_ = false;
  std::uint64_t taken_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t too_old_ = 0;
};

}  // namespace varve::protocol::opentsdb
