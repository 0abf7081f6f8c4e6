# SPDX-License-Identifier: Apache-2.0
"""Arrays of torch, JAX and other libraries with DLPack."""

from __future__ import annotations

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from handmade_dlpack import READ_ONLY, Handmade, Legacy, Versioned

import aclhost

VALUES = [-2.0, -0.5, 0.0, 1.0, 3.0, -1.0]
NUMPY = np.array(VALUES, np.float32)
WANTED = aclhost.elu(NUMPY)


def tensor(**options: Any) -> torch.Tensor:
    return torch.tensor(VALUES, **options)


class TestTorch:
    @pytest.mark.parametrize("name", ["float32", "float16", "bfloat16", "float64"])
    def test_result_is_a_tensor_of_the_same_dtype(self, name: str) -> None:
        x = tensor(dtype=getattr(torch, name))
        result = aclhost.elu(x)
        assert type(result) is torch.Tensor
        assert result.dtype == x.dtype
        assert torch.allclose(result, torch.nn.functional.elu(x), rtol=1e-2)

    @pytest.mark.parametrize(
        ("name", "acl"),
        [
            ("bool", "BOOL"), ("int32", "INT32"), ("uint16", "UINT16"), ("int64", "INT64"),
            ("complex64", "COMPLEX64"), ("float8_e5m2", "FLOAT8_E5M2"),
            ("float8_e4m3fn", "FLOAT8_E4M3FN"), ("float8_e8m0fnu", "FLOAT8_E8M0"),
        ],
    )  # fmt: skip
    def test_known_dtypes_are_refused_by_the_operator(self, name: str, acl: str) -> None:
        with pytest.raises(aclhost.AclnnError, match=f"got {acl} "):
            aclhost.elu(torch.zeros(3, dtype=getattr(torch, name)))

    def test_unknown_dtypes(self) -> None:
        with pytest.raises(TypeError, match="^self: the operators know no type like DLPack's code"):
            aclhost.elu(torch.zeros(3, dtype=torch.float8_e4m3fnuz))

    @pytest.mark.parametrize("rank", range(9))
    def test_ranks(self, rank: int) -> None:
        x = torch.randn((2,) * rank, generator=torch.Generator().manual_seed(rank))
        result = aclhost.elu(x)
        assert result.shape == x.shape
        assert torch.allclose(result, torch.nn.functional.elu(x))

    def test_strided_views(self) -> None:
        x = torch.arange(-12.0, 12.0).reshape(2, 3, 4)
        for view in (x.permute(2, 0, 1), x[:, 1:, ::2], x[1], x[:, :1].expand(2, 5, 4)):
            assert torch.equal(aclhost.elu(view), aclhost.elu(view.contiguous()))

    def test_results_land_in_strided_views(self) -> None:
        memory = torch.full((6, 2), 7.0)
        out = memory[:, 1]
        assert aclhost.elu(tensor(), out=out) is out
        assert torch.equal(out, torch.from_numpy(WANTED))
        assert (memory[:, 0] == 7).all()

    def test_memory_is_shared_with_numpy(self) -> None:
        memory = NUMPY.copy()
        x = torch.from_numpy(memory)
        assert aclhost.inplace_elu(x) is x
        assert np.array_equal(memory, WANTED)

    @pytest.mark.parametrize(
        "write",
        [aclhost.inplace_elu, lambda x: aclhost.elu(x.clone(), out=x)],
        ids=["in place", "out"],
    )
    def test_torch_learns_that_values_changed(self, write: Any) -> None:
        x = tensor(requires_grad=True)
        squared = x * 1
        loss = (squared * squared).sum()
        write(squared.detach())
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()

    def test_empty(self) -> None:
        assert aclhost.elu(torch.zeros(0, 3)).shape == (0, 3)

    def test_tensors_with_gradients_are_refused(self) -> None:
        for x in (tensor(requires_grad=True), torch.nn.Parameter(tensor())):
            with pytest.raises(ValueError, match=r"^self: .* requires grad.*pass \.detach\(\)"):
                aclhost.elu(x)
            assert torch.equal(aclhost.elu(x.detach()), torch.from_numpy(WANTED))
        parameter = torch.nn.Parameter(tensor(), requires_grad=False)
        assert type(aclhost.elu(parameter)) is torch.Tensor
        with pytest.raises(ValueError, match="^out: .* requires grad"):
            aclhost.elu(tensor(), out=tensor(requires_grad=True))

    def test_lazy_negations_and_conjugates_are_refused(self) -> None:
        numbers = torch.tensor([1 + 2j, 3 - 4j])
        negative = numbers.conj().imag
        assert negative.is_neg()
        with pytest.raises(ValueError, match=r"^self: .* negation; pass \.resolve_neg\(\)"):
            aclhost.elu(negative)
        assert torch.equal(aclhost.elu(negative.resolve_neg())[1], torch.tensor(4.0))
        with pytest.raises(ValueError, match=r"^self: .* conjugate; pass \.resolve_conj\(\)"):
            aclhost.elu(numbers.conj())
        assert torch.equal(aclhost.elu(numbers.real), torch.tensor([1.0, 3.0]))

    @pytest.mark.parametrize(
        "view",
        [
            lambda t: t.T, lambda t: t.reshape(-1), lambda t: t[0, 0], lambda t: t[1:, :1],
            lambda t: t[None], lambda t: t.expand(3, 2, 2), lambda t: t.diagonal(),
            lambda t: t.unfold(0, 2, 1), lambda t: t.detach(),
        ],
    )  # fmt: skip
    def test_lazy_negations_are_refused_however_they_are_viewed(self, view: Any) -> None:
        negative = view(torch.tensor([[1 + 2j, 3 - 4j], [5 + 6j, 7 + 8j]]).conj().imag)
        assert negative.is_neg()
        with pytest.raises(ValueError, match=r"^self: .* negation; pass \.resolve_neg\(\)"):
            aclhost.elu(negative)

    def test_tensors_without_cpu_memory_are_refused(self) -> None:
        for x in (torch.empty(3, device="meta"), torch.eye(3).to_sparse()):
            with pytest.raises(ValueError, match=r"^self: \w"):
                aclhost.elu(x)
        with pytest.raises(ValueError, match=r"^self: \w"):
            torch.vmap(aclhost.elu)(torch.zeros(2, 3))

    def test_results_ignore_the_default_device(self) -> None:
        x = tensor()
        with torch.device("meta"):
            assert aclhost.elu(x).device.type == "cpu"

    def test_subclasses_give_plain_tensors(self) -> None:
        class Mine(torch.Tensor):
            pass

        assert type(aclhost.elu(tensor().as_subclass(Mine))) is torch.Tensor


class TestJax:
    @pytest.mark.parametrize("dtype", [jnp.float32, jnp.float16, jnp.bfloat16])
    def test_result_is_a_jax_array(self, dtype: Any) -> None:
        x = jnp.array(VALUES, dtype).reshape(2, 3)
        result = aclhost.elu(x)
        assert isinstance(result, jax.Array)
        assert (result.dtype, result.shape) == (x.dtype, x.shape)
        assert jnp.allclose(result, jax.nn.elu(x), rtol=1e-2)

    def test_results_go_on_into_jax(self) -> None:
        total = jnp.sum(aclhost.elu(jnp.array(VALUES)))
        assert float(total) == pytest.approx(float(WANTED.sum()))

    def test_rank_0_and_empty(self) -> None:
        assert aclhost.elu(jnp.float32(2)).shape == ()
        assert aclhost.elu(jnp.zeros((0, 3))).shape == (0, 3)

    def test_jax_arrays_are_never_written(self) -> None:
        x = jnp.array(VALUES)
        with pytest.raises(ValueError, match="^self_ref: the array is read-only"):
            aclhost.inplace_elu(x)
        with pytest.raises(ValueError, match="^out: the array is read-only"):
            aclhost.elu(x, out=jnp.zeros(6))
        out = np.zeros(6, np.float32)
        assert aclhost.elu(x, out=out) is out
        assert np.array_equal(out, WANTED)
        assert np.array_equal(x, NUMPY)

    def test_traced_values_are_refused(self) -> None:
        with pytest.raises(ValueError, match="^self: .*racer"):
            jax.grad(lambda x: aclhost.elu(x).sum())(jnp.array(VALUES))

    def test_other_dtypes(self) -> None:
        with pytest.raises(aclhost.AclnnError, match="got INT32 "):
            aclhost.elu(jnp.arange(3))


@pytest.mark.parametrize("kind", [Legacy, Versioned])
class TestDlpackObjects:
    def test_inputs_and_outputs(self, kind: type) -> None:
        assert np.array_equal(aclhost.elu(kind(NUMPY.copy())), WANTED)
        memory = np.zeros((6, 2), np.float32)
        out = kind(memory[::-1, 1])
        assert aclhost.elu(NUMPY, out=out) is out
        assert np.array_equal(memory[::-1, 1], WANTED)

    def test_result_is_a_numpy_array(self, kind: type) -> None:
        assert type(aclhost.elu(kind(NUMPY.copy()))) is np.ndarray

    def test_result_goes_through_the_array_namespace(self, kind: type) -> None:
        class Mine(kind):  # type: ignore[misc]
            def __array_namespace__(self) -> Any:
                return torch

        assert type(aclhost.elu(Mine(NUMPY.copy()))) is torch.Tensor

    def test_read_only_memory(self, kind: type) -> None:
        frozen = NUMPY.copy()
        frozen.flags.writeable = False
        with pytest.raises(ValueError, match="^out: .*read-?only"):
            aclhost.elu(NUMPY, out=kind(frozen))
        assert np.array_equal(frozen, NUMPY)


@pytest.mark.parametrize("major", [0, 1])
class TestHandmadeDescriptions:
    def test_null_strides_mean_row_major(self, major: int) -> None:
        x = Handmade(VALUES, major=major)
        assert np.array_equal(aclhost.elu(x), WANTED)
        assert aclhost.inplace_elu(x) is x
        assert np.array_equal(x.memory, WANTED)

    def test_byte_offset(self, major: int) -> None:
        x = Handmade(VALUES, major=major, byte_offset=8)
        x._shape[0] = 4
        assert np.array_equal(aclhost.elu(x), WANTED[2:])

    def test_other_devices(self, major: int) -> None:
        wanted = r"^self: the array is on another device \(DLPack device type 2\); pass it in CPU"
        with pytest.raises(ValueError, match=wanted):
            aclhost.elu(Handmade(VALUES, major=major, device_type=2))

    def test_missing_memory(self, major: int) -> None:
        with pytest.raises(ValueError, match="^self: the array has no memory"):
            aclhost.elu(Handmade(VALUES, major=major, data=None))

    @pytest.mark.parametrize("fields", [{"lanes": 2}, {"bits": 80}, {"code": 3}])
    def test_unknown_types(self, major: int, fields: dict[str, int]) -> None:
        with pytest.raises(TypeError, match="^self: the operators know no type like DLPack's code"):
            aclhost.elu(Handmade(VALUES, major=major, **fields))

    def test_too_many_dimensions(self, major: int) -> None:
        with pytest.raises(ValueError, match="^self: an array of 26 dimensions"):
            aclhost.elu(Handmade(VALUES, major=major, rank=26))

    def test_the_capsule_is_given_back(self, major: int) -> None:
        x = Handmade(VALUES, major=major)
        before = sys.getrefcount(x.capsule)
        aclhost.elu(x)
        aclhost.elu(NUMPY, out=x)
        after = sys.getrefcount(x.capsule)
        assert after == before


def test_flags_and_versions() -> None:
    with pytest.raises(ValueError, match="^out: the array is read-only"):
        aclhost.elu(NUMPY, out=Handmade(VALUES, major=1, flags=READ_ONLY))
    with pytest.raises(ValueError, match="^self: DLPack 2 is not supported"):
        aclhost.elu(Handmade(VALUES, major=2))


def test_exporters_that_fail() -> None:
    class NoCapsule:
        def __dlpack__(self, **_: Any) -> int:
            return 3

    class Refuses:
        def __dlpack__(self, **_: Any) -> None:
            raise BufferError("not today")

    class Interrupted:
        def __dlpack__(self, **_: Any) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        aclhost.elu(Interrupted())
    with pytest.raises(TypeError, match="^self: __dlpack__ returned no DLPack capsule"):
        aclhost.elu(NoCapsule())
    with pytest.raises(ValueError, match="^self: not today") as caught:
        aclhost.elu(Refuses())
    assert isinstance(caught.value.__cause__, BufferError)


def test_the_first_array_decides_the_kind_of_the_result() -> None:
    kinds = {np.ndarray: NUMPY, torch.Tensor: tensor(), jax.Array: jnp.array(VALUES)}
    wanted = aclhost.elu_backward(NUMPY, NUMPY)
    for kind, first in kinds.items():
        for second in kinds.values():
            result = aclhost.elu_backward(first, second)
            assert isinstance(result, kind)
            assert np.array_equal(np.asarray(result), wanted)


def test_out_decides_over_the_inputs() -> None:
    out = tensor()
    assert aclhost.elu(NUMPY, out=out) is out
    assert np.array_equal(out.numpy(), WANTED)
