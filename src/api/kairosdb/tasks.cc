// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/tasks.h"

#include "api/kairosdb/kairosdb_parts.h"
#include "api/shared/routes.h"
#include "base/uuid.h"
#include "language/kairosdb/to_request.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"
#include "protocol/kairosdb/datapoints.h"
#include "task/backfill_time.h"

namespace varve::api {
namespace {

using task::Backfill;
using task::Task;
using task::TaskName;
using task::TaskStore;

constexpr std::string_view kPath = "/api/v1/rollups";

Response errors(int status, const std::vector<std::string>& list) {
  return with_retry(kairosdb_response(status, protocol::kairosdb::render_errors(list)));
}
Response failed(const Error& error) { return errors(status_of(error.code), {error.message}); }
Response not_found(const std::string& id) { return errors(404, {"Resource not found for id " + id.substr(0, 200)}); }

// {"id":…,"name":…,"attributes":{"url":…}}
std::string link_to(const Task& task) {
  std::string out;
  protocol::json::Writer json(out);
  json.begin_object().member("id", task.id).member("name", task.name).key("attributes");
  json.begin_object().member("url", std::string(kPath) + "/" + task.id).end_object().end_object();
  return out;
}

struct Call {
  const TasksContext& context;
  const Request& request;
  TaskName name;  // its id: what the path ends with

  TaskStore& tasks() const { return context.tasks; }
  void changed() const {
    if (context.changed) context.changed();
  }
};

Response put(const Call& call, const std::string& id) {
  const auto check = [&](std::string_view json) -> Status {
    VARVE_RETURN_IF_ERROR(language::kairosdb::to_request(json, call.request.tenant, call.context.clock.now_ms()));
    return {};
  };
  if (call.request.body.empty()) return errors(400, {"roll-up task json must not be null or empty"});
  if (const Status strict = protocol::json::check_strict(call.request.body); !strict) return failed(strict.error());
  const auto task = task::parse_task(call.request.body, id, check);
  if (!task) return errors(400, task.error());
  const Status put = call.tasks().put({call.name.tenant, id}, task->json);
  if (!put) return failed(put.error());
  call.changed();
  return kairosdb_response(200, link_to(*task));
}

Response create(const Call& call) {
  const auto ids = call.tasks().ids(call.name.tenant);
  if (!ids) return failed(ids.error());
  if (ids->size() >= kTasksMax) {
    return failed({Code::limit, "the tenant has " + std::to_string(kTasksMax) + " roll-up tasks, which is the most"});
  }
  return put(call, random_uuid());
}

Response list(const Call& call) {
  const auto ids = call.tasks().ids(call.name.tenant);
  if (!ids) return failed(ids.error());
  std::string body;
  protocol::json::Writer tasks(body);
  tasks.begin_array();
  for (const std::string& id : *ids) {
    const auto json = call.tasks().json({call.name.tenant, id});
    if (!json) return failed(json.error());
    if (!*json) continue;  // erased just now
    tasks.raw(**json);
  }
  tasks.end_array();
  return kairosdb_response(200, std::move(body));
}

// The task's JSON is handed to `answer`, if there is such a task.
template <class Answer>
Response with_task(const Call& call, const Answer& answer) {
  const auto json = call.tasks().json(call.name);
  if (!json) return failed(json.error());
  return *json ? answer(**json) : not_found(call.name.id);
}

Response get(const Call& call) {
  return with_task(call, [](const std::string& json) { return kairosdb_response(200, json); });
}

Response replace(const Call& call) {
  return with_task(call, [&](const std::string&) { return put(call, call.name.id); });
}

Response erase(const Call& call) {
  return with_task(call, [&](const std::string&) {
    const Status erased = call.tasks().erase(call.name);
    if (!erased) return failed(erased.error());
    call.changed();
    return kairosdb_response(204);
  });
}

Response status(const Call& call) {
  return with_task(call, [&](const std::string& json) {
    const auto task = task::parse_task(json, call.name.id, [](std::string_view) { return Status(); });
    const auto state = call.tasks().state(call.name);
    if (!state) return failed(state.error());
    if (!task || !*state || (*state)->of != task::version_of(*task)) {
      return errors(404, {"Status not found for id " + call.name.id});
    }
    return kairosdb_response(200, task::status_json(*task, **state));
  });
}

Response backfill(const Call& call) {
  return with_task(call, [&](const std::string&) {
    const auto start = task::backfill_time(call.request.param("startTime").value_or(""));
    if (!start) return errors(400, {"startTime " + start.error().message});
    Backfill wanted{{*start, call.context.clock.now_ms()}, 0, {}};
    if (const auto end = call.request.param("endTime"); end && !end->empty()) {
      const auto time = task::backfill_time(*end);
      if (!time) return errors(400, {"endTime " + time.error().message});
      wanted.range.last = *time + 1;
    }
    if (wanted.range.empty()) return errors(400, {"endTime must be greater than startTime"});
    const Status put = call.tasks().put_backfill(call.name, wanted);
    if (!put) return failed(put.error());
    call.changed();
    return kairosdb_response(204);
  });
}

using TaskWork = Response (*)(const Call&);

struct TaskParts {
  TasksContext context;
  Endpoint endpoint;
};

template <TaskWork work>
Result<Response> task_call(const TaskParts& parts, const Request& request) {
  const TaskName name{request.tenant, std::string(request.captured("id"))};
  if (!protocol::json::is_utf8(name.id)) return not_found("that is not a text");
  if (name.id.size() > storage::kTextNameBytesMax) return not_found(name.id);
  return work({parts.context, request, name});
}

template <TaskWork work>
constexpr OnPool<TaskParts> kTaskCall{task_call<work>, &TaskParts::endpoint};

// Each path is also there with a slash behind it. The last name takes what is left of a path: the longest first.
constexpr Route<TaskParts> kTaskRoutes[] = {
    {Method::get, "/api/v1/rollups/status/{id}/", kTaskCall<status>},
    {Method::get, "/api/v1/rollups/status/{id}", kTaskCall<status>},
    {.pattern = "/api/v1/rollups/backfill/{id}/",
     .answer = kTaskCall<backfill>,
     .effect = Effect::writes,
     .changes_by_get = true},
    {.pattern = "/api/v1/rollups/backfill/{id}",
     .answer = kTaskCall<backfill>,
     .effect = Effect::writes,
     .changes_by_get = true},
    {Method::get, "/api/v1/rollups/{id}/", kTaskCall<get>},
    {Method::get, "/api/v1/rollups/{id}", kTaskCall<get>},
    {Method::put, "/api/v1/rollups/{id}/", kTaskCall<replace>, Effect::writes},
    {Method::put, "/api/v1/rollups/{id}", kTaskCall<replace>, Effect::writes},
    {Method::delete_, "/api/v1/rollups/{id}/", kTaskCall<erase>, Effect::writes},
    {Method::delete_, "/api/v1/rollups/{id}", kTaskCall<erase>, Effect::writes},
    {Method::post, "/api/v1/rollups", kTaskCall<create>, Effect::writes},
    {Method::post, "/api/v1/rollups/", kTaskCall<create>, Effect::writes},
    {Method::get, "/api/v1/rollups", kTaskCall<list>},
    {Method::get, "/api/v1/rollups/", kTaskCall<list>},
};

}  // namespace

void add_rollup_tasks(Router& router, const TasksContext& context) {
  const auto parts = std::make_shared<const TaskParts>(TaskParts{context, Endpoint(context.pool, status_of)});
  add_routes(router, parts, kTaskRoutes, kairosdb_error);
}

}  // namespace varve::api
