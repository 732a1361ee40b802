"""Train the finder or the reader: resumable, exports ONNX at every checkpoint.

python -m companion.train.board_train reader --data DIR[:weight] … --out DIR --steps 6000
"""

from __future__ import annotations

import argparse
from datetime import datetime, timedelta
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from companion.train import common
from companion.train.board_data import FIND, HAND, LIGHT, ON_OTHERS, ON_SURFACE, THING, Endless
from companion.train.board_net import FinderNet, ReaderNet, export
from companion.vision import rectify

HAND_WEIGHT = 12.0
"""A cell under a hand counts so much more than a clear one: hands are rare, and missing one costs a turn."""


def focal(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """CenterNet's loss of heat maps, per peak."""
    p = torch.sigmoid(logits).clamp(1e-4, 1 - 1e-4)
    peak = target > 0.8
    near = -torch.where(peak, (1 - p) ** 2 * torch.log(p), (1 - target) ** 4 * p**2 * torch.log(1 - p))
    return near.sum() / peak.sum().clamp(min=1)


def reader_loss(model: torch.nn.Module, batch: dict) -> tuple[torch.Tensor, dict[str, float]]:
    x = (batch["x"].float() / 255).contiguous(memory_format=torch.channels_last)
    maps, columns, bar = model(x)
    t = batch["maps"]
    heat = focal(maps[:, ON_SURFACE], t[:, ON_SURFACE]) + focal(maps[:, ON_OTHERS], t[:, ON_OTHERS]) * 0.5
    lit = t[:, LIGHT]
    colour = F.binary_cross_entropy_with_logits(maps[:, LIGHT][lit != 0], (lit[lit != 0] > 0).float())
    rare = torch.tensor(HAND_WEIGHT)
    areas = F.binary_cross_entropy_with_logits(maps[:, HAND], t[:, HAND], pos_weight=rare)
    areas = areas + F.binary_cross_entropy_with_logits(maps[:, THING], t[:, THING])
    count = F.cross_entropy(columns, batch["counts"], reduction="mean")
    bars = (F.cross_entropy(bar[:, :8], batch["bar"][:, 0]) + F.cross_entropy(bar[:, 8:], batch["bar"][:, 1])) / 2
    loss = count * 3 + bars + heat * 0.25 + colour * 0.5 + areas * 2
    wrong = (columns.argmax(1) != batch["counts"]).float()
    parts = {
        "count": count.item(),
        "bars": bars.item(),
        "heat": heat.item(),
        "colour": colour.item(),
        "areas": float(areas),
        "wrong": wrong.mean().item(),
        "whole": (wrong.flatten(1).sum(1) == 0).float().mean().item(),
    }
    return loss, parts


def finder_loss(model: torch.nn.Module, batch: dict) -> tuple[torch.Tensor, dict[str, float]]:
    x = (batch["x"].float() / 255).contiguous(memory_format=torch.channels_last)
    maps, t = model(x), batch["maps"]
    corners, bars = focal(maps[:, 0], t[:, 0]), focal(maps[:, 1], t[:, 1])
    area = F.binary_cross_entropy_with_logits(maps[:, 2], t[:, 2])
    return corners + 0.6 * bars + 2 * area, {"corners": corners.item(), "bars": bars.item(), "area": area.item()}


def clock(text: str | None) -> float | None:
    """The next HH:MM as seconds since 1970."""
    if text is None:
        return None
    h, m = (int(part) for part in text.split(":"))
    now = datetime.now()
    then = now.replace(hour=h, minute=m, second=0)
    return (then + timedelta(days=1) if then < now else then).timestamp()


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("net", choices=["reader", "finder"])
    ap.add_argument("--data", nargs="+", required=True, help="folder[:weight] of generated pictures")
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--steps", type=int, default=5000)
    ap.add_argument("--batch", type=int, default=8)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--workers", type=int, default=1)
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--until", help="HH:MM: end by then, with the learning rate run down")
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    folders = [(Path(d.split(":")[0]), float(d.split(":")[1]) if ":" in d else 1.0) for d in a.data]
    data = DataLoader(Endless(folders, a.net, a.seed), batch_size=a.batch, num_workers=a.workers, prefetch_factor=4)
    if a.net == "reader":
        model, loss, shape, names = (
            ReaderNet(),
            reader_loss,
            (5, rectify.HEIGHT, rectify.WIDTH),
            ["maps", "columns", "bar"],
        )
    else:
        model, loss, shape, names = FinderNet(), finder_loss, (3, FIND, FIND), ["maps"]
    model = model.to(memory_format=torch.channels_last)

    def on_save(state: dict, step: int) -> None:
        export(type(model)(), state, shape, names, str(a.out / f"{a.net}.onnx"))

    common.train(model, iter(data), loss, a.out, a.steps, a.lr, on_save=on_save, until=clock(a.until))


if __name__ == "__main__":
    main()
