// SPDX-License-Identifier: Apache-2.0
// ProgressFile: the form that the progress of every migration has: lines of words between a first line, which says what
// it is, and a checksum. It is replaced as a whole.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::migrate {

// One word: blanks, controls and % become %xx; an empty one is a single %.
std::string to_word(std::string_view text);
std::optional<std::string> from_word(std::string_view word);

// "0-17,20-20", or "none".
std::string to_ranges(const std::vector<bool>& done);
// Sets what is named; false: it is not of this form, or beyond the end of `done`.
bool read_ranges(const std::string& text, std::vector<bool>& done);

// The words with a blank between two and a line feed behind.
void append_line(std::string& out, std::initializer_list<std::string> words);
// Appends the checksum of all before.
std::string with_checksum(std::string text);
// The lines between the first one and the checksum. Error: corrupt (it begins otherwise, or is damaged).
Result<std::vector<std::string>> checked_lines(std::string_view first_line, std::string_view text);

// nullopt: there is no such file. Error: io.
Result<std::optional<std::string>> load_file(const std::string& path);
// Whatever happens, the file is the old or the new one, as a whole, and after this the new one, on the disk.
Status replace_file(const std::string& path, std::string_view text);

enum class Sync : std::uint8_t { now, later };
// Makes the file if there is none.
Status append_file(const std::string& path, std::string_view text, Sync sync);

}  // namespace varve::migrate
