"""Path-trace a simulated scene with Blender's `bpy` (a separate program with its own Python packages; train only).

    PYTHONPATH=BPY_SITE python -m companion.train.blender_scene JOBS_DIR

Runs in the interpreter that has `bpy` (it wants NumPy 1), so it imports nothing but the scene's plain dataclasses.
A job is a folder with `job.pickle` (Scene, K, R, t, size in pixels, samples) and `board.png` (the playing rectangle's
art); the answer is `linear.png`, 16 bit linear RGB, undistorted. `companion.train.blender_data` makes jobs and turns
answers into training pictures with the simulator's own lens, sensor and truth.
"""

from __future__ import annotations

import math
import pickle
import random
import sys
from pathlib import Path

import bpy  # isort: skip  (first: it makes bmesh and mathutils importable)
import bmesh
from mathutils import Matrix, Quaternion, Vector

from companion.rules.position import Side
from companion.sim.scene import (
    Checker,
    CheckerStyle,
    Colour,
    Cube,
    Die,
    Hand,
    Layout,
    Material,
    Prop,
    Scene,
)

SEGMENTS = 56
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
FACES = {3: (1, 0, 0), 4: (-1, 0, 0), 2: (0, 1, 0), 5: (0, -1, 0), 1: (0, 0, 1), 6: (0, 0, -1)}


def linear(colour: Colour) -> tuple[float, float, float, float]:
    """sRGB -> linear RGBA."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return r, g, b, 1.0


class Nodes:
    """A material's node tree, a little shorter to write."""

    def __init__(self, name: str) -> None:
        self.material = bpy.data.materials.new(name)
        self.material.use_nodes = True
        self.tree = self.material.node_tree
        self.bsdf = self.tree.nodes["Principled BSDF"]

    def node(self, kind: str, **inputs: object):
        node = self.tree.nodes.new(kind)
        for key, value in inputs.items():
            node.inputs[key.replace("_", " ").title()].default_value = value
        return node

    def link(self, a, b) -> None:
        self.tree.links.new(a, b)

    def coords(self, scale: float, angle: float = 0.0, stretch: tuple[float, float, float] = (1, 1, 1)):
        where = self.tree.nodes.new("ShaderNodeTexCoord")
        mapping = self.tree.nodes.new("ShaderNodeMapping")
        mapping.inputs["Rotation"].default_value = (0, 0, math.radians(angle))
        mapping.inputs["Scale"].default_value = tuple(scale * s for s in stretch)
        self.link(where.outputs["Object"], mapping.inputs["Vector"])
        return mapping.outputs["Vector"]

    def blend(self, factor, first: Colour, second: Colour, low: float = 0.35, high: float = 0.65) -> None:
        ramp = self.tree.nodes.new("ShaderNodeValToRGB")
        ramp.color_ramp.elements[0].position, ramp.color_ramp.elements[1].position = low, high
        ramp.color_ramp.elements[0].color, ramp.color_ramp.elements[1].color = linear(first), linear(second)
        self.link(factor, ramp.inputs["Fac"])
        self.link(ramp.outputs["Color"], self.bsdf.inputs["Base Color"])

    def bump(self, height, strength: float, distance: float = 0.05) -> None:
        bump = self.tree.nodes.new("ShaderNodeBump")
        bump.inputs["Strength"].default_value = strength
        bump.inputs["Distance"].default_value = distance
        self.link(height, bump.inputs["Height"])
        self.link(bump.outputs["Normal"], self.bsdf.inputs["Normal"])


def mix(a: Colour, b: Colour, share: float) -> Colour:
    return tuple(x + (y - x) * share for x, y in zip(a, b, strict=True))  # type: ignore[return-value]


def surface(m: Material, name: str) -> bpy.types.Material:
    """A table, rail, bar or tray."""
    n = Nodes(name)
    n.bsdf.inputs["Base Color"].default_value = linear(m.colour)
    n.bsdf.inputs["Roughness"].default_value = max(0.15, m.rough)
    n.bsdf.inputs["Specular IOR Level"].default_value = min(1.0, 0.25 + m.gloss)
    far = mix(m.colour, m.second, max(0.15, m.grain))
    if m.kind == "wood":
        noise = n.node("ShaderNodeTexNoise", scale=1.0, detail=6.0)
        n.link(n.coords(0.35 / m.scale, m.angle, (0.06, 1.2, 1.2)), noise.inputs["Vector"])
        noise.inputs["Distortion"].default_value = 1.5
        n.blend(noise.outputs["Fac"], m.colour, far)
        n.bump(noise.outputs["Fac"], 0.08)
    elif m.kind == "marble":
        noise = n.node("ShaderNodeTexNoise", scale=0.15 / m.scale, detail=9.0)
        noise.inputs["Distortion"].default_value = 2.5
        n.link(n.coords(1.0), noise.inputs["Vector"])
        n.blend(noise.outputs["Fac"], m.colour, far, 0.42, 0.6)
    elif m.kind == "checked":
        check = n.node("ShaderNodeTexChecker", scale=0.25 / m.scale)
        check.inputs["Color1"].default_value, check.inputs["Color2"].default_value = linear(m.colour), linear(m.second)
        n.link(n.coords(1.0, m.angle), check.inputs["Vector"])
        n.link(check.outputs["Color"], n.bsdf.inputs["Base Color"])
    else:
        fine = {"felt": 9.0, "velvet": 7.0, "cork": 3.0, "weave": 6.0, "leather": 4.0, "vinyl": 5.0}.get(m.kind, 5.0)
        noise = n.node("ShaderNodeTexNoise", scale=fine / m.scale, detail=4.0)
        n.link(n.coords(1.0), noise.inputs["Vector"])
        n.blend(noise.outputs["Fac"], m.colour, mix(m.colour, far, 0.5), 0.25, 0.75)
        n.bump(noise.outputs["Fac"], 0.25 * m.grain)
        if m.kind in ("felt", "velvet"):
            n.bsdf.inputs["Sheen Weight"].default_value = 0.4
            n.bsdf.inputs["Roughness"].default_value = 0.95
    return n.material


def picture(path: Path, m: Material) -> bpy.types.Material:
    """The playing surface: the board's art, in the finish of its material."""
    n = Nodes("art")
    image = n.tree.nodes.new("ShaderNodeTexImage")
    image.image = bpy.data.images.load(str(path))
    image.extension = "EXTEND"
    n.link(image.outputs["Color"], n.bsdf.inputs["Base Color"])
    cloth = m.kind in ("felt", "velvet", "cork", "weave")
    n.bsdf.inputs["Roughness"].default_value = 0.9 if cloth else max(0.2, m.rough)
    n.bsdf.inputs["Specular IOR Level"].default_value = 0.1 if cloth else min(0.9, 0.2 + m.gloss)
    noise = n.node("ShaderNodeTexNoise", scale=6.0, detail=3.0)
    n.link(n.coords(1.0), noise.inputs["Vector"])
    n.bump(noise.outputs["Fac"], 0.12 if cloth else 0.04)
    return n.material


def checker_material(s: CheckerStyle, seed: int, colour: Colour) -> bpy.types.Material:
    n = Nodes("checker")
    shift = 1.0 + random.Random(seed).uniform(-1, 1) * s.spread * 2
    colour = tuple(min(1.0, c * shift) for c in colour)  # type: ignore[assignment]
    n.bsdf.inputs["Base Color"].default_value = linear(colour)
    n.bsdf.inputs["Roughness"].default_value = max(0.08, s.rough)
    n.bsdf.inputs["Specular IOR Level"].default_value = min(1.0, 0.3 + 0.5 * s.gloss)
    n.bsdf.inputs["Coat Weight"].default_value = 0.5 * s.gloss
    if s.translucent > 0.05:
        n.bsdf.inputs["Transmission Weight"].default_value = 0.7 * s.translucent
        n.bsdf.inputs["IOR"].default_value = 1.3
    second = mix(colour, s.second, s.strength)
    if s.finish in ("marble", "acrylic", "speck"):
        noise = n.node("ShaderNodeTexNoise", scale={"speck": 6.0}.get(s.finish, 0.7), detail=5.0)
        noise.inputs["Distortion"].default_value = 0.0 if s.finish == "speck" else 2.0
        n.link(n.coords(1.0), noise.inputs["Vector"])
        n.blend(noise.outputs["Fac"], colour, second, 0.45, 0.62)
    elif s.finish == "wood":
        noise = n.node("ShaderNodeTexNoise", scale=1.0, detail=4.0)
        noise.inputs["Distortion"].default_value = 0.8
        n.link(n.coords(1.6, 0.0, (0.1, 1.2, 1.0)), noise.inputs["Vector"])
        n.blend(noise.outputs["Fac"], colour, second, 0.4, 0.6)
    return n.material


def profile(s: CheckerStyle, radius: float, thick: float) -> list[tuple[float, float]]:
    """(r, z) from the middle of the top to the middle of the bottom."""
    b = min(max(0.03, s.bevel), 0.4 * thick)
    edge = [(radius - b + b * math.sin(a), thick - b + b * math.cos(a)) for a in (i * math.pi / 10 for i in range(6))]
    if s.profile == "rim":
        top = [(0.0, thick - 0.1), (0.70 * radius, thick - 0.1), (0.76 * radius, thick)]
    elif s.profile == "groove":
        top = [(0.0, thick), (0.55 * radius, thick), (0.59 * radius, thick - 0.09), (0.63 * radius, thick)]
        top += [(0.76 * radius, thick), (0.80 * radius, thick - 0.07), (0.84 * radius, thick)]
    elif s.profile == "dimple":
        top = [(r * radius, thick - 0.16 * max(0.0, 1 - (r / 0.62) ** 2)) for r in (0.0, 0.2, 0.35, 0.5, 0.62, 0.7)]
    elif s.profile == "dome":
        top = [(r * radius, thick + 0.12 * (1 - r * r)) for r in (0.0, 0.25, 0.5, 0.75)]
    else:
        top = [(0.0, thick)]
    bottom = [(radius, b), (radius - b, 0.0), (0.0, 0.0)]
    return top + edge + bottom


def lathe(points: list[tuple[float, float]], name: str) -> bpy.types.Mesh:
    """A body of revolution about z."""
    verts = [
        (r * math.cos(2 * math.pi * k / SEGMENTS), r * math.sin(2 * math.pi * k / SEGMENTS), z)
        for r, z in points
        for k in range(SEGMENTS)
    ]
    faces = [
        (
            i * SEGMENTS + k,
            (i + 1) * SEGMENTS + k,
            (i + 1) * SEGMENTS + (k + 1) % SEGMENTS,
            i * SEGMENTS + (k + 1) % SEGMENTS,
        )
        for i in range(len(points) - 1)
        for k in range(SEGMENTS)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(verts, [], faces)
    mesh.shade_smooth()
    mesh.set_sharp_from_angle(angle=math.radians(28))
    return mesh


def add(mesh: bpy.types.ID, name: str, matrix: Matrix | None = None) -> bpy.types.Object:
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    if matrix is not None:
        thing.matrix_world = matrix
    return thing


def box(x0: float, y0: float, z0: float, x1: float, y1: float, z1: float, material, bevel: float = 0.12) -> None:
    mesh = bpy.data.meshes.new("box")
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1.0)
    for v in shape.verts:
        v.co = Vector(
            (x0 + (x1 - x0) * (v.co.x + 0.5), y0 + (y1 - y0) * (v.co.y + 0.5), z0 + (z1 - z0) * (v.co.z + 0.5))
        )
    if bevel:
        size = min(bevel, 0.3 * min(abs(x1 - x0), abs(y1 - y0), abs(z1 - z0)))
        bmesh.ops.bevel(shape, geom=list(shape.edges), offset=size, segments=2, affect="EDGES", profile=0.5)
    bmesh.ops.recalc_face_normals(shape, faces=list(shape.faces))
    shape.to_mesh(mesh)
    shape.free()
    mesh.materials.append(material)
    add(mesh, "box")


def plane(x0: float, y0: float, x1: float, y1: float, z: float, material, layout: Layout) -> None:
    """A flat piece of the playing surface with the art's part on it."""
    mesh = bpy.data.meshes.new("plane")
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    mesh.from_pydata([(x, y, z) for x, y in corners], [], [(0, 1, 2, 3)])
    uv = mesh.uv_layers.new()
    for i, (x, y) in enumerate(corners):
        uv.data[i].uv = (x / layout.width + 0.5, y / layout.height + 0.5)
    mesh.materials.append(material)
    add(mesh, "plane")


def board(scene: Scene, art: Path) -> None:
    lay, style = scene.layout, scene.board
    w, h = lay.width / 2, lay.height / 2
    rail, bar, tray = surface(style.rail, "rail"), surface(style.bar, "bar"), surface(style.tray, "tray")
    face = picture(art, style.surface)
    b = lay.bar / 2
    plane(-w, -h, -b, h, 0.0, face, lay)
    plane(b, -h, w, h, 0.0, face, lay)
    x0, y0, x1, y1 = lay.outer()
    box(x0, y0, -lay.base, x1, y1, -0.02, rail, 0.0)
    if lay.bar > 0:
        gap = lay.hinge_gap / 2
        for left, right in ((-b, -gap), (gap, b)) if gap > 0 else ((-b, b),):
            box(left, -h, -0.3, right, h, lay.bar_height, bar)
    for a, c in ((y0, -h), (h, y1)):
        box(x0, a, -0.3, x1, c, lay.rail_height, rail)
    box(x0, -h, -0.3, x0 + lay.rail, h, lay.rail_height, rail)
    box(x1 - lay.rail, -h, -0.3, x1, h, lay.rail_height, rail)
    for side, sign in (("L", -1), ("R", 1)):
        if side in lay.tray:
            i, o = sign * w, sign * (w + lay.divider)
            box(min(i, o), -h, -0.3, max(i, o), h, lay.rail_height, rail)
            far = sign * (w + lay.divider + lay.tray_width)
            box(min(o, far), -h, -0.31, max(o, far), h, 0.0, tray, 0.0)
            box(min(o, far), -0.6, -0.3, max(o, far), 0.6, lay.rail_height, rail)
    if style.trim > 0:
        trim = surface(Material(colour=style.trim_colour, gloss=0.3), "trim")
        for y in (-h, h - style.trim):
            box(-w, y, 0.0, w, y + style.trim, 0.05, trim, 0.0)
    if style.hinges:
        tone = {"brass": (0.75, 0.6, 0.25), "green": (0.1, 0.35, 0.15), "black": (0.06, 0.06, 0.06)}[style.hinges]
        metal = surface(Material(colour=tone, gloss=0.8, rough=0.3, grain=0.0), "hinge")
        if style.hinges == "brass":
            metal.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 1.0
        for y in (-0.62 * h, 0.62 * h):
            box(-0.8 - b * 0.5, y - 1.8, 0.0, 0.8 + b * 0.5, y + 1.8, lay.bar_height + 0.06, metal, 0.05)


def basis(normal: tuple[float, float, float], yaw: float) -> Matrix:
    """Turns z to `normal`, after a turn by yaw about z."""
    turn = Vector((0, 0, 1)).rotation_difference(Vector(normal))
    return turn.to_matrix().to_4x4() @ Matrix.Rotation(yaw, 4, "Z")


def checkers(scene: Scene) -> None:
    meshes: dict[tuple[Side, int], bpy.types.Mesh] = {}
    lay = scene.layout
    for c in scene.checkers:
        s = scene.white if c.side is Side.WHITE else scene.black
        key = (c.side, c.seed % 4)
        if key not in meshes:
            mesh = lathe(profile(s, lay.checker / 2, lay.thick), "checker")
            mesh.materials.append(checker_material(s, key[1], s.colour))
            if s.inlay > 0:
                mesh.materials.append(checker_material(s, key[1], s.inlay_colour))
                inlay(mesh, s, lay.checker / 2, lay.thick)
            meshes[key] = mesh
        place(c, meshes[key])


def place(c: Checker, mesh: bpy.types.Mesh) -> None:
    add(mesh, "checker", Matrix.Translation((c.x, c.y, c.z)) @ basis(c.normal, c.yaw))


def inlay(mesh: bpy.types.Mesh, s: CheckerStyle, radius: float, thick: float) -> None:
    """A ring (or disc) of the second material, a hair above the top."""
    inner = 0.0 if s.inlay_width >= s.inlay else (s.inlay - s.inlay_width)
    ring_z = thick + 0.012
    verts, faces = [], []
    r0, r1 = inner * radius, s.inlay * radius
    for k in range(SEGMENTS):
        a = 2 * math.pi * k / SEGMENTS
        verts += [(r0 * math.cos(a), r0 * math.sin(a), ring_z), (r1 * math.cos(a), r1 * math.sin(a), ring_z)]
    for k in range(SEGMENTS):
        n = (k + 1) % SEGMENTS
        faces.append((2 * k, 2 * k + 1, 2 * n + 1, 2 * n))
    shape = bmesh.new()
    shape.from_mesh(mesh)
    made = [shape.verts.new(v) for v in verts]
    for f in faces:
        if r0 < 1e-6:
            quad = [made[f[1]], made[f[2]], made[f[0]]]
        else:
            quad = [made[i] for i in f]
        face = shape.faces.new(quad)
        face.material_index = 1
    shape.to_mesh(mesh)
    shape.free()


def rounded_cube(size: float, roundness: float, name: str) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=size)
    radius = size * (0.03 + 0.22 * roundness)
    bmesh.ops.bevel(shape, geom=list(shape.edges), offset=radius, segments=5, affect="EDGES", profile=0.5)
    shape.to_mesh(mesh)
    shape.free()
    mesh.shade_smooth()
    mesh.set_sharp_from_angle(angle=math.radians(40))
    return mesh


def plastic(colour: Colour, gloss: float, translucent: float = 0.0) -> bpy.types.Material:
    n = Nodes("plastic")
    n.bsdf.inputs["Base Color"].default_value = linear(colour)
    n.bsdf.inputs["Roughness"].default_value = 0.45 - 0.35 * gloss
    n.bsdf.inputs["Coat Weight"].default_value = 0.4 * gloss
    if translucent > 0.05:
        n.bsdf.inputs["Transmission Weight"].default_value = 0.75 * translucent
        n.bsdf.inputs["IOR"].default_value = 1.45
    return n.material


def face_frame(normal: tuple[int, int, int]) -> Matrix:
    z = Vector(normal)
    x = Vector((0, 0, 1)) if abs(z.z) < 0.5 else Vector((1, 0, 0))
    y = z.cross(x)
    return Matrix((x, y, z)).transposed().to_4x4()


def die(d: Die) -> None:
    pose = Matrix.Translation((d.x, d.y, d.z)) @ Quaternion(d.quat).to_matrix().to_4x4()
    mesh = rounded_cube(d.size, d.style.roundness, "die")
    mesh.materials.append(plastic(d.style.body, d.style.gloss, d.style.translucent))
    add(mesh, "die", pose)
    pip = bpy.data.meshes.new("pip")
    shape = bmesh.new()
    bmesh.ops.create_uvsphere(shape, u_segments=20, v_segments=8, radius=1.0)
    shape.to_mesh(pip)
    shape.free()
    pip.shade_smooth()
    one = pip.copy()
    pip.materials.append(plastic(d.style.pip, 0.3))
    one.materials.append(plastic(d.style.one or d.style.pip, 0.3))
    radius = 0.095 * d.size * d.style.pip_size
    step = 0.25 * d.size
    flat = Matrix.Diagonal((radius, radius, 0.012 * d.size, 1.0))
    for value, normal in FACES.items():
        frame = face_frame(normal)
        for u, v in PIPS[value]:
            where = Matrix.Translation((u * step, v * step, d.size / 2 + 0.001))
            add(one if value == 1 else pip, "pip", pose @ frame @ where @ flat)


def doubling_cube(c: Cube) -> None:
    if c.quat is not None:
        turn = Quaternion(c.quat).to_matrix().to_4x4()
    else:
        turn = Matrix.Rotation(math.radians(c.digit_up - 90.0), 4, "Z")
    pose = Matrix.Translation((c.x, c.y, c.z)) @ turn
    mesh = rounded_cube(c.size, c.roundness, "cube")
    mesh.materials.append(plastic(c.body, 0.4))
    add(mesh, "cube", pose)
    ink = plastic(c.ink, 0.2)
    faces = [2, 4, 8, 16, 32, 64]
    faces.remove(c.face)
    order = dict(zip([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, -1)], faces, strict=True))
    order[(0, 0, 1)] = c.face
    for normal, value in order.items():
        curve = bpy.data.curves.new("digits", "FONT")
        curve.body = str(value)
        curve.align_x = "CENTER"
        curve.align_y = "CENTER"
        curve.size = c.size * (0.85 if value < 10 else 0.66)
        curve.extrude = 0.01
        curve.materials.append(ink)
        frame = Matrix.Identity(4) if normal == (0, 0, 1) else face_frame(normal)
        add(curve, "digits", pose @ frame @ Matrix.Translation((0, 0, c.size / 2 + 0.004)))


def prop(p: Prop, floor: float) -> None:
    material = plastic(p.colour, 0.4)
    z = p.z
    k = p.size
    if p.kind in ("cup", "mug", "glass", "can", "bowl", "coins", "watch", "clock"):
        r, h = {"cup": (3.2, 9), "mug": (4, 9), "glass": (3.3, 11), "can": (3.2, 12), "bowl": (7, 5)}.get(
            p.kind, (1.6, 0.4)
        )
        wall = [(0.0, 0.4), (0.86 * r, 0.4), (0.9 * r, h), (r, h), (r, 0.0), (0.0, 0.0)]
        solid = [(0.0, h), (r, h), (r, 0.0), (0.0, 0.0)]
        mesh = lathe([(a * k, b * k) for a, b in (wall if h > 2 else solid)], p.kind)
        mesh.materials.append(material)
        add(mesh, p.kind, Matrix.Translation((p.x, p.y, z)) @ Matrix.Rotation(math.radians(p.yaw), 4, "Z"))
        return
    w, d, h = {
        "phone": (7, 15, 0.8),
        "score": (11, 16, 0.1),
        "book": (14, 20, 2.2),
        "pen": (0.9, 14, 0.9),
        "paper": (15, 21, 0.1),
    }.get(p.kind, (8, 8, 1.0))
    before = set(bpy.context.scene.objects)
    box(-w * k / 2, -d * k / 2, 0, w * k / 2, d * k / 2, h * k, material, 0.1)
    for thing in set(bpy.context.scene.objects) - before:
        thing.matrix_world = Matrix.Translation((p.x, p.y, z)) @ Matrix.Rotation(math.radians(p.yaw), 4, "Z")


def hand(h: Hand) -> None:
    """A plain hand of metaballs: fingers pinched at the tip, a palm, a forearm with its sleeve."""
    skin = plastic(h.skin, 0.15)
    ball = bpy.data.metaballs.new("hand")
    ball.resolution = ball.render_resolution = 0.35
    ball.threshold = 0.1
    tip = Vector(h.tip)
    arm = Vector((math.cos(math.radians(h.arm)), math.sin(math.radians(h.arm)), 0.0))
    across = Vector((-arm.y, arm.x, 0.0))
    wrist = tip + arm * 17 * h.scale + Vector((0, 0, 6))

    def limb(a: Vector, b: Vector, ra: float, rb: float) -> None:
        steps = max(3, int((b - a).length / (0.6 * min(ra, rb))))
        for i in range(steps + 1):
            e = ball.elements.new()
            e.co = a + (b - a) * (i / steps)
            e.radius = (ra + (rb - ra) * i / steps) * 1.5

    spread = {"flat": 1.0, "point": 0.2}.get(h.pose, 0.45)
    for i in range(4):
        side = (i - 1.2) * 1.9 * h.scale
        knuckle = tip + arm * 8.5 * h.scale + across * side + Vector((0, 0, 5.0))
        end = tip + across * side * spread + arm * (0.6 * abs(i - 1)) + Vector((0, 0, 0.7))
        limb(end, knuckle, 0.75 * h.scale, 0.95 * h.scale)
        limb(knuckle, wrist, 1.1 * h.scale, 1.9 * h.scale)
    thumb = tip + arm * 7 + across * (4.4 if h.left else -4.4) + Vector((0, 0, 2.5))
    limb(tip + arm * 0.8 + across * (0.8 if h.left else -0.8) + Vector((0, 0, 0.6)), thumb, 0.85, 1.1)
    limb(thumb, wrist, 1.2, 1.9)
    limb(wrist, wrist + arm * 30 + Vector((0, 0, 5)), 2.4, 3.4)
    thing = add(ball, "hand")
    thing.active_material = skin
    if h.sleeve is not None:
        cloth = surface(Material(kind="felt", colour=h.sleeve, second=h.sleeve, rough=0.9), "sleeve")
        mesh = lathe([(3.6, 0.0), (4.2, 0.3), (4.8, 40.0), (4.4, 40.0)], "sleeve")
        mesh.materials.append(cloth)
        start = tip + arm * h.sleeve_start + Vector((0, 0, 7.0))
        add(mesh, "sleeve", Matrix.Translation(start) @ basis(tuple((arm + Vector((0, 0, 0.15))).normalized()), 0.0))


def lights(scene: Scene) -> None:
    world = bpy.data.worlds.new("world")
    bpy.context.scene.world = world
    world.use_nodes = True
    back = world.node_tree.nodes["Background"]
    back.inputs["Color"].default_value = (*linear(scene.light.ambient_colour)[:3], 1.0)
    back.inputs["Strength"].default_value = scene.light.ambient
    for lamp in scene.light.lamps:
        data = bpy.data.lights.new("lamp", "AREA")
        data.shape = "SQUARE" if lamp.square else "DISK"
        data.size = max(2.0, 2 * lamp.distance * math.tan(lamp.size))
        data.color = linear(lamp.colour)[:3]
        data.energy = lamp.power * math.pi * math.pi * lamp.distance**2
        direction = Vector(lamp.direction).normalized()
        thing = add(data, "lamp", Matrix.Translation(direction * lamp.distance))
        thing.rotation_mode = "QUATERNION"
        thing.rotation_quaternion = direction.to_track_quat("Z", "Y")
        thing.location = direction * lamp.distance


def camera(K, R, t, size: tuple[int, int]) -> None:
    data = bpy.data.cameras.new("camera")
    w, h = size
    data.sensor_fit = "HORIZONTAL"
    data.sensor_width = 36.0
    data.lens = K[0][0] * 36.0 / w
    data.shift_x = -(K[0][2] - w / 2) / w
    data.shift_y = (K[1][2] - h / 2) / w * K[0][0] / K[1][1]
    data.clip_end = 5000.0
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = w, h, 100
    render.pixel_aspect_x, render.pixel_aspect_y = 1.0, 1.0
    if K[0][0] > K[1][1]:
        render.pixel_aspect_y = K[0][0] / K[1][1]
    else:
        render.pixel_aspect_x = K[1][1] / K[0][0]
    rotation = Matrix(R)
    centre = -(rotation.transposed() @ Vector(t))
    axes = rotation.transposed() @ Matrix.Diagonal((1.0, -1.0, -1.0))
    thing = add(data, "camera", Matrix.Translation(centre) @ axes.to_4x4())
    bpy.context.scene.camera = thing


def settings(samples: int, threads: int) -> None:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.use_denoising = True
    scene.cycles.denoiser = "OPENIMAGEDENOISE"
    scene.cycles.denoising_input_passes = "RGB_ALBEDO_NORMAL"
    scene.cycles.use_light_tree = False
    scene.cycles.max_bounces = 5
    scene.cycles.diffuse_bounces = 2
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.render.threads_mode = "FIXED"
    scene.render.threads = threads
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_depth = "16"
    scene.render.image_settings.color_mode = "RGB"


def paint(folder: Path) -> None:
    """One job."""
    job = pickle.loads((folder / "job.pickle").read_bytes())
    scene: Scene = job["scene"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    settings(job["samples"], job["threads"])
    camera(job["K"], job["R"], job["t"], job["size"])
    bpy.context.scene.cycles.film_exposure = job["exposure"]
    lights(scene)
    floor = -scene.layout.base
    box(-300, -300, floor - 2, 300, 300, floor, surface(scene.table, "table"), 0.0)
    board(scene, folder / "board.png")
    checkers(scene)
    for d in scene.dice:
        die(d)
    if scene.cube is not None:
        doubling_cube(scene.cube)
    for p in scene.props:
        prop(p, floor)
    for h in scene.hands:
        hand(h)
    bpy.context.scene.render.filepath = str(folder / "linear.png")
    bpy.ops.render.render(write_still=True)


def main() -> None:
    for folder in sorted(Path(sys.argv[1]).iterdir()):
        if (folder / "job.pickle").exists() and not (folder / "linear.png").exists():
            paint(folder)


if __name__ == "__main__":
    main()
