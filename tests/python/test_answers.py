# SPDX-License-Identifier: Apache-2.0
"""`aclhost.explain` and `aclhost.golden`, as a notebook calls them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import aclhost
from aclhost.compare import compare

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)


def test_codes() -> None:
    (code,) = aclhost.explain(161002).codes
    assert (code.value, code.name) == (161002, "ACLNN_ERR_PARAM_INVALID")
    assert "same_dtype" in code.rules["aclnnEluBackward"]
    assert aclhost.explain("ACLNN_ERR_PARAM_INVALID") == aclhost.explain("161002")
    shown = aclhost.explain(161002)
    assert "161002" in repr(shown)
    assert code.causes[0] in shown._repr_html_().replace("&#x27;", "'").replace("&quot;", '"')


def test_a_call_with_arrays_is_judged_as_it_is_made() -> None:
    half = X.astype(np.float16)
    right = aclhost.explain("elu_backward", grad_output=X, selfOrResult=X, soc="A2")
    assert right.accepted
    wrong = aclhost.explain("elu_backward", grad_output=X, self_or_result=half, soc="A2")
    assert not wrong.accepted
    (verdict,) = wrong.verdicts
    with pytest.raises(aclhost.AclnnError) as error, aclhost.soc("A2"):
        aclhost.elu_backward(X, half)
    assert (verdict.message, verdict.status) == (str(error.value), error.value.status)
    assert (verdict.parameter, verdict.rule) == (error.value.parameter, error.value.rule)
    assert "same dtype" in wrong.messages[0]
    assert "161002" in wrong._repr_html_()
    assert "161002" in repr(wrong)


def test_products_differ_and_words_describe() -> None:
    array = X.astype(ml_dtypes.bfloat16)
    found = aclhost.explain("elu_backward", grad_output=array, self_or_result=array)
    accepted = {verdict.product for verdict in found.verdicts if verdict.accepted}
    assert accepted == {"A950", "A3", "A2"}
    words = {"gradOutput": "bf16[3,4]", "selfOrResult": "bf16[3,4]", "alpha": 2}
    assert aclhost.explain("aclnnEluBackward", **words) == found


@pytest.mark.parametrize("view", [X.T, X[:, ::-1], X[::2, 1:], X[::-1, ::-2]])
def test_strides_are_described(view: np.ndarray) -> None:
    assert aclhost.explain("elu", self=view, soc="A2").accepted


def test_tensors_of_all_kinds_are_described() -> None:
    torch = pytest.importorskip("torch")
    given = torch.ones(3, 4, dtype=torch.bfloat16).T
    assert aclhost.explain("elu", self=given) == aclhost.explain(
        "elu", self=X.astype(ml_dtypes.bfloat16).T
    )
    for scalar in (np.float32(3), np.array(3, np.float32), torch.tensor(3.0), 3.0):
        assert aclhost.explain("elu", self=scalar, soc="A2").accepted
    assert aclhost.explain("cat", tensors=[X, X.T], dim=0, soc="A2").messages
    assert aclhost.explain("cat", tensors=[X, X], dim=0, soc="A2").accepted


def test_arrays_and_texts_are_described() -> None:
    assert aclhost.explain("mean", self=X, dim=np.array([0]), keepDim=np.True_, dtype="float32")
    shown = aclhost.explain(
        "flash_attention_score", query="fp16[1,8,2,16]", key="fp16[1,8,2,16]",
        value="fp16[1,8,2,16]", head_num=2, inputLayout="BSND", prefixOptional=None, soc="A2",
    )  # fmt: skip
    assert shown.accepted
    found = aclhost.explain("foreach_mul_list", x1=[X], x2=[X], out=[X.astype(np.int8)], soc="A2")
    assert "out" in found.messages[0]


def test_questions_that_cannot_be_answered() -> None:
    with pytest.raises(ValueError, match="did you mean aclnnElu"):
        aclhost.explain("ellu", self=X)
    with pytest.raises(ValueError, match="needs gradOutput, selfOrResult"):
        aclhost.explain("elu_backward")
    with pytest.raises(ValueError, match="no product or SoC"):
        aclhost.explain("elu", self=X, soc="A7")
    with pytest.raises(ValueError, match="no operator '²'"):
        aclhost.explain("²")
    with pytest.raises(ValueError, match="self is given twice"):
        aclhost.golden("elu", self=X, SELF=X)


def test_golden_takes_one_number_for_all_axes() -> None:
    image, weight = np.ones((1, 1, 4, 4), np.float32), np.ones((1, 1, 2, 2), np.float32)
    one = aclhost.golden("convolution", input=image, weight=weight, stride=2)
    two = aclhost.golden("convolution", input=image, weight=weight, stride=(2, 2))
    assert one.exact.tolist() == two.exact.tolist() == [[[[4, 4], [4, 4]]]]
    assert one.native.tolist() == two.native.tolist()


def test_golden() -> None:
    given = X.copy()
    found = aclhost.golden("elu_backward", grad_output=X, selfOrResult=X, alpha=2.0)
    assert np.array_equal(found.native, aclhost.elu_backward(X, X, alpha=2.0))
    assert found.exact.dtype == np.float64
    wanted = np.where(X > 0, X.astype(float), X.astype(float) * 2 * np.exp(X.astype(float)))
    assert np.allclose(found.exact, wanted, rtol=1e-12)
    assert found.compare().passed
    assert not found.compare(found.native * np.float32(1.01)).passed
    assert list(found) == ["gradInput"]
    assert found["gradInput"].native is found.native
    assert "gradInput: 3 x 4, float32" in repr(found)
    assert "<td>3 x 4</td>" in found._repr_html_()
    aclhost.golden("inplace_elu", self_ref=given)
    assert np.array_equal(given, X)


def test_several_results_and_lists() -> None:
    found = aclhost.golden("max_dim", self=X, dim=1)
    assert len(found) == 2
    with pytest.raises(ValueError, match="has several results"):
        found.native  # noqa: B018
    parts = aclhost.golden("split_with_size", self=X, split_size=[1, 3], dim=1)
    assert np.array_equal(parts["out.1"].native, X[:, 1:])


@pytest.mark.parametrize("dtype", ["float16", np.float16, np.dtype("float16")])
def test_dtypes_are_named_as_everywhere(dtype: object) -> None:
    found = aclhost.golden("cast", self=X, dtype=dtype)
    assert found.native.dtype == np.float16
    assert found.compare().passed


def test_integers_wrap_as_they_do_natively() -> None:
    large = np.full(3, 2**31 - 1, np.int32)
    found = aclhost.golden("add", self=large, other=large)
    assert found.exact.dtype == np.int32
    assert found.compare().passed


def test_goldens_that_cannot_be_computed() -> None:
    with pytest.raises(aclhost.AclnnError, match="dtype"):
        aclhost.golden("elu", self=X.astype(np.int32))
    with pytest.raises(ValueError, match="aclnnEluBackward needs grad_output, self_or_result"):
        aclhost.golden("elu_backward")
    with pytest.raises(ValueError, match="out is a result"):
        aclhost.golden("elu", self=X, out=X)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_goldens_of_tensors_are_those_of_arrays(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(X).to(getattr(torch, dtype))
    array = X.astype(getattr(ml_dtypes, dtype, dtype))
    found = aclhost.golden("elu", self=tensor.T.requires_grad_())
    wanted = aclhost.golden("elu", self=array.T)
    assert found.native.dtype == wanted.native.dtype == array.dtype
    assert np.array_equal(found.exact, wanted.exact)
    assert found.compare(torch.nn.functional.elu(tensor.T)).passed
    assert compare(tensor, array).passed
    joined = aclhost.golden("cat", tensors=[tensor, tensor], dim=0)
    assert np.array_equal(joined.native, np.concatenate((array, array)))
