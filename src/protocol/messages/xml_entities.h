// SPDX-License-Identifier: Apache-2.0
// Entities of XML: &amp; &lt; &gt; &quot; &apos; &#38; &#x26;
#pragma once

#include <string>
#include <string_view>

namespace varve::protocol::messages {

// Appends the text with what its entities stand for; what is none stays as it is.
void append_unescaped(std::string& out, std::string_view text);

}  // namespace varve::protocol::messages
