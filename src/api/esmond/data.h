// SPDX-License-Identifier: Apache-2.0
// Data of an interface under the name that they have in an oidset.
#pragma once

#include "api/esmond/call.h"

namespace varve::api::esmond {

// GET device/D/interface/I/ALIAS?begin=&end=&agg=&cf=
Result<Response> show_data(const Call& call);

// ?cf=, or what is said instead. Error: invalid.
Result<Cf> cf_asked(std::optional<std::string_view> text, Cf unless_said);

// The width that `agg` seconds are, of the frequency or an aggregate of the source's oidset. Error: invalid.
Result<std::int64_t> width_of(const Source& source, std::optional<std::int64_t> agg);

// How long a range whoever asks may ask for, by the width of bins. Error: invalid.
Status check_span(const Call& call, const Span& span, std::int64_t unit_ms, std::int64_t width_ms);

// What is measured of an interface. Errors: invalid (there is no such device, interface or alias; it is hidden).
Result<Source> source_of_interface(const Call& call, const snmp::inventory::Inventory& inventory,
                                   const snmp::inventory::Device& device, const std::string& interface,
                                   const std::string& alias, const Span& span);

// ?limit=&offset= of points; all, unless they say otherwise.
Result<std::span<const DataPoint>> page_of_points(const Call& call, const DataPoints& points);

}  // namespace varve::api::esmond
