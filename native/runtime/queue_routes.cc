// SPDX-License-Identifier: Apache-2.0
// Routes between queues: what is put into the first comes out of the second.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "acl/acl_tdt_queue.h"
#include "base/immortal.h"
#include "runtime/context.h"
#include "runtime/data_queue.h"
#include "runtime/handle_table.h"
#include "runtime/parameter_bytes.h"

namespace aclhost {
namespace {

struct Route {
  uint32_t source;
  uint32_t target;
  int32_t status;
};

using RouteList = std::vector<Route>;

struct Query {
  std::optional<acltdtQueueRouteQueryMode> mode;
  std::optional<uint32_t> source;
  std::optional<uint32_t> target;
};

Immortal<HandleTable<Route, 15>> routes;
Immortal<HandleTable<RouteList, 16>> lists;
Immortal<HandleTable<Query, 17>> queries;

// The object of a handle; null, with the failure reported, if there is none.
template <typename Table>
auto look_up(const Call& call, Table& table, const char* parameter, const void* handle) {
  auto found = table.find(handle);
  if (handle == nullptr) {
    call.null(parameter);
  } else if (found == nullptr) {
    call.fail(ACL_ERROR_INVALID_PARAM, parameter,
              hex(handle) + " is not an object of this kind; it may be destroyed");
  }
  return found;
}

template <typename Table>
int32_t destroy(const char* name, Table& table, const char* parameter, const void* handle) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    if (look_up(call, table, parameter, handle) == nullptr) return ACL_ERROR_INVALID_PARAM;
    table.remove(handle);
    return ACL_SUCCESS;
  });
}

template <typename Object, typename Table>
void* create(const char* name, Table& table, Object object) {
  void* handle = nullptr;
  static_cast<void>(acl_call(name, [&](const Call&) {
    handle = table.add(std::make_shared<Object>(std::move(object)));
    return ACL_SUCCESS;
  }));
  return handle;
}

bool is_bound(const DataQueues& queues, const Route& route) {
  return std::any_of(queues.routes.begin(), queues.routes.end(), [&](const DataRoute& each) {
    return each.source == route.source && each.target == route.target;
  });
}

// Whether data of the one queue come to the other. Each queue is looked at once, as there may be
// exponentially many paths.
bool leads(const DataQueues& queues, uint32_t from, uint32_t to) {
  std::set<uint32_t> seen{from};
  std::vector<uint32_t> left{from};
  while (!left.empty()) {
    const uint32_t here = left.back();
    left.pop_back();
    if (here == to) return true;
    for (const DataRoute& each : queues.routes) {
      if (each.source == here && seen.insert(each.target).second) left.push_back(each.target);
    }
  }
  return false;
}

// Why the route cannot be; null if it can.
const char* bind(DataQueues& queues, const Route& route, int32_t device) {
  if (queues.find(route.source, device) == nullptr ||
      queues.find(route.target, device) == nullptr) {
    return "a queue does not exist on the current device";
  }
  if (is_bound(queues, route)) return nullptr;
  if (leads(queues, route.target, route.source)) return "the routes would go in a circle";
  queues.routes.push_back({route.source, route.target});
  return nullptr;
}

const char* unbind(DataQueues& queues, const Route& route, int32_t) {
  if (!is_bound(queues, route)) return "it is not bound";
  const auto is_it = [&](const DataRoute& each) {
    return each.source == route.source && each.target == route.target;
  };
  auto& all = queues.routes;
  all.erase(std::remove_if(all.begin(), all.end(), is_it), all.end());
  return nullptr;
}

// Tries all; the list tells which of them worked.
template <typename Change>
int32_t change(const char* name, acltdtQueueRouteList* handle, int32_t status, Change&& try_one) {
  return acl_call(name, [&](const Call& call) -> int32_t {
    const auto list = look_up(call, *lists, "qRouteList", handle);
    if (list == nullptr) return ACL_ERROR_INVALID_PARAM;
    const ContextRef context = current_context();
    if (!context) return no_context(call);
    DataQueues& queues = data_queues();
    const std::lock_guard<std::mutex> lock(queues.mutex);
    int32_t result = ACL_SUCCESS;
    for (Route& route : *list) {
      const char* why = try_one(queues, route, context->device());
      if (why == nullptr) {
        route.status = status;
        continue;
      }
      result = call.fail(ACL_ERROR_FAILURE, "qRouteList",
                         "route from queue " + std::to_string(route.source) + " to " +
                             std::to_string(route.target) + ": " + why);
    }
    const std::lock_guard<std::mutex> buffers(buffers_mutex());
    queues.settle();
    return result;
  });
}

// 0, or the reported failure: what the mode asks about has to be set.
int32_t check_query(const Call& call, const Query& query) {
  if (!query.mode) return call.fail(ACL_ERROR_INVALID_PARAM, "queryInfo", "has no mode");
  const auto mode = *query.mode;
  const bool by_source = mode == ACL_TDT_QUEUE_ROUTE_QUERY_SRC;
  const bool by_target = mode == ACL_TDT_QUEUE_ROUTE_QUERY_DST;
  const bool by_both = mode == ACL_TDT_QUEUE_ROUTE_QUERY_SRC_AND_DST;
  if (!by_source && !by_target && !by_both && mode != ACL_TDT_QUEUE_ROUTE_QUERY_ABNORMAL) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "queryInfo",
                     "has mode " + std::to_string(static_cast<int>(mode)));
  }
  if ((by_source || by_both) && !query.source) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "queryInfo", "has no source");
  }
  if ((by_target || by_both) && !query.target) {
    return call.fail(ACL_ERROR_INVALID_PARAM, "queryInfo", "has no target");
  }
  return ACL_SUCCESS;
}

// Routes within a process are never abnormal.
bool answers(const Query& query, const DataRoute& route) {
  switch (*query.mode) {
    case ACL_TDT_QUEUE_ROUTE_QUERY_SRC:
      return route.source == *query.source;
    case ACL_TDT_QUEUE_ROUTE_QUERY_DST:
      return route.target == *query.target;
    case ACL_TDT_QUEUE_ROUTE_QUERY_SRC_AND_DST:
      return route.source == *query.source && route.target == *query.target;
    default:
      return false;
  }
}

template <typename T>
int32_t set_optional(const Call& call, std::optional<T>* member, size_t size, const void* from) {
  T value{};
  if (const int32_t code = take_bytes(call, &value, size, from)) return code;
  *member = value;
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" acltdtQueueRoute* acltdtCreateQueueRoute(uint32_t srcId, uint32_t dstId) {
  return static_cast<acltdtQueueRoute*>(
      create("acltdtCreateQueueRoute", *routes, Route{srcId, dstId, ACL_TDT_QUEUE_ROUTE_UNBIND}));
}

extern "C" aclError acltdtDestroyQueueRoute(const acltdtQueueRoute* route) {
  return destroy("acltdtDestroyQueueRoute", *routes, "route", route);
}

extern "C" aclError acltdtGetQueueRouteParam(const acltdtQueueRoute* route,
                                             acltdtQueueRouteParamType type, size_t len,
                                             size_t* paramRetSize, void* param) {
  return acl_call("acltdtGetQueueRouteParam", [&](const Call& call) -> int32_t {
    const auto found = look_up(call, *routes, "route", route);
    if (found == nullptr) return ACL_ERROR_INVALID_PARAM;
    if (param == nullptr) return call.null("param");
    if (paramRetSize == nullptr) return call.null("paramRetSize");
    switch (type) {
      case ACL_TDT_QUEUE_ROUTE_SRC_UINT32:
        return give_bytes(call, found->source, len, paramRetSize, param);
      case ACL_TDT_QUEUE_ROUTE_DST_UINT32:
        return give_bytes(call, found->target, len, paramRetSize, param);
      case ACL_TDT_QUEUE_ROUTE_STATUS_INT32:
        return give_bytes(call, found->status, len, paramRetSize, param);
      default:
        return no_such_type(call, static_cast<int>(type));
    }
  });
}

extern "C" acltdtQueueRouteList* acltdtCreateQueueRouteList() {
  return static_cast<acltdtQueueRouteList*>(
      create("acltdtCreateQueueRouteList", *lists, RouteList{}));
}

extern "C" aclError acltdtDestroyQueueRouteList(const acltdtQueueRouteList* routeList) {
  return destroy("acltdtDestroyQueueRouteList", *lists, "routeList", routeList);
}

extern "C" aclError acltdtAddQueueRoute(acltdtQueueRouteList* routeList,
                                        const acltdtQueueRoute* route) {
  return acl_call("acltdtAddQueueRoute", [&](const Call& call) -> int32_t {
    const auto list = look_up(call, *lists, "routeList", routeList);
    if (list == nullptr) return ACL_ERROR_INVALID_PARAM;
    const auto added = look_up(call, *routes, "route", route);
    if (added == nullptr) return ACL_ERROR_INVALID_PARAM;
    list->push_back(*added);
    return ACL_SUCCESS;
  });
}

extern "C" aclError acltdtGetQueueRoute(const acltdtQueueRouteList* routeList, size_t index,
                                        acltdtQueueRoute* route) {
  return acl_call("acltdtGetQueueRoute", [&](const Call& call) -> int32_t {
    const auto list = look_up(call, *lists, "routeList", routeList);
    if (list == nullptr) return ACL_ERROR_INVALID_PARAM;
    const auto target = look_up(call, *routes, "route", route);
    if (target == nullptr) return ACL_ERROR_INVALID_PARAM;
    if (index >= list->size()) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "index",
                       "is " + std::to_string(index) + "; the list has " +
                           std::to_string(list->size()) + " routes");
    }
    *target = (*list)[index];
    return ACL_SUCCESS;
  });
}

extern "C" size_t acltdtGetQueueRouteNum(const acltdtQueueRouteList* routeList) {
  size_t number = 0;
  static_cast<void>(acl_call("acltdtGetQueueRouteNum", [&](const Call& call) -> int32_t {
    const auto list = look_up(call, *lists, "routeList", routeList);
    if (list == nullptr) return ACL_ERROR_INVALID_PARAM;
    number = list->size();
    return ACL_SUCCESS;
  }));
  return number;
}

extern "C" acltdtQueueRouteQueryInfo* acltdtCreateQueueRouteQueryInfo() {
  return static_cast<acltdtQueueRouteQueryInfo*>(
      create("acltdtCreateQueueRouteQueryInfo", *queries, Query{}));
}

extern "C" aclError acltdtDestroyQueueRouteQueryInfo(const acltdtQueueRouteQueryInfo* info) {
  return destroy("acltdtDestroyQueueRouteQueryInfo", *queries, "info", info);
}

extern "C" aclError acltdtSetQueueRouteQueryInfo(acltdtQueueRouteQueryInfo* param,
                                                 acltdtQueueRouteQueryInfoParamType type,
                                                 size_t len, const void* value) {
  return acl_call("acltdtSetQueueRouteQueryInfo", [&](const Call& call) -> int32_t {
    const auto query = look_up(call, *queries, "param", param);
    if (query == nullptr) return ACL_ERROR_INVALID_PARAM;
    if (value == nullptr) return call.null("value");
    switch (type) {
      case ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM:
        return set_optional(call, &query->mode, len, value);
      case ACL_TDT_QUEUE_ROUTE_QUERY_SRC_ID_UINT32:
        return set_optional(call, &query->source, len, value);
      case ACL_TDT_QUEUE_ROUTE_QUERY_DST_ID_UINT32:
        return set_optional(call, &query->target, len, value);
      default:
        return no_such_type(call, static_cast<int>(type));
    }
  });
}

extern "C" aclError acltdtBindQueueRoutes(acltdtQueueRouteList* qRouteList) {
  return change("acltdtBindQueueRoutes", qRouteList, ACL_TDT_QUEUE_ROUTE_BIND, bind);
}

extern "C" aclError acltdtUnbindQueueRoutes(acltdtQueueRouteList* qRouteList) {
  return change("acltdtUnbindQueueRoutes", qRouteList, ACL_TDT_QUEUE_ROUTE_UNBIND, unbind);
}

extern "C" aclError acltdtQueryQueueRoutes(const acltdtQueueRouteQueryInfo* queryInfo,
                                           acltdtQueueRouteList* qRouteList) {
  return acl_call("acltdtQueryQueueRoutes", [&](const Call& call) -> int32_t {
    const auto query = look_up(call, *queries, "queryInfo", queryInfo);
    if (query == nullptr) return ACL_ERROR_INVALID_PARAM;
    const auto list = look_up(call, *lists, "qRouteList", qRouteList);
    if (list == nullptr) return ACL_ERROR_INVALID_PARAM;
    if (const int32_t code = check_query(call, *query)) return code;
    DataQueues& queues = data_queues();
    const std::lock_guard<std::mutex> lock(queues.mutex);
    for (const DataRoute& route : queues.routes) {
      if (!answers(*query, route)) continue;
      list->push_back({route.source, route.target, ACL_TDT_QUEUE_ROUTE_BIND});
    }
    return ACL_SUCCESS;
  });
}
