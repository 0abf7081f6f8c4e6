# SPDX-License-Identifier: Apache-2.0
"""native/ops/*: each operator's Args struct, its checks, and its pair of C functions."""

from __future__ import annotations

from collections.abc import Iterator

from aclhost import ops
from aclhost.gen.text import banner, c_string
from aclhost.spec import products
from aclhost.spec.operator import Operator
from aclhost.spec.params import TensorIn, TensorInOut, TensorOut
from aclhost.spec.rules.base import DoneWhenEmpty, Rule, Step

_ARGS = """{banner}#pragma once

#include "operator/operator.h"

namespace aclhost {{

struct {short}Args {{
  static constexpr const char* kOperator = "{name}";

{fields}

  template <typename Visit>
  void for_each_tensor(Visit&& visit) {{
{visits}
  }}
}};

Verdict check(const {short}Args& a, const Soc& soc);         // what phase 1 refuses
Verdict check_launch(const {short}Args& a, const Soc& soc);  // what only phase 2 refuses
Status run(const {short}Args& a);                            // the kernel for this processor

}}  // namespace aclhost
"""

_SOURCE = """{banner}#include "ops/{snake}.h"

#include <cmath>
#include <string>

#include "aclnnop/{header}"
#include "base/isa.h"
#include "operator/checks.h"
#include "operator/launch.h"

namespace aclhost {{

Verdict check(const {short}Args& a, const Soc& soc) {{
{steps}
  return Verdict::proceed();
}}

Verdict check_launch([[maybe_unused]] const {short}Args& a, [[maybe_unused]] const Soc& soc) {{
{late_steps}
  return Verdict::proceed();
}}

// The kernel is written once and compiled for each instruction set.
namespace baseline {{
Status run(const {short}Args& a);
}}
#if defined(__x86_64__)
namespace avx2 {{
Status run(const {short}Args& a);
}}
namespace avx512 {{
Status run(const {short}Args& a);
}}
#endif

Status run(const {short}Args& a) {{
#if defined(__x86_64__)
  if (current_isa() == Isa::kAvx512) return avx512::run(a);
  if (current_isa() == Isa::kAvx2) return avx2::run(a);
#endif
  return baseline::run(a);
}}

}}  // namespace aclhost

extern "C" aclnnStatus {name}GetWorkspaceSize({params}, uint64_t* workspaceSize,
    aclOpExecutor** executor) {{
  return aclhost::phase_one<aclhost::{short}Args>(
      workspaceSize, executor, [&](aclhost::{short}Args& a, aclhost::Arguments& from) {{
{resolves}
      }});
}}

extern "C" aclnnStatus {name}(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream) {{
  return aclhost::phase_two({quoted}, workspace, workspaceSize, executor, stream);
}}
"""

_USES = {TensorIn: "kRead", TensorOut: "kWrite", TensorInOut: "kReadWrite"}


def _sentence(rule: Rule) -> str:
    if not rule.depends_on_product:
        return c_string(rule.sentence(products.DEFAULT))
    each = ", ".join(c_string(rule.sentence(product)) for product in products.ALL)
    return f"by_product(soc, {{{each}}})"


def _step(op: Operator, step: Step) -> str:
    if isinstance(step, DoneWhenEmpty):
        return f"  if ({step.condition()}) return Verdict::nothing_to_do();"
    rule = ", ".join(
        (
            c_string(op.name),
            str(int(step.code)),
            c_string(step.id),
            c_string(step.parameter),
            _sentence(step),
            c_string(step.advice()),
        )
    )
    return f"  if ({step.violated()})\n    return violation({{{rule}}}, {step.got()}, soc);"


def _emit_one(op: Operator) -> Iterator[tuple[str, str]]:
    visits = (
        f'    visit("{tensor.name}", {tensor.name}, Use::{_USES[type(tensor)]});'
        for tensor in op.tensors
    )
    resolves = (
        f'        from.{param.resolve}("{param.name}", {param.name}, &a.{param.name});'
        if param.resolve
        else f"        a.{param.name} = {param.name};"
        for param in op.params
    )
    names = {
        "banner": banner(op.source),
        "name": op.name,
        "quoted": c_string(op.name),
        "short": op.short_name,
        "snake": op.snake_name,
        "header": op.header,
    }
    yield (
        f"native/ops/{op.snake_name}.h",
        _ARGS.format(
            fields="\n".join(f"  {param.field_type} {param.name};" for param in op.params),
            visits="\n".join(visits),
            **names,
        ),
    )
    yield (
        f"native/ops/{op.snake_name}.cc",
        _SOURCE.format(
            params=", ".join(param.c_declaration for param in op.params),
            steps="\n".join(_step(op, step) for step in op.steps),
            late_steps="\n".join(_step(op, rule) for rule in op.late_rules),
            resolves="\n".join(resolves),
            **names,
        ),
    )


def emit() -> Iterator[tuple[str, str]]:
    """A header and a source for each operator."""
    for op in ops.ALL:
        yield from _emit_one(op)
