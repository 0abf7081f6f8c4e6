# SPDX-License-Identifier: Apache-2.0
"""`make demo`: one operator from C++, from Python and from its golden, and one wrong call."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

import aclhost
from aclhost.ops.activation.elu_backward import OP

HERE = Path(__file__).parent
X = np.array([-3.0, -1.0, -0.25, 0.0, 0.5, 2.0], np.float32)
ALPHA, SCALE, INPUT_SCALE = 2.0, 1.5, 0.5


def output_of(*command: str) -> list[float]:
    """The numbers that a program prints, one a line."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return [float(line) for line in done.stdout.split()]


def results() -> Table:
    """All ways in, side by side."""
    gradient = np.ones_like(X)
    command = str(Path(sys.executable).with_name("aclhost"))
    columns = {}
    if any(shutil.which(name) for name in ("g++", "c++", "clang++")):
        from_cpp = output_of(command, "run", f"{HERE}/elu_backward.cpp")
        columns["aclhost run\nelu_backward.cpp"] = from_cpp
    columns |= {
        "python\nelu_backward.py": output_of(sys.executable, f"{HERE}/elu_backward.py"),
        "aclhost.\nelu_backward()": aclhost.elu_backward(gradient, X, ALPHA, SCALE, INPUT_SCALE),
        "golden\n(float64)": OP.golden(
            gradient.astype(float), ALPHA, SCALE, INPUT_SCALE, False, X.astype(float)
        ),
    }
    table = Table(title="aclnnEluBackward, alpha 2, scale 1.5, inputScale 0.5", title_style="bold")
    if len(columns) == 3:
        table.caption = "no C++ compiler here, so without the C++ program"
    table.add_column("x", justify="right")
    for name in columns:
        table.add_column(name, justify="right")
    for row, x in enumerate(X):
        table.add_row(f"{x:g}", *(f"{values[row]:.7f}" for values in columns.values()))
    return table


def wrong_call() -> Panel:
    """What a user reads who passes the wrong dtype."""
    try:
        aclhost.elu_backward(X.astype(np.int32), X.astype(np.int32))
    except aclhost.AclnnError as error:
        text = f"[bold]{error.status}[/]  parameter [bold]{error.parameter}[/]\n\n{error}"
        return Panel(text, title="aclhost.elu_backward(int32, int32)", border_style="red")
    raise SystemExit("the wrong call was accepted")


def main() -> None:
    """Everything, on one screen."""
    console = Console()
    console.print()
    console.print(results())
    console.print()
    console.print(wrong_call())


if __name__ == "__main__":
    main()
