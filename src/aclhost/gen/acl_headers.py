# SPDX-License-Identifier: Apache-2.0
"""include/acl/*.h, include/aclnn/*.h and aclnn_util.h: everything but operators; C99 and C++11."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aclhost.gen.text import banner
from aclhost.spec import c_types, enums, error_codes, runtime_api
from aclhost.spec.error_codes import ErrorCode
from aclhost.spec.functions import Function
from aclhost.spec.header_types import Constant, Enumeration, MacroGroup

_COLUMNS = 100
_SPEC = "src/aclhost/spec/"

_VISIBILITY = """\
// Only a build of the library itself marks its functions; a client needs no mark.
#ifdef FUNC_VISIBILITY
#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))
#else
#define ACL_FUNC_VISIBILITY
#endif
"""

_BASE = ('"acl_base.h"',)
_OTHERS: dict[str, tuple[str, ...]] = {
    "acl/acl_rt_allocator.h": _BASE,
    "acl/acl_rt_memory_soma.h": ('"acl_rt.h"',),
    "acl/acl_platform.h": _BASE,
    "acl/acl_dump.h": _BASE,
    "acl/acl_prof.h": _BASE,
    "acl/acl_tdt.h": _BASE,
    "acl/acl_tdt_queue.h": _BASE,
}
# Installed instead of headers that the library is built with: it defines these functions in a few
# files, and a change of them must not compile all others.
_PUBLIC: dict[str, tuple[str, ...]] = {
    "acl/acl_base_mdl.h": ("<stddef.h>", "<stdint.h>", '"acl/acl_base_rt.h"'),
    "acl/acl_op.h": ('"acl/acl_base.h"', '"acl/acl_rt.h"', '"acl/acl_dump.h"'),
    "acl/acl_mdl.h": ('"acl/acl_base.h"', '"acl/acl_rt.h"'),
    "acl/acl_op_compiler.h": ('"acl/acl_base.h"', '"acl/acl_op.h"'),
    "acl/ops/acl_cblas.h": ('"acl/acl_rt.h"', '"acl/acl_op.h"', '"acl/acl_mdl.h"'),
    "hccl/hccl_types.h": ("<stdint.h>",),
    "hccl/hccl_comm.h": ('"hccl/hccl_types.h"', '"acl/acl.h"'),
    "hccl/hccl.h": ('"hccl/hccl_types.h"', '"hccl/hccl_comm.h"', '"acl/acl.h"'),
}


def emit() -> Iterator[tuple[str, str]]:
    """Every header that belongs to no operator."""
    yield _header("acl/acl.h", "", includes=('"acl_rt.h"', '"acl_op.h"', '"acl_mdl.h"'))
    yield _empty_header("acl/acl_op.h", "single operators through the graph engine")
    yield _empty_header("acl/acl_mdl.h", "offline models")
    yield _empty_header("acl/acl_base_mdl.h", "types of offline models")
    for name, includes in _PUBLIC.items():
        path, text = _declaring(name, includes)
        yield f"public/{path}", text
    yield _header(
        "acl/acl_base.h",
        "",
        includes=(
            '"acl_base_rt.h"',
            '"acl_base_mdl.h"',
            '"error_codes/rt_error_codes.h"',
            '"error_codes/ge_error_codes.h"',
        ),
    )
    yield _base_rt()
    yield _acl_rt()
    for name, includes in _OTHERS.items():
        yield _declaring(name, includes)
    yield _error_header("rt", error_codes.RT_LAYER, "#define {0.name} {0.value}\n")
    yield _error_header(
        "ge",
        error_codes.GE_LAYER,
        "static const uint32_t {0.name} = {0.value};\n",
        includes=("<stdint.h>",),
    )
    yield _acl_meta()
    yield _header("aclnn/aclnn_base.h", "", includes=("<stdlib.h>", '"aclnn/acl_meta.h"'))
    yield _header(
        "aclnn/opdev/op_errno.h",
        _codes(error_codes.ACLNN, "#define {0.name} {0.value}\n"),
        source="error_codes.py",
    )
    yield _header(
        "aclnnop/aclnn_util.h", '#define ACLNN_API __attribute__((visibility("default")))\n'
    )


def _base_rt() -> tuple[str, str]:
    name = enums.ACL_BASE_RT
    scalars = "typedef int aclError;\ntypedef uint16_t aclFloat16;\n"
    handles = _typedefs("void*", c_types.HANDLE_TYPES)
    codes = _codes(error_codes.ACL_LAYER, "static const int {0.name} = {0.value};\n")
    body = _join(
        _VISIBILITY,
        _c_linkage(scalars + handles, codes, _enums(name), _types(name), _functions(name)),
    )
    return _header(name, body, source="enums.py", includes=("<stddef.h>", "<stdint.h>"))


def _acl_rt() -> tuple[str, str]:
    standard = ("<stdbool.h>", "<stddef.h>", "<stdint.h>")
    return _declaring(enums.ACL_RT, (*standard, '"acl_base.h"', '"acl_rt_allocator.h"'))


def _declaring(name: str, includes: tuple[str, ...]) -> tuple[str, str]:
    """Macros, types and functions of a header, each as the tables say."""
    macros = [_macros(group) for group in enums.MACROS if group.header == name]
    handles = _typedefs("void*", c_types.HANDLES_OF_HEADERS.get(name, ()))
    parts = (*macros, handles, _enums(name), _types(name), _functions(name))
    body = _c_linkage(*(part for part in parts if part))
    return _header(name, body, source="header_types.json and runtime_api.py", includes=includes)


def _acl_meta() -> tuple[str, str]:
    name = runtime_api.ACL_META
    opaque = "".join(f"typedef struct {t} {t};\n" for t in c_types.OBJECT_TYPES)
    status = "typedef int32_t aclnnStatus;\n"
    # Operator authors' headers define the same types and announce it with this macro.
    types = f"#ifndef ACLNN_META\n#define ACLNN_META\n{opaque}{status}#endif\n"
    ok = "static const aclnnStatus OK = 0;\n"
    includes = ("<stdbool.h>", "<stdint.h>", "<stdlib.h>", '"acl/acl_base.h"')
    return _header(name, _c_linkage(types, ok, _functions(name)), includes=includes)


def _error_header(
    layer: str, codes: Iterable[ErrorCode], template: str, includes: tuple[str, ...] = ()
) -> tuple[str, str]:
    path = f"acl/error_codes/{layer}_error_codes.h"
    return _header(path, _codes(codes, template), source="error_codes.py", includes=includes)


def _empty_header(path: str, subject: str) -> tuple[str, str]:
    return _header(path, f"// Upstream keeps {subject} here; nothing of it is provided.\n")


def _header(
    path: str, body: str, source: str = "runtime_api.py", includes: tuple[str, ...] = ()
) -> tuple[str, str]:
    guard = "ACLHOST_" + path.upper().replace("/", "_").replace(".", "_")
    parts = (
        f"{banner(_SPEC + source)}#ifndef {guard}\n#define {guard}\n",
        "".join(f"#include {name}\n" for name in includes),
        body,
        f"#endif  // {guard}\n",
    )
    return f"include/{path}", _join(*parts)


def _join(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _c_linkage(*parts: str) -> str:
    opening = '#ifdef __cplusplus\nextern "C" {\n#endif\n'
    return _join(opening, *parts, "#ifdef __cplusplus\n}\n#endif\n")


def _typedefs(target: str, names: Iterable[str]) -> str:
    return "".join(f"typedef {target} {name};\n" for name in names)


def _codes(codes: Iterable[ErrorCode], template: str) -> str:
    return "".join(f"// {code.meaning}\n{template.format(code)}" for code in codes)


def _comment(summary: str) -> str:
    return f"// {summary}\n" if summary else ""


def _macros(group: MacroGroup) -> str:
    return _comment(group.summary) + "".join(
        f"#define {member.name} {member.literal}{'U' if member.hexadecimal else ''}\n"
        for member in group.members
    )


def _enums(header: str) -> str:
    return _join(*(_enum(e) for e in enums.ENUMERATIONS if e.header == header))


def _enum(enumeration: Enumeration) -> str:
    def line(member: Constant) -> str:
        return f"  {member.name} = {member.literal},\n"

    members = "".join(map(line, enumeration.members))
    name = enumeration.name
    return f"{_comment(enumeration.summary)}typedef enum {name} {{\n{members}}} {name};\n"


def _types(header: str) -> str:
    declared = (t for t in c_types.DECLARED if t.header == header)
    return _join(*(f"{_comment(t.summary)}{t.text}\n" for t in declared))


def _functions(header: str) -> str:
    return _join(*(_declaration(f) for f in runtime_api.FUNCTIONS if f.header == header))


def _declaration(function: Function) -> str:
    """A summary and the prototype, one parameter to a line where it is too long for one."""
    text = f"ACL_FUNC_VISIBILITY {function.prototype};"
    if len(text) > _COLUMNS:
        head, tail = text.split("(", 1)
        text = f"{head}(\n    " + tail.replace(", ", ",\n    ")
    return f"// {function.summary}\n{text}\n"
