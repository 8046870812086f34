// SPDX-License-Identifier: Apache-2.0
// Correlator: which tags a row of a table gives to its samples, as data.
//
// A row is named by its *index*: the numbers behind the column's oid. A layout says what these numbers are, which
// columns are read beside the objects, and how tags are made of both:
//
//   {"layouts":[{"index":[{"name":"ifIndex"}],
//                "columns":[{"name":"ifName","oid":"1.3.6.1.2.1.31.1.1.1.1","index":["ifIndex"]}],
//                "tags":[{"name":"interface","value":"{ifName}"}],
//                "where":[{"column":"ifName","is_not":""}]}]}
//
// The first layout that an index fits is the row's. Rows that fit none, that have an empty tag, or that a rule leaves
// out are not stored. Texts are as the agent gives them: whoever stores them makes them UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "snmp/inventory/oid.h"

namespace varve::snmp::inventory {

// How a part of an index is written (RFC 2578, section 7.7), and what its text is.
enum class IndexKind : std::uint8_t {
  number,     // one number
  text,       // a length, and so many characters
  rest,       // all that is left, as dotted numbers
  rest_text,  // all that is left, as characters (IMPLIED)
  address,    // four numbers: an IPv4 address
  alu_port,   // one number: a port of Alcatel-Lucent, whose bits are slot, module and port: 1/1/1
};

struct IndexPart {
  std::string name = {};
  IndexKind kind = IndexKind::number;
  std::vector<std::pair<std::string, std::string>> names = {};  // texts that stand for others: "2" → "counter"
  bool operator==(const IndexPart&) const = default;
};

// A column that is read in the same requests as the objects. Its own index is made of parts of the row's index and of
// values of columns before it, which are numbers then.
struct Column {
  std::string name = {};
  Oid oid = {};
  std::vector<std::string> index = {};
  bool operator==(const Column&) const = default;
};

struct TagRule {
  std::string name = {};   // the tag's key
  std::string value = {};  // a text in which {name} is a part of the index or a column
  // Made of the value in this order; an empty text changes nothing.
  std::string until = {};  // what stands before the first of these
  std::string after = {};  // what stands behind the first of these, or all where there is none
  std::vector<std::pair<std::string, std::string>> replace = {};  // every occurrence of a text by another
  std::string otherwise = {};                                     // where nothing is left: a text as `value`
  bool operator==(const TagRule&) const = default;
};

struct RowRule {
  std::string column = {};  // or a part of the index
  bool negated = false;     // is_not
  std::string value = {};
  bool operator==(const RowRule&) const = default;
};

struct Layout {
  std::vector<IndexPart> index = {};
  std::vector<Column> columns = {};
  std::vector<TagRule> tags = {};   // at least one
  std::vector<RowRule> where = {};  // all of them must hold
  bool operator==(const Layout&) const = default;
};

struct Correlator {
  std::string name = {};
  std::vector<Layout> layouts = {};
  bool operator==(const Correlator&) const = default;
};

// What is wrong with it by itself, each fault as `layouts[0].tags[1].value: …`; nothing if it is good.
std::vector<std::string> faults_of(const Correlator& correlator);

// The parts of a row's index as texts, in the order of `layout.index`. nullopt: the index does not fit.
std::optional<std::vector<std::string>> index_texts(const Layout& layout, std::span<const std::uint32_t> index);

// The first layout that an index fits, as its number.
std::optional<std::size_t> layout_of(const Correlator& correlator, std::span<const std::uint32_t> index);

// The row of `column` that belongs to a row of the objects: the numbers behind column.oid. `parts` are of
// index_texts(), `columns` the values of the columns before this one, as texts. nullopt: one of them is no number.
std::optional<Oid> column_index(const Layout& layout, const Column& column, std::span<const std::string> parts,
                                std::span<const std::string> columns);

// The values of a row's tags in the order of `layout.tags`: `parts` and `columns` are in the order of `layout.index`
// and `layout.columns`, a column that the agent does not have is empty. nullopt: a rule leaves the row out, or a tag is
// empty.
std::optional<std::vector<std::string>> tag_values(const Layout& layout, std::span<const std::string> parts,
                                                   std::span<const std::string> columns);

}  // namespace varve::snmp::inventory
