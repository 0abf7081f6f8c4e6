# SPDX-License-Identifier: Apache-2.0
"""Random handles, addresses and numbers for every function: codes, never a crash or a hang."""

import sys

import pytest
from support.programs import clean_environment, run

PROGRAM = """
import random, signal, sys
from aclhost import acl
from aclhost.acl import _capi
from aclhost.spec import c_types, enums, runtime_api

signal.alarm(60)
rng = random.Random(int(sys.argv[1]))
lib = _capi.library()
assert acl.init() == acl.rt.set_device(0) == 0
memory, host = acl.rt.malloc(64, 0)[0], acl.rt.malloc_host(64)[0]
stale, stream = acl.rt.create_stream()[0], acl.rt.create_stream()[0]
event = acl.rt.create_event()[0]
acl.rt.destroy_stream(stale)
tensor = lib.aclCreateTensor(None, 0, 0, None, 0, 2, None, 0, memory)
context = acl.rt.get_context()[0]
HANDLES = [0, 1, 0x1234, 2**64 - 1, stale, stream, event, tensor, context, memory]
ADDRESSES = [0, 1, 0x1234, 2**47 - 1, 2**64 - 1, memory, memory + 60, host, tensor]
NUMBERS = [0, 1, 2, 3, 7, 8, 64, 100, 4096, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64 - 1]
OBJECTS = {f"{t}*" for t in (*c_types.OBJECT_TYPES, "aclDataBuffer")}

def value(parameter):
    name = parameter.c_type.removeprefix("const ").removesuffix(" const")
    if name in c_types.HANDLE_TYPES or name in OBJECTS:
        return rng.choice(HANDLES)
    if name == "void*":
        return rng.choice(ADDRESSES)
    if name.endswith("*") or name in c_types.CALLBACK_TYPES:
        return None
    number = rng.choice(NUMBERS)
    kind = _capi.c_type(parameter.c_type)
    if name in c_types.STRUCTS:
        return kind()
    if name == "bool":
        return bool(number % 2)
    return kind(float(number) if name == "float" else number)

# Addresses that are read without a size next to them cannot be checked by anybody.
UNCHECKED = {"aclCreateScalar"}
for _ in range(4000):
    function = rng.choice(runtime_api.FUNCTIONS)
    if function.name not in UNCHECKED:
        getattr(lib, function.name)(*(value(p) for p in function.parameters if p.name))
print("ok")
"""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mode", [{}, {"ACLHOST_STRESS": "1"}], ids=str)
def test_random_calls(seed, mode):
    command = [sys.executable, "-c", PROGRAM, seed]
    done = run(command, env=clean_environment(ACLHOST_DEVICE_MEMORY="1G", **mode), timeout=120)
    assert (done.stdout, done.stderr) == ("ok\n", "")
