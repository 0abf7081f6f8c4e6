# SPDX-License-Identifier: Apache-2.0
"""Makes a random two-layer transformer, runs transformer.cpp on it and compares with NumPy.

python examples/llm/check.py
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

VOCABULARY, WIDTH, HEADS, CACHED_HEADS, HIDDEN, LAYERS = 320, 128, 4, 2, 256, 2
PROMPT, GENERATED = 7, 12
HEAD = WIDTH // HEADS
GROUP = 32
EPSILON = 1e-5


def half(values: Array) -> Array:
    """What a tensor of FLOAT16 keeps; every operator writes one."""
    return values.astype(np.float16).astype(np.float32)


class Linear:
    """A matrix [outputs, inputs] as small integers with a scale for every group of inputs."""

    def __init__(self, draw: np.random.Generator, outputs: int, inputs: int, bits: int) -> None:
        matrix = draw.standard_normal((outputs, inputs // GROUP, GROUP)) / np.sqrt(inputs)
        most = 2 ** (bits - 1) - 1
        self.bits = bits
        self.scale = (np.abs(matrix).max(axis=2) / most).astype(np.float16)
        self.numbers = np.round(matrix / self.scale[:, :, None].astype(np.float64)).astype(np.int8)
        self.numbers = np.clip(self.numbers, -most - 1, most).reshape(outputs, inputs)

    def arrays(self) -> Iterator[Array]:
        if self.bits == 8:
            yield self.numbers
        else:  # the lower half of a byte first
            nibbles = self.numbers.view(np.uint8) & 15
            yield nibbles[:, 0::2] | nibbles[:, 1::2] << 4
        yield self.scale

    def __call__(self, x: Array) -> Array:
        scale = np.repeat(self.scale.astype(np.float32), GROUP, axis=1)
        return half(x @ (self.numbers * scale).T)


def norm(x: Array, gamma: Array) -> Array:
    return half(x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON) * gamma)


def turn(x: Array, angles: tuple[Array, Array]) -> Array:
    """Rotates the pairs (i, i + half a head) of [tokens, heads, head]."""
    first, second = np.split(x, 2, axis=-1)
    cosines, sines = (table.astype(np.float32)[:, None, :] for table in angles)
    return half(x * cosines + np.concatenate((-second, first), axis=-1) * sines)


class Layer:
    def __init__(self, draw: np.random.Generator) -> None:
        self.attention_norm, self.feed_norm = (gamma(draw) for _ in range(2))
        self.query = Linear(draw, WIDTH, WIDTH, 8)
        self.key = Linear(draw, CACHED_HEADS * HEAD, WIDTH, 8)
        self.value = Linear(draw, CACHED_HEADS * HEAD, WIDTH, 8)
        self.output = Linear(draw, WIDTH, WIDTH, 8)
        self.gate_and_up = Linear(draw, 2 * HIDDEN, WIDTH, 4)
        self.down = Linear(draw, WIDTH, HIDDEN, 4)

    def arrays(self) -> Iterator[Array]:
        yield from (self.attention_norm, self.feed_norm)
        for linear in (self.query, self.key, self.value, self.output, self.gate_and_up, self.down):
            yield from linear.arrays()

    def attend(self, x: Array, angles: tuple[Array, Array]) -> Array:
        tokens = len(x)
        query = turn(self.query(x).reshape(tokens, HEADS, HEAD), angles)
        key = turn(self.key(x).reshape(tokens, CACHED_HEADS, HEAD), angles)
        value = self.value(x).reshape(tokens, CACHED_HEADS, HEAD)
        key, value = (np.repeat(t, HEADS // CACHED_HEADS, axis=1) for t in (key, value))
        scores = np.einsum("qhd,khd->hqk", query, key) / np.sqrt(HEAD)
        scores[:, np.triu(np.ones((tokens, tokens), bool), 1)] = -np.inf
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares = powers / powers.sum(axis=-1, keepdims=True)
        return self.output(half(np.einsum("hqk,khd->qhd", shares, value)).reshape(tokens, WIDTH))

    def feed(self, x: Array) -> Array:
        gate, up = np.split(self.gate_and_up(x), 2, axis=-1)
        return self.down(half(gate / (1 + np.exp(-gate)) * up))

    def __call__(self, x: Array, angles: tuple[Array, Array]) -> Array:
        added = self.attend(norm(x, self.attention_norm.astype(np.float32)), angles)
        fed = self.feed(norm(x + added, self.feed_norm.astype(np.float32)))
        return half(half(x + added) + fed)


def gamma(draw: np.random.Generator) -> Array:
    return draw.uniform(0.5, 1.5, WIDTH).astype(np.float16)


class Model:
    def __init__(self, seed: int) -> None:
        draw = np.random.default_rng(seed)
        self.prompt = draw.integers(0, VOCABULARY, PROMPT)
        self.embedding, self.head = (
            draw.standard_normal((VOCABULARY, WIDTH)).astype(np.float16) for _ in range(2)
        )
        places = np.arange(PROMPT + GENERATED)[:, None] / 10000 ** (np.arange(0, HEAD, 2) / HEAD)
        angles = np.concatenate((places, places), axis=1)
        self.cosines, self.sines = (f(angles).astype(np.float16) for f in (np.cos, np.sin))
        self.last_norm = gamma(draw)
        self.layers = [Layer(draw) for _ in range(LAYERS)]

    def arrays(self) -> Iterator[Array]:
        yield from (self.prompt, self.embedding, self.head, self.cosines, self.sines)
        yield self.last_norm
        for layer in self.layers:
            yield from layer.arrays()

    def write(self, path: Path) -> None:
        """In the order in which transformer.cpp reads."""
        sizes = (VOCABULARY, WIDTH, HEADS, CACHED_HEADS, HIDDEN, LAYERS, PROMPT, GENERATED)
        with path.open("wb") as file:
            file.write(np.array(sizes, np.int32).tobytes())
            for array in self.arrays():
                file.write(array.tobytes())

    def logits(self, tokens: list[int]) -> Array:
        """Of the token behind the given ones, all of which are computed anew."""
        x = self.embedding[tokens].astype(np.float32)
        angles = (self.cosines[: len(tokens)], self.sines[: len(tokens)])
        for layer in self.layers:
            x = layer(x, angles)
        last = norm(x[-1], self.last_norm.astype(np.float32))
        return half(self.head.astype(np.float32) @ last)


def generate(model: Model) -> tuple[list[int], Array]:
    tokens, rows = model.prompt.tolist(), []
    for _ in range(GENERATED):
        rows.append(model.logits(tokens))
        tokens.append(int(rows[-1].argmax()))
    return tokens[PROMPT:], np.array(rows)


def run_program(model: Model, options: list[str]) -> tuple[list[int], Array]:
    with tempfile.TemporaryDirectory() as directory:
        weights, logits = Path(directory, "model.bin"), Path(directory, "logits.bin")
        model.write(weights)
        program = Path(__file__).with_name("transformer.cpp")
        command = ["aclhost", "run", *options, *map(str, (program, weights, logits))]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rows = np.fromfile(logits, np.float16).reshape(GENERATED, VOCABULARY)
    return [int(line) for line in done.stdout.split()], rows.astype(np.float32)


def main() -> int:
    """Arguments are options of `aclhost run`, for example --strict."""
    model = Model(seed=1)
    tokens, logits = run_program(model, sys.argv[1:])
    wanted_tokens, wanted = generate(model)
    error = float(np.abs(logits - wanted).max() / np.abs(wanted).max())
    print(f"tokens of the program {tokens}")
    print(f"tokens of NumPy       {wanted_tokens}")
    print(f"logits differ by at most {error:.1e} of the largest")
    return 0 if tokens == wanted_tokens and error < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
