// SPDX-License-Identifier: Apache-2.0
// Names of objects in an XML text, as Contrail's collector finds them: an element with the attribute `key` names the
// object "KEY:TEXT OF THE ELEMENT". Elements with the same key under one parent are one name, their texts joined by
// ':'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::protocol::messages {

// Reused from text to text. For one thread.
class XmlNames {
 public:
  // A text that is no XML (a tag that is not closed, text beside the root, a document type …) has no names.
  // Errors: limit (more of them than a message may have).
  Status read(std::string_view text);
  // In the order of the elements that end first. Valid until read().
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  struct Open {
    std::string_view tag;
    std::string_view key;   // as written; "" if it names nothing
    std::string_view text;  // the first that is not white space, as written
    bool verbatim = false;  // the text is CDATA
    std::size_t number = 0;
  };
  struct Group {
    std::size_t parent = 0;  // its number; 0: none
    std::string_view key;
  };

  bool walk(std::string_view text);
  bool read_markup();
  bool read_open();
  bool read_close();
  bool read_attribute(std::string_view& key);
  bool skip_past(std::string_view mark);
  void skip_white();
  std::string_view read_name();
  void end_element(const Open& element);
  static void append_text(std::string& name, const Open& element);

  std::string_view rest_;
  std::vector<Open> open_;
  std::vector<Group> groups_;  // of names_
  std::vector<std::string> names_;
  std::size_t elements_ = 0;  // so far; they are numbered from 1
  bool too_many_ = false;
};

}  // namespace varve::protocol::messages
