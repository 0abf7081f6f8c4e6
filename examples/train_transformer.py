# SPDX-License-Identifier: Apache-2.0
"""Trains a small transformer twice: on aclhost's operators, and on torch's own.

It reads a sequence of letters and, after a mark, has to write it again: each row attends to all
that came before. Embedding, norms, products with weights, attention, activation and loss are what
differs. Same seed, same data; the loss curves should lie on each other.

That holds while steps are small. At a rate of 0.01 the loss jumps from step 130 on, and there every
run parts from every other: torch parts from torch as far as from aclhost if the last bit of its
first weights is changed.
"""

from types import ModuleType

import torch
from torch import Tensor, nn
from training import Experiment

LETTERS, LENGTH, BATCH, HEADS, WIDTH, LAYERS = 8, 8, 32, 4, 32, 2
MARK = LETTERS  # behind what is to be written again


class Block(nn.Module):
    """Attention and two products with weights, each behind a norm and added to what came in."""

    def __init__(self, functional: ModuleType) -> None:
        super().__init__()
        self.functional = functional
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.mixed = nn.Linear(WIDTH, 3 * WIDTH)
        self.joined = nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        f = self.functional
        x = x + self.attend(self.norm(x, 0))
        hidden = f.gelu(f.linear(self.norm(x, 1), self.wide.weight, self.wide.bias))
        return x + f.linear(hidden, self.narrow.weight, self.narrow.bias)

    def norm(self, x: Tensor, which: int) -> Tensor:
        norm = self.norms[which]
        return self.functional.layer_norm(x, (WIDTH,), norm.weight, norm.bias)

    def attend(self, x: Tensor) -> Tensor:
        f = self.functional
        rows = f.linear(x, self.mixed.weight, self.mixed.bias)
        q, k, v = rows.unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        out = f.scaled_dot_product_attention(q, k, v, is_causal=True)
        return f.linear(out.transpose(1, 2).flatten(2), self.joined.weight, self.joined.bias)


class Transformer(nn.Module):
    """Two blocks between an embedding and the scores of letters."""

    def __init__(self, functional: ModuleType) -> None:
        super().__init__()
        self.functional = functional
        self.letters = nn.Embedding(LETTERS + 1, WIDTH)
        self.places = nn.Parameter(0.1 * torch.randn(2 * LENGTH, WIDTH))
        self.blocks = nn.ModuleList(Block(functional) for _ in range(LAYERS))
        self.last = nn.Linear(WIDTH, LETTERS)

    def forward(self, letters: Tensor) -> Tensor:
        f = self.functional
        x = f.embedding(letters, self.letters.weight) + self.places
        for block in self.blocks:
            x = block(x)
        return f.linear(x, self.last.weight, self.last.bias)


def loss_of_a_batch(model: nn.Module, generator: torch.Generator) -> Tensor:
    """The cross entropy of the letters that are written again."""
    words = torch.randint(LETTERS, (BATCH, LENGTH), generator=generator)
    marks = torch.full((BATCH, 1), MARK)
    scores = model(torch.cat((words, marks, words[:, :-1]), 1))
    return model.functional.cross_entropy(scores[:, LENGTH:].flatten(0, 1), words.flatten())


if __name__ == "__main__":
    Experiment(Transformer, loss_of_a_batch, "loss_transformer.png").command()()
