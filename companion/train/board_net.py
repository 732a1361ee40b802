"""The two nets of the board: a finder of corners and bar, and a reader of the rectified canvas (see vision.rectify)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

CLASSES = 31  # signed counts -15 … 15
BAR_CLASSES = 8  # 0 … 7 of each side


def conv(cin: int, cout: int, k: int | tuple[int, int] = 3, stride: int = 1) -> nn.Sequential:
    pad = (k // 2, k // 2) if isinstance(k, int) else (k[0] // 2, k[1] // 2)
    return nn.Sequential(nn.Conv2d(cin, cout, k, stride, pad, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class Residual(nn.Module):
    def __init__(self, c: int) -> None:
        super().__init__()
        self.a = conv(c, c)
        self.b = nn.Sequential(nn.Conv2d(c, c, 3, 1, 1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.b(self.a(x)))


class Body(nn.Module):
    """Encoder and decoder down to stride 16 (or 32), features back at stride 4."""

    def __init__(self, cin: int, widths: tuple[int, ...], out: int) -> None:
        super().__init__()
        w = widths
        self.stem = nn.Sequential(conv(cin, w[0], 3, 2), conv(w[0], w[1], 3, 2))
        self.downs = nn.ModuleList(
            nn.Sequential(conv(w[i], w[i + 1], 3, 2), Residual(w[i + 1])) for i in range(1, len(w) - 1)
        )
        self.sides = nn.ModuleList(nn.Conv2d(w[i + 1], w[i], 1) for i in range(1, len(w) - 1))
        self.joins = nn.ModuleList(conv(w[i], w[i] if i > 1 else out) for i in range(1, len(w) - 1))

    def forward(self, x: Tensor) -> Tensor:
        levels = [self.stem(x)]
        for down in self.downs:
            levels.append(down(levels[-1]))
        y = levels[-1]
        for i in range(len(self.downs) - 1, -1, -1):
            y = F.interpolate(self.sides[i](y), scale_factor=2.0, mode="nearest")
            y = self.joins[i](y + levels[i])
        return y


class FinderNet(nn.Module):
    """Picture (3 x 256 x 256, 0 … 1) -> logits at stride 4: corners, bar ends, playing surface."""

    def __init__(self) -> None:
        super().__init__()
        self.body = Body(3, (16, 24, 40, 64, 96), 32)
        self.head = nn.Conv2d(32, 3, 1)
        nn.init.constant_(self.head.bias, -3.0)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body((x - 0.45) * 4))


class ReaderNet(nn.Module):
    """Canvas (5 x 256 x 352: B, G, R, likeness to the light set, to the dark set; 0 … 1) -> maps, columns, bar.

    maps: 5 x 64 x 88 logits: checker on the surface, checker on others, light, hand, other thing.
    columns: 31 x 2 x 12 logits of the signed count -15 … 15, far row first. bar: 16 logits: light 0 … 7, dark 0 … 7.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = Body(5, (12, 24, 48, 80), 24)
        self.head = nn.Conv2d(24, 5, 1)
        self.col = nn.Sequential(
            nn.Conv2d(24, 48, (1, 7), (1, 5), bias=False), nn.BatchNorm2d(48), nn.ReLU(inplace=True)
        )
        self.along = conv(48, 48, (5, 1))
        self.drop = nn.Dropout(0.15)
        self.tall = nn.Parameter(torch.randn(96, 48, 32, 1) * (2 / (48 * 32)) ** 0.5)
        self.tall_bias = nn.Parameter(torch.zeros(96))
        self.count = nn.Conv2d(96, CLASSES, 1)
        self.flipped: nn.Parameter | None = None
        self.bar_col = nn.Sequential(nn.Conv2d(24, 24, (1, 12), bias=False), nn.BatchNorm2d(24), nn.ReLU(inplace=True))
        self.bar_tall = nn.Conv2d(24, 48, (64, 1))
        self.bar_count = nn.Conv2d(48, 2 * BAR_CLASSES, 1)
        nn.init.constant_(self.head.bias, -3.0)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        f = self.body((x - 0.45) * 4)
        maps = self.head(f)
        # A column is 5 cells wide; the first starts at cell 4, and one more cell on either side is looked at.
        c = torch.cat([self.col(f[:, :, :, 3:35]), self.col(f[:, :, :, 53:85])], dim=3)
        c = self.drop(self.along(c))
        # Far and near rows share weights: the near row is read upside down, as the points stand.
        far = F.conv2d(c[:, :, :32], self.tall, self.tall_bias)
        upside_down = torch.flip(self.tall, [2]) if self.flipped is None else self.flipped
        near = F.conv2d(c[:, :, 32:], upside_down, self.tall_bias)
        columns = self.count(F.relu(torch.cat([far, near], dim=2)))
        b = F.relu(self.bar_tall(self.bar_col(f[:, :, :, 38:50])))
        return maps, columns, self.bar_count(b).flatten(1)


def export(model: nn.Module, state: dict, shape: tuple[int, ...], names: list[str], path: str) -> None:
    """Write the weights as ONNX opset 17, batch norm folded, fixed shapes."""
    model.load_state_dict(state)
    model.eval()
    if isinstance(model, ReaderNet):  # a constant: runtimes differ on slices with a negative step
        model.flipped = nn.Parameter(torch.flip(model.tall.detach(), [2]))
    torch.onnx.export(
        model, torch.zeros(1, *shape), path, opset_version=17, input_names=["image"], output_names=names, dynamo=False
    )
