# SPDX-License-Identifier: Apache-2.0
"""Arrays in files: .npy, .npz, .pt, raw .bin and dumps, with bfloat16 in all of them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from aclhost import dump_files
from aclhost.spec.dtypes import BY_NUMPY, DataType

SUFFIXES = (".npy", ".npz", ".pt", ".pth", ".bin")

NDArray = npt.NDArray[Any]


class UnreadableArrayError(ValueError):
    """A file that holds no array; the message names the file and the reason."""


def numpy_dtype(dtype: DataType) -> np.dtype[Any]:
    """NumPy's dtype; raw bytes of the right size for types NumPy does not know."""
    if dtype.numpy:
        return np.dtype(getattr(ml_dtypes, dtype.numpy, None) or dtype.numpy)
    return np.dtype(f"V{max(dtype.bits // 8, 1)}")


def finfo(dtype: npt.DTypeLike) -> Any:  # noqa: ANN401
    """The limits of a floating type, ml_dtypes' included."""
    return ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]


@lru_cache(maxsize=64)  # NumPy takes long to tell the name of a type
def acl_dtype(dtype: Any) -> int:  # noqa: ANN401
    """The number of a dtype: NumPy's, ml_dtypes', torch's, or any name that NumPy reads.

    Raises:
        TypeError: it is none of these.

    """
    name = str(dtype).removeprefix("torch.")
    if name not in BY_NUMPY:
        name = np.dtype(dtype).name
    if name not in BY_NUMPY:
        raise TypeError(f"dtype: the operators know no type like {dtype!r}")
    return BY_NUMPY[name].value


def load(path: Path, dtype: DataType | None = None) -> dict[str, NDArray]:
    """Every array of a file by name; a file with one array names it "".

    A `FILE.npz:NAME` or `FILE.pt:NAME` path picks one of several; those of a dump are input.0,
    output.0 and so on. Raw .bin files need the dtype;
    .npy files of two-byte voids hold bfloat16, which NumPy cannot name.

    Raises:
        UnreadableArrayError: the file is missing, or not what its name says.

    """
    file, wanted = _split(path)
    if not os.path.exists(file):  # unlike the method, false for a name that is too long
        raise UnreadableArrayError(f"{file}: no such file")
    if file.is_dir():
        raise UnreadableArrayError(f"{file}: a directory, not a file")
    readers = {".npy": _npy, ".npz": _npz, ".pt": _torch, ".pth": _torch}
    try:
        if file.suffix == ".bin":
            arrays = {"": _raw(file, dtype)}
        elif file.suffix in readers:
            arrays = readers[file.suffix](file)
        elif dump_files.is_dump(file):
            arrays = dump_files.load(file)
        else:
            known = ", ".join(SUFFIXES)
            raise UnreadableArrayError(f"{file}: no file of arrays; known are {known}")
    except UnreadableArrayError:
        raise
    except MemoryError:
        raise UnreadableArrayError(f"{file}: larger than this machine's memory") from None
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        kind = "dump" if dump_files.is_dump(file) else f"{file.suffix} file"
        raise UnreadableArrayError(f"{file}: not a readable {kind} ({reason})") from None
    if not wanted:
        return arrays
    if wanted not in arrays:
        raise UnreadableArrayError(f"{file}: holds no array {wanted!r}; it has {', '.join(arrays)}")
    return {"": arrays[wanted]}


def load_one(path: Path, dtype: DataType | None = None) -> NDArray:
    """The only array of a file."""
    arrays = load(path, dtype)
    if len(arrays) != 1:
        names = ", ".join(arrays) or "none"
        raise UnreadableArrayError(
            f"{path}: holds {len(arrays)} arrays ({names}); write {path}:NAME"
        )
    return next(iter(arrays.values()))


def is_readable(path: Path) -> bool:
    """Whether load() knows files of this name."""
    return path.suffix in SUFFIXES or dump_files.is_dump(path)


def _split(path: Path) -> tuple[Path, str]:
    name, colon, wanted = path.name.rpartition(":")
    if colon and not os.path.exists(path) and is_readable(Path(name)):
        return path.with_name(name), wanted
    return path, ""


def _named(array: NDArray) -> NDArray:
    """Voids of two bytes are what .npy makes of bfloat16; objects are no numbers."""
    if array.dtype == np.dtype("V2"):
        return array.view(ml_dtypes.bfloat16)
    if array.dtype.kind not in "?biufcV":
        raise ValueError(f"dtype {array.dtype} is not numeric")
    if array.dtype.kind == "V" and array.dtype.names is None and not _is_ml_dtype(array.dtype):
        raise ValueError(f"dtype {array.dtype} is not numeric")
    return array


def _is_ml_dtype(dtype: np.dtype[Any]) -> bool:
    return hasattr(ml_dtypes, dtype.name)


def _npy(file: Path) -> dict[str, NDArray]:
    return {"": _named(np.load(file, mmap_mode="r", allow_pickle=False))}


def _npz(file: Path) -> dict[str, NDArray]:
    with np.load(file, allow_pickle=False) as archive:
        return {name: _named(archive[name]) for name in archive.files}


def _raw(file: Path, dtype: DataType | None) -> NDArray:
    if dtype is None:
        raise UnreadableArrayError(f"{file}: a raw file needs its dtype; add --dtype")
    kind = numpy_dtype(dtype)
    if file.stat().st_size % kind.itemsize:
        raise ValueError(f"{file.stat().st_size} bytes are no whole number of {dtype}")
    return np.fromfile(file, kind)


def _torch(file: Path) -> dict[str, NDArray]:
    try:
        import torch
    except ModuleNotFoundError:
        raise UnreadableArrayError(f"{file}: reading .pt needs torch; pip install torch") from None
    loaded = torch.load(file, map_location="cpu", weights_only=True)
    tensors = loaded if isinstance(loaded, Mapping) else {"": loaded}
    return {str(name): _from_torch(name, value) for name, value in tensors.items()}


def _from_torch(name: str, value: Any) -> NDArray:  # noqa: ANN401
    import torch

    if not isinstance(value, torch.Tensor):
        raise ValueError(f"{name or 'it'} is {type(value).__name__}, not a tensor")
    return _of_tensor(value)


def as_array(value: Any) -> NDArray:  # noqa: ANN401
    """What NumPy reads as an array, and torch's tensors of every dtype that it has, too."""
    torch = sys.modules.get("torch")  # who has a tensor has imported it
    return _of_tensor(value) if torch and isinstance(value, torch.Tensor) else np.asarray(value)


def _of_tensor(value: Any) -> NDArray:  # noqa: ANN401
    """NumPy asks tensors for no dtype of ml_dtypes, and none that has a gradient."""
    value = value.detach().cpu().resolve_conj().resolve_neg()
    name = str(value.dtype).removeprefix("torch.")
    kind = getattr(ml_dtypes, name, None)
    if kind is None:
        return np.asarray(value.numpy())
    import torch

    bits = torch.int16 if value.dtype.itemsize == 2 else torch.uint8
    return np.asarray(value.contiguous().view(bits).numpy()).view(kind)


def write_all(files: Mapping[Path, bytes]) -> None:
    """Writes all files or none: what exists is replaced only when everything is on disk.

    Raises:
        OSError: a directory is missing or not writable.

    """
    ready: list[tuple[str, Path]] = []
    try:
        for path, content in files.items():
            descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            ready.append((temporary, path))
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            os.chmod(temporary, 0o666 & ~_umask())
        for temporary, path in ready:
            os.replace(temporary, path)
    finally:
        for temporary, _ in ready:
            Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
