"""The three small nets (detector, die crop, cube crop), their training from shards and their ONNX export.

    python -m companion.train.dice_net crop DATA_DIR RUN_DIR --minutes 40
    python -m companion.train.dice_net detect | cube …
    … --export models/dice_state.onnx         (writes the best checkpoint's averaged weights)

Resumable: a run picks up RUN_DIR/last.pt. Data shards that appear later are read at the next start of an epoch.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

NO_DIE = 5
UNTOLD = 0.2  # share of the crops whose view's tilt is kept from the net
MAGNIFIED = 0.06  # share of the crops made negatives by looking at a part
ENLARGED = 0.15  # share of the detector's batches that are enlarged
STATE_NAMES = ("flat", "cocked", "on_checker", "on_bar", "stacked")


def block(a: int, b: int, k: int = 3, s: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(a, b, k, s, k // 2, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class CropNet(nn.Module):
    """(n, 4, 64, 64) -> (n, 18): values 1 … 6, five states, is a die, tilt / 30 degrees, centre x y and log edge,
    and twice the sine of the tilt along x and y (which way the upper face leans)."""

    def __init__(self, ins: int = 4, outs: int = 18):
        super().__init__()
        self.body = nn.Sequential(
            block(ins, 24, 5, 2),
            block(24, 32),
            block(32, 48, 3, 2),
            block(48, 56),
            block(56, 80, 3, 2),
            block(80, 96),
            block(96, 96, 3, 2),
        )
        self.fc = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(96 * 16, 96), nn.ReLU(), nn.Linear(96, outs))

    def forward(self, x):
        return self.fc(self.body(x))


class PlaceNet(nn.Module):
    """(n, 4, 32, 32) -> (n, 3): the die lies on the surface, on a checker, on wood."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            block(4, 16), block(16, 24, 3, 2), block(24, 32), block(32, 48, 3, 2), block(48, 48), block(48, 48, 3, 2)
        )
        self.fc = nn.Sequential(nn.Flatten(), nn.Dropout(0.1), nn.Linear(48 * 16, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, x):
        return self.fc(self.body(x))


class CubeNet(nn.Module):
    """(n, 3, 48, 48) -> (n, 7): 2 4 8 16 32 64, no cube."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            block(3, 24, 5, 2), block(24, 32), block(32, 48, 3, 2), block(48, 64), block(64, 80, 3, 2), block(80, 80)
        )
        self.fc = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(80 * 36, 64), nn.ReLU(), nn.Linear(64, 7))

    def forward(self, x):
        return self.fc(self.body(x))


class DetectNet(nn.Module):
    """(n, 3, h, w) -> (n, 6, h/4, w/4): heat of die and cube (logits), offset x y in cells, log edge / 12 of each."""

    def __init__(self):
        super().__init__()
        self.low = nn.Sequential(nn.Conv2d(3, 32, 6, 4, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU(inplace=True))
        self.deep = nn.Sequential(block(32, 48, 3, 2), block(48, 48), block(48, 48), block(48, 48))
        self.back = nn.Conv2d(48, 32, 1)
        self.fuse = block(32, 32)
        self.head = nn.Conv2d(32, 6, 1)
        with torch.no_grad():
            self.head.bias[:2] = -4.0

    def forward(self, x):
        low = self.low(x)
        deep = F.interpolate(self.back(self.deep(low)), scale_factor=2, mode="nearest")
        return self.head(self.fuse(F.relu(low + deep)))


NETS = {"crop": CropNet, "place": PlaceNet, "cube": CubeNet, "detect": DetectNet}


def load(folder: Path) -> dict[str, np.ndarray]:
    files = sorted(folder.glob("*.npz"))
    parts = [dict(np.load(f)) for f in files]
    if any("lean" in p for p in parts):
        for p in parts:
            p.setdefault("lean", level(p))
    return {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}


def level(part: dict[str, np.ndarray]) -> np.ndarray:
    """Which way dice lean where the shard does not tell: nowhere if they lie level, else unknown (NaN)."""
    lean = np.zeros((len(part["image"]), 2), np.float32)
    lean[part["tilt"] > 1.5] = np.nan
    return lean


def standardise(x: torch.Tensor) -> torch.Tensor:
    """Per picture: mean 0, deviation about 1 (over all channels). Same as `companion.vision.dice_state.standard`."""
    mean = x.mean(dim=(1, 2, 3), keepdim=True)
    return (x - mean) / (x.std(dim=(1, 2, 3), keepdim=True) + 8.0)


def colours(x: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Photometric changes on (n, 3, h, w) 0 … 255: channel order, gains, gamma, noise, softening."""
    n = len(x)
    for i in np.flatnonzero(rng.random(n) < 0.35):
        x[i] = x[i, list(rng.permutation(3))]
    gain = torch.from_numpy(rng.normal(1, 0.08, (n, 3, 1, 1)).astype(np.float32))
    bend = torch.from_numpy(rng.normal(0, 0.25, (n, 1, 1, 1)).astype(np.float32) / 255)
    x = x * (gain + bend * (255 - x))
    for i in np.flatnonzero(rng.random(n) < 0.4):
        kind = rng.random()
        if kind < 0.6:
            x[i] += torch.randn(x[i].shape) * float(rng.gamma(1.0, 5.0))
        else:
            x[i] = torch.lerp(x[i], F.avg_pool2d(x[i], 3, 1, 1, count_include_pad=False), float(rng.uniform(0.2, 1)))
    return x.clamp_(0, 255)


def shaken(x: torch.Tensor, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Shift and rescale crops as a careless detector would; where the die is then (x, y, log edge in 22 px)."""
    n = len(x)
    scale = np.exp(rng.normal(0, 0.13, n))
    shift = rng.normal(0, 0.16, (n, 2)) * 22 / 32
    theta = np.zeros((n, 2, 3), np.float32)
    theta[:, 0, 0] = theta[:, 1, 1] = scale
    theta[:, :, 2] = shift
    grid = F.affine_grid(torch.from_numpy(theta), list(x.shape), align_corners=False)
    moved = F.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)
    where = np.column_stack([-shift / scale[:, None] * 32 / 22, -np.log(scale)])
    return moved, torch.from_numpy(where.astype(np.float32))


def magnified(x: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Parts of crops, two to four times enlarged: pips and edges that must not pass for dice."""
    n = len(x)
    theta = np.zeros((n, 2, 3), np.float32)
    theta[:, 0, 0] = theta[:, 1, 1] = rng.uniform(0.22, 0.45, n)
    theta[:, :, 2] = rng.uniform(-0.35, 0.35, (n, 2))
    grid = F.affine_grid(torch.from_numpy(theta), list(x.shape), align_corners=False)
    return F.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)


def batch_crop(d, i, rng, train):
    x = torch.from_numpy(d["image"][i]).permute(0, 3, 1, 2).float()
    tan = torch.from_numpy(d["tan"][i]).float()
    where = torch.zeros(len(i), 3)
    state = torch.from_numpy(d["state"][i].copy())
    lean = torch.from_numpy(d["lean"][i].copy()) if "lean" in d else torch.full((len(i), 2), torch.nan)
    if train and x.shape[3] == 64:
        tan = torch.where(torch.from_numpy(rng.random(len(i)) < UNTOLD), torch.full_like(tan, -0.5), tan)
        part = torch.from_numpy(np.flatnonzero(rng.random(len(i)) < MAGNIFIED))
        if len(part):
            x[part], state[part] = magnified(x[part], rng), NO_DIE
    if train:
        flip = torch.from_numpy(rng.random(len(i)) < 0.5)
        x = torch.where(flip[:, None, None, None], x.flip(3), x)
        lean[flip, 0] *= -1
        if x.shape[3] == 64:
            x, where = shaken(x, rng)
        x = colours(x, rng)
    x = torch.cat([standardise(x), tan[:, None, None, None].expand(-1, 1, *x.shape[2:])], dim=1)
    return x, {k: torch.from_numpy(d[k][i]) for k in ("value", "tilt")} | {"state": state, "where": where, "lean": lean}


def loss_crop(out, y):
    die = y["state"] < 5
    loss = 0.5 * F.binary_cross_entropy_with_logits(out[:, 11], die.float())
    if die.any():
        o = out[die]
        loss = loss + F.cross_entropy(o[:, :6], (y["value"][die] - 1).long())
        loss = loss + 1.2 * F.cross_entropy(o[:, 6:11], y["state"][die].long())
        loss = loss + 2.0 * F.smooth_l1_loss(o[:, 13:16], y["where"][die], beta=0.1)
        loss = loss + 0.5 * F.smooth_l1_loss(o[:, 12], (y["tilt"][die] / 30).float(), beta=0.1)
        known = ~y["lean"][die].isnan().any(1)
        loss = loss + 3.0 * F.smooth_l1_loss(o[known][:, 16:18], 2 * y["lean"][die][known], beta=0.1)
    return loss


def score_crop(out, y):
    die = y["state"] < 5
    p = out[die][:, :6].softmax(1)
    conf, val = p.max(1)
    right = val + 1 == y["value"][die]
    flat = out[die][:, 6:11].softmax(1)[:, 0]
    truly = y["state"][die] == 0
    sure = conf > 0.95
    return {
        "value": right.float().mean().item(),
        "sure": sure.float().mean().item(),
        "sure wrong": (~right & sure).float().sum().item() / max(int(sure.sum()), 1),
        "state": (out[die][:, 6:11].argmax(1) == y["state"][die]).float().mean().item(),
        "flat kept": (flat[truly] > 0.5).float().mean().item(),
        "faults caught": (flat[~truly] < 0.5).float().mean().item(),
        "die": ((out[:, 11] > 0) == die).float().mean().item(),
    }


def batch_place(d, i, rng, train):
    x, _ = batch_crop({**d, "value": d["label"], "state": d["label"], "tilt": d["tan"]}, i, rng, train)
    return x, {"label": torch.from_numpy(d["label"][i]).long()}


def score_place(out, y):
    flat = out.softmax(1)[:, 0]
    truly = y["label"] == 0
    return {
        "right": (out.argmax(1) == y["label"]).float().mean().item(),
        "flat kept": (flat[truly] > 0.5).float().mean().item(),
        "raised caught": (flat[~truly] < 0.5).float().mean().item(),
    }


def turned(x: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Turn crops by any angle, and shift and rescale them a little."""
    n = len(x)
    angle, scale = rng.uniform(0, 2 * np.pi, n), np.exp(rng.normal(0, 0.09, n))
    theta = np.zeros((n, 2, 3), np.float32)
    theta[:, 0, 0] = theta[:, 1, 1] = np.cos(angle) * scale
    theta[:, 0, 1], theta[:, 1, 0] = -np.sin(angle) * scale, np.sin(angle) * scale
    theta[:, :, 2] = rng.normal(0, 0.05, (n, 2))
    grid = F.affine_grid(torch.from_numpy(theta), list(x.shape), align_corners=False)
    return F.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)


def batch_cube(d, i, rng, train):
    x = torch.from_numpy(d["image"][i]).permute(0, 3, 1, 2).float()
    if train:
        x = colours(turned(x, rng), rng)
    return standardise(x), {"label": torch.from_numpy(d["label"][i]).long()}


def loss_cube(out, y):
    return F.cross_entropy(out, y["label"])


def score_cube(out, y):
    conf, got = out.softmax(1).max(1)
    right = got == y["label"]
    sure = conf > 0.9
    return {
        "value": right.float().mean().item(),
        "sure": sure.float().mean().item(),
        "sure wrong": (sure & ~right).float().sum().item() / max(int(sure.sum()), 1),
    }


def enlarged(x: torch.Tensor, things: np.ndarray, rng: np.random.Generator) -> tuple[torch.Tensor, np.ndarray]:
    """A part of the windows, enlarged: dice too large for the net are no targets, nor are their pips."""
    w = x.shape[3]
    k = float(rng.uniform(1.2, 4.0))
    side = int(w / k)
    x0, y0 = (int(v) for v in rng.integers(0, w - side + 1, 2))
    part = F.interpolate(x[:, :, y0 : y0 + side, x0 : x0 + side], size=(w, w), mode="bilinear", align_corners=False)
    k = w / side
    moved = things.copy()
    moved[..., 1] = (things[..., 1] + 0.5 - x0) * k - 0.5
    moved[..., 2] = (things[..., 2] + 0.5 - y0) * k - 0.5
    moved[..., 3] = things[..., 3] * k
    size = moved[..., 3] / np.where(things[..., 0] == 2, 1.8, 1.0)
    moved[..., 0] = np.where(size > 25, 0, np.where((size > 20) & (moved[..., 0] > 0), 3, moved[..., 0]))
    return part, moved


def batch_detect(d, i, rng, train):
    x = torch.from_numpy(d["image"][i]).permute(0, 3, 1, 2).float()
    things = d["things"][i].copy()
    if train:
        if rng.random() < ENLARGED:
            x, things = enlarged(x, things, rng)
        x = colours(x, rng)
        w = x.shape[3]
        if rng.random() < 0.5:
            x = x.flip(3)
            things[..., 1] = w - 1 - things[..., 1]
        if rng.random() < 0.5:
            x = x.transpose(2, 3)
            things[..., [1, 2]] = things[..., [2, 1]]
        if rng.random() < 0.5:
            x = x.flip(2)
            things[..., 2] = w - 1 - things[..., 2]
    return x / 127.5 - 1, targets(things, x.shape[2] // 4)


def targets(things: np.ndarray, n: int) -> dict[str, torch.Tensor]:
    """Heat (b, 2, n, n), weight (b, 2, n, n), offsets and sizes with their mask."""
    b = len(things)
    gy, gx = np.mgrid[0:n, 0:n].astype(np.float32)
    heat, weight = np.zeros((b, 2, n, n), np.float32), np.ones((b, 2, n, n), np.float32)
    reg, mask = np.zeros((b, 4, n, n), np.float32), np.zeros((b, 4, n, n), np.float32)
    for i in range(b):
        for kind, x, y, edge in things[i]:
            if kind == 0:
                continue
            cx, cy, cells = (x + 0.5) / 4 - 0.5, (y + 0.5) / 4 - 0.5, edge / 4
            r2 = (gx - cx) ** 2 + (gy - cy) ** 2
            if kind == 3:
                weight[i][:, r2 < cells**2] = 0
                continue
            k = int(kind) - 1
            sigma = 0.45 + 0.1 * cells
            heat[i, k] = np.maximum(heat[i, k], np.exp(-r2 / (2 * sigma**2)))
            near = r2 < (0.5 + 0.25 * cells) ** 2
            reg[i, 0][near], reg[i, 1][near] = (cx - gx)[near], (cy - gy)[near]
            reg[i, 2 + k][near] = np.log(edge / 12)
            mask[i, :2][:, near] = 1
            mask[i, 2 + k][near] = 1
            ix, iy = round(float(cx)), round(float(cy))
            if 0 <= ix < n and 0 <= iy < n:
                heat[i, k, iy, ix] = 1.0
    return {k: torch.from_numpy(v) for k, v in (("heat", heat), ("weight", weight), ("reg", reg), ("mask", mask))}


def loss_detect(out, y):
    p = out[:, :2].sigmoid().clamp(1e-4, 1 - 1e-4)
    one = y["heat"] > 0.999
    pos = -((1 - p) ** 2 * p.log())[one].sum()
    neg = -((1 - y["heat"]) ** 4 * p**2 * (1 - p).log() * y["weight"])[~one].sum()
    reg = ((out[:, 2:] - y["reg"]).abs() * y["mask"]).sum() / y["mask"].sum().clamp(min=1)
    return (pos + neg) / one.sum().clamp(min=1) + reg


def score_detect(out, y):
    p = out[:, :2].sigmoid()
    peak = (F.max_pool2d(p, 3, 1, 1) == p) & (p > 0.3)
    near = F.max_pool2d((y["heat"] > 0.999).float(), 3, 1, 1) > 0
    found = F.max_pool2d((peak & near).float(), 3, 1, 1) > 0
    one = y["heat"] > 0.999
    res = {}
    for k, name in enumerate(("die", "cube")):
        res[f"{name} found"] = found[:, k][one[:, k]].float().mean().item()
        res[f"{name} false"] = (peak[:, k] & ~near[:, k] & (y["weight"][:, k] > 0)).float().sum().item() / max(
            int(one[:, k].sum()), 1
        )
    return res


PARTS = {
    "place": (batch_place, loss_cube, score_place),
    "crop": (batch_crop, loss_crop, score_crop),
    "cube": (batch_cube, loss_cube, score_cube),
    "detect": (batch_detect, loss_detect, score_detect),
}


class Average:
    """Running average of the weights: steadier than the last step."""

    def __init__(self, net: nn.Module, keep: float = 0.998):
        self.keep, self.state = keep, {k: v.detach().clone() for k, v in net.state_dict().items()}

    def update(self, net: nn.Module, step: int) -> None:
        keep = min(self.keep, (1 + step) / (10 + step))
        for k, v in net.state_dict().items():
            self.state[k] = self.state[k] * keep + v.detach() * (1 - keep) if v.is_floating_point() else v.clone()


def evaluate(kind, net, d, index):
    batch, _, score = PARTS[kind]
    net.eval()
    outs, ys = [], []
    rng = np.random.default_rng(0)
    with torch.no_grad():
        for k in range(0, len(index), 128):
            x, y = batch(d, index[k : k + 128], rng, False)
            outs.append(net(x))
            ys.append(y)
    return score(torch.cat(outs), {k: torch.cat([y[k] for y in ys]) for k in ys[0]})


def restore(run: Path, net, optimiser, average) -> dict:
    """State of an earlier run, or a fresh one."""
    if not (run / "last.pt").exists():
        return {"epoch": 0, "step": 0, "spent": 0.0}
    saved = torch.load(run / "last.pt", weights_only=False)
    if {k: v.shape for k, v in saved["net"].items()} != {k: v.shape for k, v in net.state_dict().items()}:
        return started_from(saved["net"], net, average)
    net.load_state_dict(saved["net"])
    optimiser.load_state_dict(saved["opt"])
    average.state = saved["avg"]
    return {k: saved[k] for k in ("epoch", "step", "spent")}


def started_from(old: dict[str, torch.Tensor], net: nn.Module, average: Average) -> dict:
    """A net with more outputs than the saved one takes over what fits and starts its clock anew."""
    new = net.state_dict()
    for k, v in new.items():
        v[tuple(slice(n) for n in old[k].shape)] = old[k]
    net.load_state_dict(new)
    average.state = {k: v.detach().clone() for k, v in net.state_dict().items()}
    return {"epoch": 0, "step": 0, "spent": 0.0}


def keep(run: Path, net, optimiser, average, at: dict) -> None:
    tmp = run / "last.tmp"
    torch.save({"net": net.state_dict(), "opt": optimiser.state_dict(), "avg": average.state, **at}, tmp)
    tmp.replace(run / "last.pt")


def train(
    kind: str, data: Path, run: Path, minutes: float, rate: float, batch_size: int, workers: int = 1, helper=None
) -> None:
    """Train for `minutes` in all (the learning rate falls over them); every pass reads the shards there are by then."""
    run.mkdir(parents=True, exist_ok=True)
    batch, loss_of, _ = PARTS[kind]
    torch.manual_seed(1)
    net = NETS[kind]().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    average = Average(net)
    at = restore(run, net, optimiser, average)
    began = time.time() - at["spent"]
    if helper is not None:  # a second process stepping the same shared weights (Hogwild): rank 0 keeps the books
        net = helper
        optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
        torch.manual_seed(2)
    elif workers > 1:
        net.share_memory()
        torch.multiprocessing.get_context("fork").Process(
            target=train, args=(kind, data, run, minutes, rate, batch_size, 1, net), daemon=True
        ).start()
    while at["spent"] < minutes * 60:
        d = load(data)
        index = np.arange(len(d["image"]))
        held, rest = index[index % 40 == 0], index[index % 40 != 0]
        rng = np.random.default_rng([at["epoch"], helper is not None])
        rng.shuffle(rest)
        net.train()
        total, saved = 0.0, time.time()
        steps = len(rest) // batch_size
        for s in range(steps):
            at["spent"] = time.time() - began
            fall = 0.5 * (1 + np.cos(np.pi * min(at["spent"] / (minutes * 60), 1.0)))
            for g in optimiser.param_groups:
                g["lr"] = rate * min(1.0, (at["step"] + 1) / 150) * (0.02 + 0.98 * fall)
            x, y = batch(d, rest[s * batch_size : (s + 1) * batch_size], rng, True)
            loss = loss_of(net(x.contiguous(memory_format=torch.channels_last)), y)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimiser.step()
            at["step"] += 1
            total += loss.item()
            if helper is None:
                average.update(net, at["step"])
            if helper is None and time.time() - saved > 120:
                saved = time.time()
                keep(run, net, optimiser, average, at)
                print(f"  {at['epoch']} {s + 1}/{steps} loss {total / (s + 1):.3f} at {at['spent']:.0f} s", flush=True)
            if at["spent"] > minutes * 60:
                break
        at["epoch"] += 1
        if helper is not None:
            continue
        keep(run, net, optimiser, average, at)
        judged = NETS[kind]()
        judged.load_state_dict(average.state)
        figures = evaluate(kind, judged, d, held)
        figures = {k: round(v, 4) for k, v in figures.items()}
        print(
            f"epoch {at['epoch']} n {len(rest)} loss {total / max(s + 1, 1):.4f} at {at['spent']:.0f} s",
            figures,
            flush=True,
        )


def export(kind: str, run: Path, out: Path) -> None:
    """Averaged weights -> ONNX (batch and, for the detector, picture size free)."""
    net = NETS[kind]()
    net.load_state_dict(torch.load(run / "last.pt", weights_only=False)["avg"])
    net.eval()
    shape = {"crop": (1, 4, 64, 64), "place": (1, 4, 32, 32), "cube": (1, 3, 48, 48), "detect": (1, 3, 160, 160)}[kind]
    axes = {"in": {0: "n"}, "out": {0: "n"}}
    if kind == "detect":
        axes = {"in": {0: "n", 2: "h", 3: "w"}, "out": {0: "n", 2: "h4", 3: "w4"}}
    torch.onnx.export(
        net,
        torch.zeros(shape),
        str(out),
        input_names=["in"],
        output_names=["out"],
        dynamic_axes=axes,
        opset_version=13,
        dynamo=False,
    )


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("kind", choices=sorted(NETS))
    ap.add_argument("data", type=Path)
    ap.add_argument("run", type=Path)
    ap.add_argument("--minutes", type=float, default=40)
    ap.add_argument("--rate", type=float, default=2e-3)
    ap.add_argument("--batch", type=int, default=96)
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--workers", type=int, default=1)
    ap.add_argument("--export", type=Path)
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    if a.export:
        export(a.kind, a.run, a.export)
    else:
        train(a.kind, a.data, a.run, a.minutes, a.rate, a.batch, a.workers)


if __name__ == "__main__":
    main()
