# SPDX-License-Identifier: Apache-2.0
"""pyACL has the names of upstream's module, in any Python with NumPy."""

import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from support.programs import clean_environment, run

from aclhost import acl, constants
from aclhost.building import toolkit
from aclhost.spec import pyacl

# Upstream's tables of methods, written down without a look at ours.
UPSTREAM = {
    section.partition("]")[0]: section.partition("]")[2].split()
    for section in Path(__file__).with_name("pyacl_names.ini").read_text().split("[")[1:]
}


@pytest.mark.parametrize(
    ("name", "count"),
    {
        "acl": 47, "acl.rt": 190, "acl.util": 7, "acl.op": 32, "acl.mdl": 86, "acl.blas": 12,
        "acl.prof": 36, "acl.fv": 22, "acl.media": 177, "acl.himpi": 130,
    }.items(),
)  # fmt: skip
def test_every_name_of_upstream_s(name, count):
    module, names = import_module(f"aclhost.{name}"), UPSTREAM[name]
    assert [name for name in names if not callable(getattr(module, name, None))] == []
    assert len(set(names)) == count


def test_what_needs_a_card_says_that_it_is_not_supported():
    for part in ("op", "mdl", "prof", "blas"):
        module = getattr(acl, part)
        for name, function in pyacl.functions(part).items():
            answer = getattr(module, name)("any", 1, [2])
            if function.returns == "aclError":
                assert (answer[-1] if isinstance(answer, tuple) else answer) == 207000, name
            assert function.name in acl.get_recent_err_msg()
    assert acl.mdl.load_from_file("model.om") == (0, 207000)
    assert acl.mdl.query_size("model.om") == (0, 0, 207000)
    assert acl.mdl.create_desc() == 0
    assert acl.prof.range_start(0) == acl.blas.create_handle_for_hgemv(0, 1, 1, 0) == (0, 207000)
    assert acl.prof.get_op_type(0, 0, 0, 9) == ("", 207000)
    assert acl.prof.get_op_name_v2(0, 0, 0) == (None, 207000)
    assert acl.op.set_model_dir(".") == 0


def test_refusals_have_as_many_values_as_upstream_s():
    assert acl.mdl.get_input_dims(1, 0) == acl.mdl.get_dynamic_batch(1) == ({}, 207000)
    assert acl.mdl.get_input_dynamic_dims(1, 0, 2) == ([], 207000)
    assert acl.mdl.add_dataset_buffer(1, 2) == acl.op.set_attr_data_type(1, "a", 0) == (0, 207000)
    assert acl.mdl.get_first_aipp_info(1, 0) == acl.get_tensor_desc_dim_range(1, 0, 2)
    assert acl.get_tensor_desc_dim_range(1, 0, 2) == (None, 207000)
    assert acl.mdl.create_and_get_op_desc(0, 1, 2, 9) == ("", 0, 0, 0, 0, 207000)
    assert acl.op.execute_v2("Add", [], [], [], [], 0, 0) == 207000
    assert acl.op.infer_shape("Add", [], [], 1, [], 0) == 207000
    assert acl.op.set_kernel_workspace_sizes(1, 2, 3) == 207000
    assert acl.rt.get_function_name(1, 9) == ("", 207000)
    assert acl.mdl.get_input_name_by_index(1, 0) is acl.get_tensor_desc_name(1) is None


def test_broken_memory(device):
    assert acl.rt.get_mem_uce_info(0, 20) == ([], 0)
    assert acl.rt.mem_uce_repair(0, [{"addr": 0x1000, "len": 64, "reserved": [0] * 14}]) == 0


def test_dumps_need_a_file(device):
    assert acl.mdl.set_dump() == acl.mdl.set_dump(None) != 0


@pytest.mark.parametrize("unit", ["media", "himpi", "fv"])
def test_units_of_a_card(unit):
    """Each tells the reason, and gives back as many values as upstream's."""
    for name in UPSTREAM[f"acl.{unit}"]:
        answer = getattr(getattr(acl, unit), name)("any", 1, [2])
        values = answer if isinstance(answer, tuple) else (answer,)
        assert values[-1] in (207000, 0, None), name
        assert f"acl.{unit}.{name} returns 207000" in (text := acl.get_recent_err_msg())
        assert "; " in text.rpartition("programs find it: ")[2]
        assert acl.get_recent_err_msg() is None


def test_what_units_of_a_card_give_back():
    assert acl.media.dvpp_create_channel(1) == acl.media.vdec_destroy_channel(1) == 207000
    assert acl.media.dvpp_create_channel_desc() == acl.media.dvpp_get_pic_desc_size(1) == 0
    assert acl.media.dvpp_malloc(8) == acl.media.venc_get_channel_desc_param(1, 2) == (0, 207000)
    assert acl.media.dvpp_jpeg_get_image_info(1, 2) == (0, 0, 0, 207000)
    assert acl.media.venc_get_channel_desc_callback(1) is None
    assert acl.himpi.sys_init() == acl.himpi.vpc_get_process_result(1, 2, 3) == 207000
    assert acl.himpi.vpc_resize(1, {}, {}, 1.0, 1.0, 0, -1) == (0, 207000)
    assert acl.himpi.vdec_get_chn_attr(1) == ({}, 207000)
    assert acl.himpi.vdec_get_frame(1, 0) == ({}, {}, {}, 207000)
    assert acl.himpi.sys_wait_epoll(1, 2, 3) == ([], 0, 207000)
    assert acl.fv.create_init_para(1) == 0
    assert acl.fv.search(0, 1, 2) == 207000


def test_texts_of_python_and_of_the_library_are_in_order():
    acl.get_recent_err_msg()
    for function in (acl.media.dvpp_free, acl.mdl.unload, acl.fv.init, acl.blas.hgemm):
        assert function(1) == 207000
    named = ["aclblasHgemm", "acl.fv.init", "aclmdlUnload", "acl.media.dvpp_free"]
    lines = acl.get_recent_err_msg().splitlines()
    assert [line.partition("): ")[2].partition(" ")[0] for line in lines] == named
    times = [line.split()[1] for line in lines]
    assert times == sorted(times, reverse=True)
    for _ in range(100):
        acl.fv.init(1)
    assert len(acl.get_recent_err_msg().splitlines()) == 64


def test_texts_are_of_one_thread():
    acl.get_recent_err_msg()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(acl.fv.init, 1).result() == 207000
        assert acl.get_recent_err_msg() is None
        assert "acl.fv.init" in pool.submit(acl.get_recent_err_msg).result()


PEERS = """
from aclhost import acl
assert acl.rt.set_device(0) == 0
reachable = acl.rt.device_can_access_peer(0, 1)
print(reachable, acl.rt.device_enable_peer_access(1, 0), acl.rt.device_disable_peer_access(1))
"""


def test_peers():
    done = run([sys.executable, "-c", PEERS], env=clean_environment(ACLHOST_DEVICES=2))
    assert done.stdout == "(1, 0) 0 0\n"


def test_structures_are_dictionaries(device):
    wish = {
        "handleType": 0, "allocationType": 0, "memAttr": constants.ACL_HBM_MEM_HUGE,
        "location": {"id": 0, "type": constants.ACL_MEM_LOCATION_TYPE_DEVICE}, "reserve": 0,
    }  # fmt: skip
    size, ret = acl.rt.mem_get_allocation_granularity(wish, 0)
    assert (size > 0, ret) == (True, 0)
    handle, ret = acl.rt.malloc_physical(size, wish, 0)
    assert ret == 0
    address, ret = acl.rt.reserve_mem_address(size, 0, 0, 0)
    assert ret == 0
    assert acl.rt.map_mem(address, size, 0, handle, 0) == 0
    attributes, ret = acl.rt.pointer_get_attributes(address)
    assert (attributes["location"], ret) == ({"id": 0, "type": 1}, 0)
    assert acl.rt.unmap_mem(address) == 0
    assert acl.rt.release_mem_address(address) == 0
    assert acl.rt.free_physical(handle) == 0
    with pytest.raises(KeyError, match="colour is none of"):
        acl.rt.malloc_physical(size, {"colour": 1}, 0)


def test_allocation_with_wishes(device):
    module = {"attr": 1, "value": {"moduleId": 3}}
    for wishes in ({}, {"numAttrs": 1, "attrs": [module]}):
        address, ret = acl.rt.malloc_with_cfg(64, 0, wishes)
        assert (ret, acl.rt.free(address)) == (0, 0)
    with pytest.raises(KeyError, match="numAttrs is 2"):
        acl.rt.malloc_with_cfg(64, 0, {"numAttrs": 2, "attrs": [module]})


def test_numbers_of_a_device(device):
    assert acl.rt.get_device_info(0, constants.ACL_DEV_ATTR_AICORE_CORE_NUM)[-1] == 0
    least, greatest, ret = acl.rt.device_get_stream_priority_range()
    assert (least >= greatest, ret) == (True, 0)
    assert acl.get_version() == acl.rt.get_version()


def test_half_precision():
    assert acl.float_to_float16(1.5) == 0x3E00
    assert acl.float16_to_float(0x3E00) == 1.5


def test_a_data_buffer_can_be_moved():
    buffer = acl.create_data_buffer(0x1000, 8)
    assert acl.update_data_buffer(buffer, 0x2000, 16) == 0
    assert (acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size_v2(buffer)) == (0x2000, 16)
    assert acl.destroy_data_buffer(buffer) == 0


FOREIGN = """
import sys
import acl, acl.rt, acl.util, acl.op, acl.mdl
import acl.blas, acl.fv, acl.himpi, acl.media, acl.prof
assert acl.init() == 0 and acl.rt.set_device(0) == 0
address, ret = acl.rt.malloc(8, 0)
print(ret, acl.rt.free(address), "click" in sys.modules, sys.path == BEFORE)
try:
    import torch, click
except ModuleNotFoundError as error:
    print(error.name)
"""


@pytest.fixture(scope="module")
def other_python(tmp_path_factory) -> Path:
    """A Python of another environment that has NumPy and nothing else."""
    directory = tmp_path_factory.mktemp("venv")
    venv.create(directory, with_pip=False, symlinks=True)
    packages = next(directory.glob("lib/python*/site-packages"))
    numpy = Path(np.__file__).parent
    for name in ("numpy", "numpy.libs"):
        if (numpy.parent / name).exists():
            (packages / name).symlink_to(numpy.parent / name)
    return directory / "bin/python"


@pytest.mark.parametrize("strict", [0, 1], ids=["plain", "strict"])
@pytest.mark.parametrize("native", [True, False], ids=["same-version", "another-version"])
def test_import_acl_from_another_environment(other_python, native, strict):
    """A Python of another version finds no native module in the package; pyACL needs none."""
    hide = "" if native else "sys.modules['aclhost._native'] = None\n"
    program = f"import sys\nBEFORE = list(sys.path)\n{hide}{FOREIGN}"
    environment = toolkit.environment(clean_environment(ACLHOST_STRICT=strict))
    done = run([other_python, "-c", program], env=environment)
    assert done.stdout == "0 0 False True\ntorch\n"


def test_a_moved_tree_says_what_is_missing(other_python, tmp_path):
    """The shim without its package is no pyACL."""
    shim = Path(toolkit.search_paths()["PYTHONPATH"]) / "acl/__init__.py"
    (tmp_path / "acl").mkdir()
    (tmp_path / "acl/__init__.py").write_text(shim.read_text())
    environment = clean_environment(PYTHONPATH=tmp_path)
    done = run([other_python, "-c", "import acl"], env=environment, status=1)
    assert "No module named 'aclhost'" in done.stderr
