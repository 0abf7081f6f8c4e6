# SPDX-License-Identifier: Apache-2.0
"""Interpreters that end, and processes that are forked, while another thread is in a call."""

import sys

from support.programs import clean_environment, run

DAEMON = """
import threading, time
import numpy, aclhost
big = numpy.ones(1 << 24, numpy.float32)
def work():
    while True:
        aclhost.elu(big)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
print("ok")
"""

FORK = """
import importlib.abc, os, signal, sys, threading, time
import numpy, aclhost

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "ml_dtypes":
            entered.set()
            time.sleep(1)

entered = threading.Event()
assert "ml_dtypes" not in sys.modules
sys.meta_path.insert(0, Slow())
ones = numpy.ones(4, numpy.float32)
thread = threading.Thread(target=lambda: aclhost.elu(ones, alpha=numpy.float32(1)))
thread.start()
assert entered.wait(30)
child = os.fork()
if child == 0:
    signal.alarm(30)
    aclhost.elu(ones, alpha=numpy.float32(1))
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
thread.join()
print("ok")
"""


def test_a_daemon_thread_in_an_operator_lets_the_interpreter_end():
    for _ in range(3):
        done = run([sys.executable, "-c", DAEMON], env=clean_environment(), timeout=120)
        assert (done.stdout, done.stderr) == ("ok\n", "")


def test_a_fork_while_another_thread_imports():
    done = run([sys.executable, "-W", "ignore", "-c", FORK], env=clean_environment(), timeout=120)
    assert done.stdout == "ok\n"
