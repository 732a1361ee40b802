"""An ONNX file with the layers of a YOLO11n at 640 and random weights: the yardstick of `companion bench read`.

Written from the published layer table (backbone of C3k2 blocks, SPPF, C2PSA; decoupled head for 80 classes);
no weights and no code of that project are used. 2.6 M parameters, 3.2 G multiply-adds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Collects nodes and weights; every method adds a piece and returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.channels: dict[str, int] = {"images": 3}
        self._rng = np.random.default_rng(0)

    def add(self, op: str, inputs: list[str], channels: int, **attributes: Any) -> str:
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        self.channels[name] = channels
        return name

    def constant(self, value: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(value, name))
        return name

    def conv(self, x: str, out: int, k: int = 1, s: int = 1, groups: int = 1, act: bool = True) -> str:
        cin = self.channels[x]
        w = self._rng.normal(0, (2 / (cin * k * k)) ** 0.5, (out, cin // groups, k, k)).astype(np.float32)
        inputs = [x, self.constant(w), self.constant(np.zeros(out, np.float32))]
        y = self.add("Conv", inputs, out, kernel_shape=[k, k], strides=[s, s], pads=[k // 2] * 4, group=groups)
        return self.add("Mul", [y, self.add("Sigmoid", [y], out)], out) if act else y

    def cat(self, parts: list[str]) -> str:
        return self.add("Concat", parts, sum(self.channels[p] for p in parts), axis=1)

    def split(self, x: str, sizes: list[int], axis: int = 1) -> list[str]:
        names = [f"t{len(self.nodes)}_{i}" for i in range(len(sizes))]
        self.nodes.append(helper.make_node("Split", [x, self.constant(np.array(sizes, np.int64))], names, axis=axis))
        self.channels.update(dict(zip(names, sizes, strict=True)))
        return names

    def bottleneck(self, x: str, hidden: int) -> str:
        c = self.channels[x]
        return self.add("Add", [x, self.conv(self.conv(x, hidden, 3), c, 3)], c)

    def c3k(self, x: str) -> str:
        c = self.channels[x]
        y = self.conv(x, c // 2)
        for _ in range(2):
            y = self.bottleneck(y, c // 2)
        return self.conv(self.cat([y, self.conv(x, c // 2)]), c)

    def c3k2(self, x: str, out: int, deep: bool, share: float = 0.5) -> str:
        c = int(out * share)
        a, b = self.split(self.conv(x, 2 * c), [c, c])
        return self.conv(self.cat([a, b, self.c3k(b) if deep else self.bottleneck(b, c // 2)]), out)

    def sppf(self, x: str) -> str:
        c = self.channels[x]
        parts = [self.conv(x, c // 2)]
        for _ in range(3):
            parts.append(self.add("MaxPool", [parts[-1]], c // 2, kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
        return self.conv(self.cat(parts), c)

    def reshape(self, x: str, shape: list[int]) -> str:
        return self.add("Reshape", [x, self.constant(np.array(shape, np.int64))], self.channels.get(x, 0))

    def attention(self, x: str, heads: int = 2, cells: int = 20) -> str:
        c, d = self.channels[x], self.channels[x] // heads
        packed = self.reshape(self.conv(x, 2 * c, act=False), [1, heads, 2 * d, cells * cells])
        q, k, v = self.split(packed, [d // 2, d // 2, d], axis=2)
        scores = self.add("MatMul", [self.add("Transpose", [q], c, perm=[0, 1, 3, 2]), k], c)
        weights = self.add("Transpose", [self.add("Softmax", [scores], c, axis=-1)], c, perm=[0, 1, 3, 2])
        mixed = self.reshape(self.add("MatMul", [v, weights], c), [1, c, cells, cells])
        self.channels[mixed] = c
        flat = self.reshape(v, [1, c, cells, cells])
        self.channels[flat] = c
        place = self.conv(flat, c, 3, groups=c, act=False)
        return self.conv(self.add("Add", [mixed, place], c), c, act=False)

    def c2psa(self, x: str) -> str:
        c = self.channels[x] // 2
        a, b = self.split(self.conv(x, 2 * c), [c, c])
        b = self.add("Add", [b, self.attention(b)], c)
        b = self.add("Add", [b, self.conv(self.conv(b, 2 * c), c, act=False)], c)
        return self.conv(self.cat([a, b]), 2 * c)

    def up(self, x: str) -> str:
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        return self.add("Resize", [x, "", scales], self.channels[x], mode="nearest")

    def head(self, x: str) -> str:
        box = self.conv(self.conv(self.conv(x, 64, 3), 64, 3), 64, act=False)
        y = x
        for _ in range(2):
            y = self.conv(self.conv(y, self.channels[y], 3, groups=self.channels[y]), 80)
        return self.cat([box, self.conv(y, 80, act=False)])


def build() -> Graph:
    """All layers."""
    g = Graph()
    x = g.c3k2(g.conv(g.conv("images", 16, 3, 2), 32, 3, 2), 64, False, 0.25)
    p3 = g.c3k2(g.conv(x, 64, 3, 2), 128, False, 0.25)
    p4 = g.c3k2(g.conv(p3, 128, 3, 2), 128, True)
    p5 = g.c2psa(g.sppf(g.c3k2(g.conv(p4, 256, 3, 2), 256, True)))
    n4 = g.c3k2(g.cat([g.up(p5), p4]), 128, False)
    n3 = g.c3k2(g.cat([g.up(n4), p3]), 64, False)
    m4 = g.c3k2(g.cat([g.conv(n3, 64, 3, 2), n4]), 128, False)
    m5 = g.c3k2(g.cat([g.conv(m4, 128, 3, 2), p5]), 256, True)
    for k, level in enumerate((n3, m4, m5)):
        g.nodes.append(helper.make_node("Identity", [g.head(level)], [f"out{k}"]))
    return g


def write(path: Path) -> None:
    """Write the file."""
    g = build()
    outputs = [
        helper.make_tensor_value_info(f"out{k}", TensorProto.FLOAT, [1, 144, s, s]) for k, s in enumerate((80, 40, 20))
    ]
    image = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, 640, 640])
    graph = helper.make_graph(g.nodes, "yolo11n_sized", [image], outputs, g.weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
