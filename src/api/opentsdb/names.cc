// SPDX-License-Identifier: Apache-2.0
#include "api/opentsdb/names.h"

#include <vector>

#include "api/shared/name_pages.h"
#include "api/shared/query_answer.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

namespace opentsdb = protocol::opentsdb;
using opentsdb::Suggest;
using protocol::json::Writer;

template <class List>
std::string array_of(const List& names) {
  std::string out;
  Writer(out).array(names);
  return out;
}

struct FilterHelp {
  std::string_view name, example, description;
};
constexpr FilterHelp kFilterHelp[] = {
    {"literal_or", "host=literal_or(web01|web02)", "The value is one of these, in this letter case."},
    {"iliteral_or", "host=iliteral_or(WEB01|web02)", "The value is one of these, in any letter case."},
    {"not_literal_or", "host=not_literal_or(web01|web02)", "The tag is there and its value is none of these."},
    {"not_iliteral_or", "host=not_iliteral_or(WEB01)", "The tag is there and its value is none of these in any case."},
    {"wildcard", "host=wildcard(web*.lga)", "The value fits; each * stands for any characters, also none."},
    {"iwildcard", "host=iwildcard(WEB*)", "As wildcard, in any letter case."},
    {"regexp", "host=regexp(^web[0-9]+)", "The RE2 expression is found in the value."},
    {"not_key", "host=not_key()", "The series does not have the tag."},
};

}  // namespace

Result<std::string> opentsdb_suggest(const storage::SeriesStore& store, std::string_view tenant, const Suggest& wanted,
                                     query::UnderWay& query) {
  VARVE_ASSIGN_OR_RETURN(const auto id, store.find_tenant(tenant));
  if (!id || wanted.max == 0) return "[]";
  const index::NamePage page{.prefix = wanted.prefix, .limit = wanted.max};
  std::vector<std::string> names;
  switch (wanted.type) {
    case Suggest::Type::metrics: {
      VARVE_ASSIGN_OR_RETURN(names, store.metric_names(*id, page));
      break;
    }
    case Suggest::Type::tag_keys: {
      VARVE_ASSIGN_OR_RETURN(names, store.tag_keys(*id, "", page));
      break;
    }
    case Suggest::Type::tag_values: {
      VARVE_ASSIGN_OR_RETURN(names, values_of_all_keys(store, *id, "", page, query));
      break;
    }
  }
  VARVE_RETURN_IF_ERROR(query.check());
  VARVE_RETURN_IF_ERROR(charge_names(query.budget(), names));
  return array_of(names);
}

std::string opentsdb_aggregators() { return array_of(aggregate::reducer_names()); }

std::string opentsdb_filters() {
  std::string out;
  Writer json(out);
  json.begin_object();
  for (const FilterHelp& help : kFilterHelp) {
    json.key(help.name).begin_object();
    json.member("examples", help.example).member("description", help.description).end_object();
  }
  json.end_object();
  return out;
}

std::string opentsdb_version(std::string_view version) {
  std::string out;
  Writer json(out);
  json.begin_object().member("version", version).member("repo", "varve");
  for (const char* unknown : {"repo_status", "short_revision", "full_revision", "user", "host", "timestamp"}) {
    json.member(unknown, "");
  }
  json.end_object();
  return out;
}

}  // namespace varve::api
