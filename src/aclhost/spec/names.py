# SPDX-License-Identifier: Apache-2.0
"""Finding things by the names people type, with a suggestion where that fails."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from aclhost.spec import catalogue, dtypes, error_codes, formats, products
from aclhost.spec.dtypes import DataType
from aclhost.spec.error_codes import ErrorCode
from aclhost.spec.formats import Format
from aclhost.spec.products import Product

if TYPE_CHECKING:
    from aclhost.spec.operator import Operator
    from aclhost.spec.params import Parameter

# Names of NumPy, torch and habit, next to those of aclDataType.
_ALIASES = {
    "f16": "FLOAT16", "fp16": "FLOAT16", "half": "FLOAT16",
    "f32": "FLOAT", "fp32": "FLOAT", "float32": "FLOAT",
    "f64": "DOUBLE", "fp64": "DOUBLE", "float64": "DOUBLE",
    "bfloat16": "BF16",
    "int": "INT32", "long": "INT64",
}  # fmt: skip


class UnknownNameError(ValueError):
    """Nothing has this name; the message offers the nearest one."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean X?`, or nothing where no name is near."""
    by_key = {each.lower(): each for each in known}
    close = difflib.get_close_matches(name.lower(), by_key, n=1, cutoff=0.5)
    return f"; did you mean {by_key[close[0]]}?" if close else ""


def operator(name: str) -> Operator:
    """An operator by its C name or its Python name, in any case, with or without aclnn."""
    from aclhost import ops

    key = _key(name)
    known = {_key(each): each for each in ops.BY_NAME}
    if key in known:
        return ops.BY_NAME[known[key]]
    for each in catalogue.operators():
        if key == _key(each):
            raise UnknownNameError(f"{each}: aclhost knows the name and does not compute it")
    close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"; did you mean {known[close[0]]}?" if close else "; aclhost ops lists them"
    raise UnknownNameError(f"no operator {name!r}{hint}")


def _key(name: str) -> str:
    return name.lower().removeprefix("aclnn").removesuffix("getworkspacesize").replace("_", "")


def parameter(op: Operator, name: str) -> Parameter:
    """A parameter by its C name or its Python name."""
    key = name.replace("-", "_").lower()
    for param in op.params:
        if key in (param.name.lower(), param.python_name):
            return param
    names = [param.name for param in op.params]
    hint = suggestion(name, names) or f"; it has {', '.join(names)}"
    raise UnknownNameError(f"{op.name} has no parameter {name!r}{hint}")


def dtype(name: str) -> DataType:
    """A dtype by the names of aclDataType, NumPy or torch."""
    plain = name.removeprefix("ACL_").removeprefix("torch.").removeprefix("np.").lower()
    plain = _ALIASES.get(plain, plain)
    for each in dtypes.ALL:
        if plain.lower() == each.name.lower():
            return each
    hint = suggestion(plain, [*(each.name for each in dtypes.ALL), *_ALIASES])
    raise UnknownNameError(f"no dtype {name!r}{hint}")


def tensor_format(name: str) -> Format:
    """A format by its name in aclFormat."""
    plain = name.upper().removeprefix("ACL_FORMAT_")
    if plain in formats.BY_NAME:
        return formats.BY_NAME[plain]
    raise UnknownNameError(f"no format {name!r}{suggestion(plain, formats.BY_NAME)}")


def product(name: str) -> Product:
    """A product by key (A2), title (Atlas A2) or SoC name (Ascend910B1, 910B)."""
    for each in products.ALL:
        if name.lower() in (each.key.lower(), each.title.lower()):
            return each
    try:
        return products.of_soc(name)
    except ValueError:
        known = [each.key for each in products.ALL] + [each.default_soc for each in products.ALL]
        listed = ", ".join(f"{each.key} ({each.default_soc})" for each in products.ALL)
        hint = suggestion(name, known)
        raise UnknownNameError(
            f"no product or SoC {name!r}{hint or f'; there are {listed}'}"
        ) from None


def soc(name: str) -> str:
    """The SoC that a user means by a product or a SoC name."""
    found = product(name)
    full = products.full_soc(name)
    return full if full.startswith(found.soc_prefix) else found.default_soc


# What error texts carry in brackets, for which codes: native/base/errors.cc writes them.
_FAMILIES = {
    "EZ1001": (161,), "EZ9903": (361,), "EZ9999": (561,), "EE1001": (107, 207, 507),
    "EH0001": (100,), "EH0002": (100,),
}  # fmt: skip


def is_family(text: str) -> bool:
    """Whether it is written like the codes in error texts: EZ1001."""
    return re.fullmatch(r"E[A-Z]\d{4}", text.upper()) is not None


def status_codes(text: str) -> tuple[ErrorCode, ...]:
    """The status codes with this number or name; several names can share a number.

    A code of an error text (EZ1001) stands for all that it is written before.
    """
    if is_family(text):
        families = _FAMILIES.get(text.upper())
        if families is None:
            raise UnknownNameError(f"no code {text}; aclhost writes {', '.join(_FAMILIES)}")
        return tuple(code for code in error_codes.ALL if code.value // 1000 in families)
    if text.lstrip("-").isdigit():
        found = tuple(code for code in error_codes.ALL if code.value == int(text))
        if not found:
            raise UnknownNameError(f"no status code {text}{_near(int(text))}")
        return found
    wanted = text.upper()
    exact = error_codes.BY_NAME.get(wanted)
    if exact is not None:
        return (exact,)
    ending = tuple(code for code in error_codes.ALL if code.name.endswith(f"_{wanted}"))
    if ending:
        return ending
    raise UnknownNameError(f"no status code {text!r}{suggestion(wanted, error_codes.BY_NAME)}")


def _near(number: int) -> str:
    """A code that one wrong digit, or two in wrong order, would make of it."""
    text = str(number)
    for code in error_codes.ALL:
        other = str(code.value)
        if len(other) != len(text) or len(text) < 5:
            continue
        wrong = [i for i in range(len(text)) if text[i] != other[i]]
        if len(wrong) == 1 or (len(wrong) == 2 and sorted(text) == sorted(other)):
            return f"; did you mean {other} ({code.name})?"
    return "; docs/errors.md lists all codes"
