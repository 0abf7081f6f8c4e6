# SPDX-License-Identifier: Apache-2.0
"""Models from bound streams whose tasks note that they ran."""

import ctypes
from ctypes import byref, c_int32, c_void_p

FUNCTION = ctypes.CFUNCTYPE(None, c_void_p)
PERSISTENT = 4
HEAD, DEFAULT = 0, 0x7FFFFFFF


class Building:
    """A model while it is built, then while it runs; everything goes with close()."""

    def __init__(self, lib):
        self.lib, self.seen, self.kept = lib, [], []
        self.streams, self.memory, self.labels, self.lists = [], [], [], []
        self.model, self.runner = c_void_p(), c_void_p()
        assert lib.aclrtCreateStream(self.runner) == 0
        assert lib.aclmdlRIBuildBegin(byref(self.model), 0) == 0

    def stream(self, flag=HEAD, bound=True):
        """A persistent stream, bound unless it is not to be."""
        made = c_void_p()
        assert self.lib.aclrtCreateStreamWithConfig(made, 0, PERSISTENT) == 0
        self.streams.append(made)
        if bound:
            assert self.lib.aclmdlRIBindStream(self.model, made, flag) == 0
        return made

    def note(self, stream, name, action=None):
        """A task that adds a name to what was seen."""

        def run(_):
            self.seen.append(name)
            if action is not None:
                action()

        self.kept.append(FUNCTION(run))
        assert self.lib.aclrtLaunchHostFunc(stream, self.kept[-1], None) == 0

    def number(self, value, kind=c_int32):
        """Device memory with one number."""
        place = c_void_p()
        assert self.lib.aclrtMalloc(place, 8, 0) == 0
        self.memory.append(place)
        self.store(place, value, kind)
        return place

    def store(self, place, value, kind=c_int32):
        """Another number in that memory, by any thread: outside strict mode it is ordinary."""
        kind.from_address(place.value).value = value

    def label_list(self, count):
        """Labels, and the list of them."""
        made = (c_void_p * count)()
        for i in range(count):
            each = c_void_p()
            assert self.lib.aclrtCreateLabel(byref(each)) == 0
            made[i] = each.value
            self.labels.append(each)
        handle = c_void_p()
        assert self.lib.aclrtCreateLabelList(made, count, byref(handle)) == 0
        self.lists.append(handle)
        return [c_void_p(each) for each in made], handle

    def end(self, stream):
        """Completes the model behind the last task of a stream."""
        assert self.lib.aclmdlRIEndTask(self.model, stream) == 0
        assert self.lib.aclmdlRIBuildEnd(self.model, None) == 0

    def run(self):
        """What one run notes."""
        self.seen.clear()
        assert self.lib.aclmdlRIExecuteAsync(self.model, self.runner) == 0
        code = self.lib.aclrtSynchronizeStream(self.runner)
        return list(self.seen) if code == 0 else code

    def close(self):
        """Ends all of it; streams can be destroyed when the model is gone."""
        lib = self.lib
        lib.aclmdlRIDestroy(self.model)
        for each in self.lists:
            assert lib.aclrtDestroyLabelList(each) == 0
        for each in self.labels:
            assert lib.aclrtDestroyLabel(each) == 0
        for each in [*self.streams, self.runner]:
            assert lib.aclrtDestroyStream(each) == 0
        for each in self.memory:
            assert lib.aclrtFree(each) == 0
