# SPDX-License-Identifier: Apache-2.0
"""What an operator gives, natively and in float64: `aclhost.golden`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from aclhost.arrays import NDArray, acl_dtype, as_array, numpy_dtype
from aclhost.compare import Comparison
from aclhost.goldens import files
from aclhost.goldens.files import Result
from aclhost.spec import described, names
from aclhost.spec.dtypes import BY_VALUE
from aclhost.spec.params import TENSORS, Dtype, IntArray, TensorList, TensorOut

__all__ = ["Golden", "golden_of"]


class Golden(Mapping[str, Result]):
    """All results of a call, by their names; notebooks show them as a table.

    With one result, `native`, `exact` and `compare` are those of it.
    """

    def __init__(self, operator: str, results: Mapping[str, Result]) -> None:
        self.operator = operator
        self._results = dict(results)

    def __getitem__(self, name: str) -> Result:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    @property
    def native(self) -> NDArray:
        return self._only().native

    @property
    def exact(self) -> NDArray:
        return self._only().exact

    def compare(self, actual: NDArray | None = None) -> Comparison:
        """How far a result is from the exact one: that of a device, or the native one."""
        return self._only().compare(actual)

    def _only(self) -> Result:
        if len(self) != 1:
            raise ValueError(f"{self.operator} has several results: {', '.join(self)}")
        return next(iter(self.values()))

    def _rows(self) -> list[tuple[str, str, str, str, str]]:
        rows = []
        for result in self.values():
            found = result.compare()
            shape = " x ".join(map(str, result.native.shape)) or "scalar"
            off = (f"{found.max_ulp:g}", f"{found.max_absolute:.3g}")
            rows.append((result.name, shape, result.native.dtype.name, *off))
        return rows

    def __repr__(self) -> str:
        lines = [
            f"  {name}: {shape}, {dtype}, {ulp} ulp and {absolute} from float64"
            for name, shape, dtype, ulp, absolute in self._rows()
        ]
        return "\n".join([self.operator, *lines])

    def _repr_html_(self) -> str:
        head = ("result", "shape", "dtype", "ulp from float64", "absolute")
        cells = "".join(f"<th>{each}</th>" for each in head)
        rows = "".join(
            f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in self._rows()
        )
        return f"<b>{self.operator}</b><table><tr>{cells}</tr>{rows}</table>"


def golden_of(name: str, soc: str, arguments: Mapping[str, Any]) -> Golden:
    """The results of a call from Python; see `aclhost.golden`."""
    op = names.operator(name)
    given = files.by_parameter(op, arguments)
    files.refuse_results(op, given)
    needed = files.missing(op, given)
    if needed:
        listed = ", ".join(param.python_name for param in needed)
        raise described.MalformedError(f"{op.name} needs {listed}")
    values: dict[str, Any] = {}
    for param in op.params:
        if isinstance(param, TensorOut):
            continue
        if param.name not in given:
            values[param.python_name] = files.default(param, values)
        elif isinstance(param, TENSORS) and given[param.name] is not None:
            values[param.python_name] = as_array(given[param.name])
        elif isinstance(param, TensorList) and given[param.name] is not None:
            values[param.python_name] = [*map(as_array, given[param.name])]
        elif isinstance(param, Dtype) and given[param.name] is not None:
            dtype = BY_VALUE[acl_dtype(given[param.name])]
            values[param.python_name] = numpy_dtype(dtype)
        elif isinstance(param, IntArray) and isinstance(given[param.name], int):
            same = replace(param, default=given[param.name])  # for all axes
            values[param.python_name] = files.default(same, values)
        else:
            values[param.python_name] = given[param.name]
    found = files.compute(op, values, soc)
    return Golden(op.name, {result.name: result for result in found})
