# SPDX-License-Identifier: Apache-2.0
"""Every header stands alone, in C and C++, without a warning."""

from pathlib import Path

import pytest
from support.programs import run

from aclhost.building import toolkit

INCLUDE = toolkit.prefix() / "include"
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.h"))
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
LANGUAGES = {
    "c99": ("gcc", "-xc", "-std=c99"),
    "c11": ("gcc", "-xc", "-std=c11"),
    "c++11": ("g++", "-xc++", "-std=c++11"),
    "c++17": ("g++", "-xc++", "-std=c++17"),
    "old-abi": ("g++", "-xc++", "-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=0"),
}

UPSTREAM_TREE = {
    "acl/acl.h", "acl/acl_rt.h", "acl/acl_base.h", "acl/acl_base_rt.h", "acl/acl_base_mdl.h",
    "acl/acl_op.h", "acl/acl_mdl.h", "acl/acl_rt_allocator.h", "acl/acl_rt_memory_soma.h",
    "acl/acl_platform.h", "acl/acl_dump.h", "acl/acl_prof.h", "acl/acl_tdt.h",
    "acl/acl_tdt_queue.h",
    "acl/error_codes/rt_error_codes.h", "acl/error_codes/ge_error_codes.h",
    "aclnn/acl_meta.h", "aclnn/aclnn_base.h", "aclnn/opdev/op_errno.h", "aclnnop/aclnn_util.h",
}  # fmt: skip

# The exact types matter: clients pass these functions by name as deleters.
DELETERS = r"""
#include <memory>
#include <type_traits>
#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#define SAME(function, ...) \
  static_assert(std::is_same<decltype(&function), __VA_ARGS__>::value, #function)
SAME(aclrtFree, aclError (*)(void*));
SAME(aclrtFreeHost, aclError (*)(void*));
SAME(aclDestroyTensor, aclnnStatus (*)(const aclTensor*));
SAME(aclDestroyScalar, aclnnStatus (*)(const aclScalar*));
SAME(aclDestroyIntArray, aclnnStatus (*)(const aclIntArray*));
SAME(aclDestroyBoolArray, aclnnStatus (*)(const aclBoolArray*));
SAME(aclDestroyTensorList, aclnnStatus (*)(const aclTensorList*));
SAME(aclCreateTensorList, aclTensorList* (*)(const aclTensor* const*, uint64_t));
SAME(aclSetDynamicInputTensorAddr,
     aclnnStatus (*)(aclOpExecutor*, size_t, const size_t, aclTensorList*, void*));
static_assert(sizeof(aclDataType) == 4 && sizeof(aclFormat) == 4 && sizeof(aclrtMemAttr) == 4, "");
static_assert(std::is_same<decltype(OK), const aclnnStatus>::value && OK == 0, "");
int main() {
  std::unique_ptr<void, aclError (*)(void*)> memory(nullptr, aclrtFree);
  std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor*)> tensor(nullptr, aclDestroyTensor);
  return 0;
}
"""

# Bytes on x86-64 and aarch64: what a program lays out and a library fills has to agree.
SIZES = {
    "aclrtMallocConfig": 16, "aclrtPtrAttributes": 28, "aclrtUtilizationInfo": 24,
    "aclrtStreamConfigHandle": 32, "aclrtPhysicalMemProp": 32, "aclrtMemUsageInfo": 112,
    "aclCANNPackageVersion": 512, "aclrtErrorInfo": 2576, "aclrtUuid": 16, "dim3": 12,
}  # fmt: skip


def test_the_tree_is_complete():
    assert set(HEADERS) >= UPSTREAM_TREE


# Hundreds of operators' headers come from one template: one of them stands for all.
ALONE = [name for name in HEADERS if not name.startswith("aclnnop/")] + [
    "aclnnop/aclnn_util.h",
    "aclnnop/aclnn_elu.h",
]


def compile_headers(language, headers, source):
    """Each is included twice: guards must hold."""
    lines = [f'#include "{header}"\n' * 2 for header in headers]
    source.write_text("".join(lines) + "int main(void) { return 0; }\n")
    run([*LANGUAGES[language], *WARNINGS, "-fsyntax-only", f"-I{INCLUDE}", source])


@pytest.mark.parametrize("language", LANGUAGES)
def test_headers_compile_alone(language, tmp_path):
    for header in ALONE:
        compile_headers(language, [header], tmp_path / "source")


@pytest.mark.parametrize("language", LANGUAGES)
def test_headers_compile_together(language, tmp_path):
    assert len(HEADERS) > 800
    compile_headers(language, HEADERS, tmp_path / "source")


def test_operator_headers_include_the_same():
    for header in HEADERS:
        if header.startswith("aclnnop/") and header != "aclnnop/aclnn_util.h":
            lines = (INCLUDE / header).read_text(encoding="ascii").splitlines()
            includes = [line for line in lines if line.startswith("#include")]
            again = [f'#include "../{Path(header).name}"']
            own = ['#include "aclnn/aclnn_base.h"', '#include "aclnn_util.h"']
            assert includes == (again if "/level2/" in header else own), header


def test_headers_keep_to_themselves():
    """Nothing outside the tree but the C library."""
    allowed = {"<stdbool.h>", "<stddef.h>", "<stdint.h>", "<stdlib.h>"}
    for header in HEADERS:
        for line in (INCLUDE / header).read_text(encoding="ascii").splitlines():
            if line.startswith("#include <"):
                assert line.split()[1] in allowed, header


def test_function_types(tmp_path):
    source = tmp_path / "types.cpp"
    source.write_text(DELETERS)
    run(["g++", "-std=c++11", "-Wall", "-Werror", "-fsyntax-only", f"-I{INCLUDE}", source])


@pytest.mark.parametrize("language", ["c11", "c++11"])
def test_sizes(language, tmp_path):
    keyword = "static_assert" if language == "c++11" else "_Static_assert"
    checks = [f'{keyword}(sizeof({name}) == {size}, "");\n' for name, size in SIZES.items()]
    source = tmp_path / "sizes"
    source.write_text('#include "acl/acl.h"\n' + "".join(checks))
    run([*LANGUAGES[language], "-fsyntax-only", f"-I{INCLUDE}", source])


def test_the_arch_tree_has_the_same_headers(arch_prefix):
    for header in HEADERS:
        text = (arch_prefix / "include" / header).read_text()
        assert text == Path(INCLUDE, header).read_text(), header
