// SPDX-License-Identifier: Apache-2.0
// StructuredData of RFC 5424: [id name="value" …][id …], as fields `id.name`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "message/builder.h"

namespace varve::protocol::syslog {

// Beside these a message may have fields of its header (msgid, procid, mnemonic …).
inline constexpr std::size_t kParametersMax = message::kFieldsMax - 10;

// Keeps what it unescapes until the next take(). For one thread.
class StructuredData {
 public:
  // Takes `-` or elements off the front of the text, up to a blank or the end. False, and the text is as it was: they
  // are not well-formed, or more than a message may have.
  bool take(std::string_view& text);
  // What was taken last. Views of this and of the text.
  void add_to(message::Builder& builder) const;

 private:
  struct Parameter {
    std::size_t name_at;  // in bytes_
    std::size_t name_bytes;
    std::size_t value_at;    // in bytes_, if it had escapes
    std::string_view value;  // else this
    std::size_t value_bytes;
  };

  bool take_element(std::string_view& text);
  bool take_parameter(std::string_view& text, std::string_view id);
  bool take_value(std::string_view& text, Parameter& out);

  std::string bytes_;
  std::vector<Parameter> parameters_;
};

}  // namespace varve::protocol::syslog
