"""Training loop shared by the nets: resumable, one optimiser, cosine schedule over steps, EMA weights."""

from __future__ import annotations

import json
import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch import nn


class Ema:
    """Exponential moving average of the weights; what is exported."""

    def __init__(self, model: nn.Module, decay: float = 0.998) -> None:
        self.decay, self.state = decay, {k: v.detach().clone() for k, v in model.state_dict().items()}

    def update(self, model: nn.Module, step: int) -> None:
        d = min(self.decay, (1 + step) / (10 + step))
        for k, v in model.state_dict().items():
            if v.dtype.is_floating_point:
                self.state[k].mul_(d).add_(v.detach(), alpha=1 - d)
            else:
                self.state[k].copy_(v)


def save(path: Path, **what: object) -> None:
    """Write a checkpoint so that a stop in the middle leaves the old one."""
    tmp = path.with_suffix(".tmp")
    torch.save(what, tmp)
    os.replace(tmp, path)


def train(
    model: nn.Module,
    batches: Iterator[tuple],
    loss_of: Callable[[nn.Module, tuple], tuple[torch.Tensor, dict[str, float]]],
    out: Path,
    steps: int,
    lr: float,
    every: int = 100,
    on_save: Callable[[dict, int], None] | None = None,
    until: float | None = None,
) -> None:
    """Run up to `steps` steps, from the checkpoint in `out` if there is one; log a line every 50 steps.

    `until`: end at this time (seconds since 1970) at the latest, with the learning rate run down by then.
    """
    out.mkdir(parents=True, exist_ok=True)
    ckpt = out / "last.pt"
    optimiser = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-4)
    ema, start, first = Ema(model), 0, time.time()
    if ckpt.exists():
        old = torch.load(ckpt, weights_only=True)
        model.load_state_dict(old["model"])
        optimiser.load_state_dict(old["optimiser"])
        ema.state, start = old["ema"], old["step"]
        first = old.get("first", first)
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))  # a stop saves first
    sums: dict[str, float] = {}
    n, began = 0, time.monotonic()
    model.train()
    for step in range(start, steps):
        warm = min(1.0, (step - start + 1) / 50)
        done = step / steps if until is None else max(step / steps, (time.time() - first) / (until - first))
        rate = lr * warm * max(0.02, 0.5 * (1 + math.cos(math.pi * min(1.0, done))))
        for g in optimiser.param_groups:
            g["lr"] = rate
        loss, parts = loss_of(model, next(batches))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        ema.update(model, step)
        for k, v in parts.items():
            sums[k] = sums.get(k, 0.0) + v
        n += 1
        if (step + 1) % 50 == 0:
            row = {k: round(v / n, 4) for k, v in sums.items()}
            print(json.dumps({"step": step + 1, "s": round(time.monotonic() - began, 1), **row}), flush=True)
            sums, n = {}, 0
        last = step + 1 == steps or done >= 1.0 or bool(stopped)
        if (step + 1) % every == 0 or last:
            save(
                ckpt,
                model=model.state_dict(),
                optimiser=optimiser.state_dict(),
                ema=ema.state,
                step=step + 1,
                first=first,
            )
            if on_save:
                on_save(ema.state, step + 1)
        if last:
            return
