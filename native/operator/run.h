// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "operator/args.h"
#include "operator/span.h"

namespace aclhost {

// Runs the kernel of a checked call whose memory exists. What inputs hold at the start counts:
// inputs that share memory with an output are read from copies, so that neither threads nor the
// order of work decide what comes out.
// Of the arguments, it changes the shapes of results that only the data know.
Status run(Args& args);
// The same where tensors are all of their storage, as arrays of Python are.
Status run_whole(Args& args);
// The same where all tensors have elements, and results memory of their own.
Status run_plain(Args& args);
// The same with the spans of its tensors.
Status run_with_spans(Args& args, const Spans& spans);

}  // namespace aclhost
