// SPDX-License-Identifier: Apache-2.0
// Notifies that count: a record changes a number, and a wait is over when the number fits.
#include <string>

#include "acl/acl_rt.h"
#include "base/immortal.h"
#include "runtime/notify.h"

namespace aclhost {
namespace {

Immortal<HandleTable<Notify, 6>> counters;

bool is_over(const aclrtCntNotifyWaitInfo& info, uint32_t value) {
  switch (info.mode) {
    case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE:
      return value < info.value;
    case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE:
      return value == info.value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE:
      return value > info.value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE:
      return value >= info.value;
    default:
      return (value & info.value) == info.value;
  }
}

uint32_t counted(const aclrtCntNotifyRecordInfo& info, uint32_t value) {
  switch (info.mode) {
    case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
      return value + info.value;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
      return value | info.value;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
      return value & info.value;
    default:
      return info.value;
  }
}

int32_t bad_mode(const Call& call, int mode) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "info",
                   "has mode " + std::to_string(mode) + ", which does not exist");
}

int32_t record_count(const Call& call, const NotifyPtr& notify, Stream& queue,
                     const aclrtCntNotifyRecordInfo& info) {
  const int mode = static_cast<int>(info.mode);
  if (mode < 0 || mode > ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE || mode == 3) {
    return bad_mode(call, mode);
  }
  submit_plain(queue, Weight::kMark, call.name, [notify, info](int32_t) {
    notify->word->update([&](uint32_t value) { return counted(info, value); });
    return Status();
  });
  return ACL_SUCCESS;
}

int32_t wait_count(const Call& call, const NotifyPtr& notify, Stream& queue,
                   const aclrtCntNotifyWaitInfo& info) {
  const int mode = static_cast<int>(info.mode);
  if (mode < 0 || mode > ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE) {
    return bad_mode(call, mode);
  }
  submit_plain(queue, Weight::kWaiting, call.name, [notify, info](int32_t) {
    const bool in_time = await_word(*notify->word, info.timeout, [&](uint32_t value) {
      return is_over(info, value) && (info.isClear == 0 || notify->word->exchange(&value, 0));
    });
    return in_time ? Status() : notify_too_late("aclrtCntNotifyWaitWithTimeout", info.timeout);
  });
  return ACL_SUCCESS;
}

// What `action` (record_count or wait_count) does with the counter and the stream.
template <typename Info, typename Action>
int32_t act(const char* name, aclrtCntNotify counter, aclrtStream stream, const Info* info,
            const Action& action) {
  return with_notify_and_stream(name, *counters, counter, stream,
                                [&](const Call& call, const NotifyPtr& found, Stream& queue) {
                                  return info == nullptr ? call.null("info")
                                                         : action(call, found, queue, *info);
                                });
}

}  // namespace
}  // namespace aclhost

using namespace aclhost;

extern "C" aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag) {
  return acl_call("aclrtCntNotifyCreate", [&](const Call& call) {
    return create_notify(call, *counters, cntNotify, flag, 0);
  });
}

extern "C" aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify) {
  return acl_call("aclrtCntNotifyDestroy",
                  [&](const Call& call) { return destroy_notify(call, *counters, cntNotify); });
}

extern "C" aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                                         aclrtCntNotifyRecordInfo* info) {
  return act("aclrtCntNotifyRecord", cntNotify, stream, info, record_count);
}

extern "C" aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
                                                  aclrtCntNotifyWaitInfo* info) {
  return act("aclrtCntNotifyWaitWithTimeout", cntNotify, stream, info, wait_count);
}

extern "C" aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream) {
  const aclrtCntNotifyRecordInfo zero{ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0};
  return act("aclrtCntNotifyReset", cntNotify, stream, &zero, record_count);
}

extern "C" aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId) {
  return get_notify_id("aclrtCntNotifyGetId", *counters, cntNotify, notifyId);
}
