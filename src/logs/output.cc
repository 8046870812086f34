// SPDX-License-Identifier: Apache-2.0
#include "logs/output.h"

#include <cerrno>
#include <cstring>

#include "base/printable.h"
#include "logs/fields.h"

namespace varve::logs {
namespace {

constexpr std::size_t kNamesMax = 1'000'000;

}  // namespace

Status Output::open() {
  if (options_.send_syslog) VARVE_RETURN_IF_ERROR(sender_.open(options_.syslog_server, options_.syslog_port));
  if (options_.output_file.empty()) return {};
  own_.reset(std::fopen(options_.output_file.c_str(), "we"));
  if (own_ == nullptr) return fail(Code::io, "--output-file: " + options_.output_file + ": " + std::strerror(errno));
  file_ = own_.get();
  return {};
}

Status Output::add(std::string_view json) {
  protocol::json::Reader reader(json);
  const auto row = protocol::json::read_tree(reader);
  Status done;
  if (!row) {
    done = fail(Code::invalid, "a row of the answer is not JSON: " + row.error().message);
  } else if (row->children.size() == 1 && row->names[0] == "error") {
    // What goes wrong once rows are on their way is the last of them.
    done = fail(Code::io, std::string(cell(*row, "error")));
  } else if (recent_ == nullptr || recent_->is_new(number_cell(*row, "MessageTS", 0), json)) {
    ++rows_;
    done = add_row(*row, json);
  }
  failed_ = failed_ || !done;
  return done;
}

Status Output::add_row(const Row& row, std::string_view json) {
  if (options_.list_fields) {
    for (const std::string_view name : row.names) {
      if (const auto found = fields_.find(name); found != fields_.end()) {
        ++found->second;
      } else if (fields_.size() < kNamesMax) {
        fields_.emplace(name, 1);
      }
    }
    return {};
  }
  if (options_.send_syslog) return sender_.send(row);
  line_.clear();
  if (options_.format == Format::json) {
    // What is followed has no end that a list could be closed at.
    if (!options_.follow) line_ += rows_ == 1 ? "[" : ",\n";
    line_ += json;
    if (options_.follow) line_ += '\n';
  } else {
    append_line(line_, row, options_);
  }
  return write(line_);
}

Status Output::flush() { return std::fflush(file_) == 0 ? Status() : broken(); }

Status Output::finish() {
  if (options_.list_fields) {
    for (const auto& [name, count] : fields_) {
      line_ = std::to_string(count);
      line_.insert(0, line_.size() < 8 ? 8 - line_.size() : 0, ' ');
      VARVE_RETURN_IF_ERROR(write(line_ + " " + printable(name) + "\n"));
    }
  } else if (!options_.send_syslog && !options_.follow && options_.format == Format::json) {
    VARVE_RETURN_IF_ERROR(write(rows_ == 0 ? "[]\n" : "]\n"));
  }
  return flush();
}

Status Output::write(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file_) == text.size() ? Status() : broken();
}

Status Output::broken() {
  failed_ = true;
  return fail(Code::io, std::string("cannot write: ") + std::strerror(errno));
}

}  // namespace varve::logs
