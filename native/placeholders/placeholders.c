// SPDX-License-Identifier: Apache-2.0
// libaclhost_placeholders.so: the operators that upstream has and aclhost does not compute, for
// programs that link them or bind them at load time. The default libraries do not have them,
// because clients ask dlsym and go another way where a name is absent.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define NOT_COMPUTED 561103

typedef int32_t (*Report)(const char* name);

// LD_PRELOAD puts this library into every process of a shell; those that call nothing of it shall
// not load the rest.
static int32_t refuse(const char* name) {
  void* library = dlopen("libaclhost.so", RTLD_LAZY | RTLD_LOCAL);
  Report report = library == NULL ? NULL : (Report)dlsym(library, "aclhost_not_computed");
  return report == NULL ? NOT_COMPUTED : report(name);
}

// The arguments do not matter, so one prototype serves all.
#define FUNCTION(name) \
  int32_t name(void) { return refuse(#name); }

#include "placeholders.inc"
