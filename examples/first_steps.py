# SPDX-License-Identifier: Apache-2.0
"""Operators on arrays, and what a wrong call says."""

import numpy as np

import aclhost

if __name__ == "__main__":
    x = np.array([[2.0, -1.0, 0.5], [0.0, 3.0, 1.0]], np.float32)
    print(aclhost.softmax(x, dim=1).round(3))
    values, indices = aclhost.topk(x, k=2, dim=1)
    print(values, indices, sep="\n")
    try:
        aclhost.elu_backward(x, x.astype(np.float16))
    except aclhost.AclnnError as error:
        print(error.status, error.parameter, error.rule)
