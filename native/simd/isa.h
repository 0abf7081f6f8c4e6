// SPDX-License-Identifier: Apache-2.0
// Note [Instruction sets]
// Every kernel is compiled once for each instruction set, with ACLHOST_ISA as its name. All of it
// stands in an inline namespace of that name: two versions of one function must not meet in the
// linker, which would keep either. The generated run() of an operator picks the version. Code that
// is compiled once gets the baseline version of what it uses.
#pragma once

#ifndef ACLHOST_ISA
#define ACLHOST_ISA baseline
#endif
