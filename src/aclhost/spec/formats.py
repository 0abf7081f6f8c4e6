# SPDX-License-Identifier: Apache-2.0
"""Tensor formats: numbers, implied ranks, and which ones are private to the device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """One member of aclFormat."""

    name: str
    value: int
    rank: int | None = None  # the rank the label implies; None: any
    private: bool = False

    @property
    def c_name(self) -> str:
        # Upstream left FORMAT_ out of this one name.
        return f"ACL_{self.name}" if self.name == "FRACTAL_Z_3D" else f"ACL_FORMAT_{self.name}"

    def __str__(self) -> str:
        return self.name


UNDEFINED = Format("UNDEFINED", -1)
NCHW = Format("NCHW", 0, rank=4)
NHWC = Format("NHWC", 1, rank=4)
ND = Format("ND", 2)
NC1HWC0 = Format("NC1HWC0", 3, private=True)
FRACTAL_Z = Format("FRACTAL_Z", 4, private=True)
NC1HWC0_C04 = Format("NC1HWC0_C04", 12, private=True)
HWCN = Format("HWCN", 16, rank=4)
NDHWC = Format("NDHWC", 27, rank=5)
FRACTAL_NZ = Format("FRACTAL_NZ", 29, private=True)
NCDHW = Format("NCDHW", 30, rank=5)
NDC1HWC0 = Format("NDC1HWC0", 32, private=True)
FRACTAL_Z_3D = Format("FRACTAL_Z_3D", 33, private=True)
NC = Format("NC", 35)
NCL = Format("NCL", 47, rank=3)
FRACTAL_NZ_C0_16 = Format("FRACTAL_NZ_C0_16", 50, private=True)
FRACTAL_NZ_C0_32 = Format("FRACTAL_NZ_C0_32", 51, private=True)
FRACTAL_NZ_C0_2 = Format("FRACTAL_NZ_C0_2", 52, private=True)
FRACTAL_NZ_C0_4 = Format("FRACTAL_NZ_C0_4", 53, private=True)
FRACTAL_NZ_C0_8 = Format("FRACTAL_NZ_C0_8", 54, private=True)

ALL = (
    UNDEFINED, NCHW, NHWC, ND, NC1HWC0, FRACTAL_Z, NC1HWC0_C04, HWCN, NDHWC, FRACTAL_NZ, NCDHW,
    NDC1HWC0, FRACTAL_Z_3D, NC, NCL, FRACTAL_NZ_C0_16, FRACTAL_NZ_C0_32, FRACTAL_NZ_C0_2,
    FRACTAL_NZ_C0_4, FRACTAL_NZ_C0_8,
)  # fmt: skip
BY_NAME = {fmt.name: fmt for fmt in ALL}


def of_rank(rank: int) -> Format:
    """The label that clients usually give a tensor of that rank."""
    return {3: NCL, 4: NCHW, 5: NCDHW}.get(rank, ND)
