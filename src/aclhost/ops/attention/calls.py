# SPDX-License-Identifier: Apache-2.0
"""Calls of attention for training, which its versions and their gradients share."""

from __future__ import annotations

from aclhost.ops.attention.flash_params import SHIFT
from aclhost.spec.call import Call, TensorArg
from aclhost.spec.params import Parameter


def backward_call(forward: Call) -> Call:
    """Of the gradients of a forward call; statistics are such that shares stay small."""
    given = dict(forward.arguments)
    statistics = forward.shape("softmaxMaxOut")

    def plain(name: str) -> TensorArg:
        tensor = forward.tensor(name)
        return TensorArg(tensor.shape, tensor.dtype, span=(-1, 1))

    given |= {
        "query": plain("query"), "keyIn": plain("key"), "value": plain("value"),
        "dy": plain("attentionOutOut"), "attentionInOptional": plain("attentionOutOut"),
        SHIFT["keyIn"]: given[SHIFT["key"]], "softmaxInOptional": None, "dpseOut": None,
        "softmaxMaxOptional": TensorArg(statistics, span=(1, 2)),
        "softmaxSumOptional": TensorArg(statistics, span=(1, 3)),
        "softmaxInLayout": given.get("softmaxOutLayout"),
        "dqOut": forward.tensor("query"), "dkOut": forward.tensor("key"),
        "dvOut": forward.tensor("value"),
    }  # fmt: skip
    return Call(given)


def only(params: tuple[Parameter, ...], call: Call) -> Call:
    """What a version of the operator has of the arguments of all versions."""
    return Call({param.name: call.arguments[param.name] for param in params})
