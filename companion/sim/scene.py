"""What stands before the simulated camera: frozen, typed values; `companion.sim.render.render` makes a picture of them.

World frame, centimetres: origin at the board's centre on the playing surface, x right, y away from White ("light"),
z up; White sits at y < 0. `Layout.home` says on which hand of White both home boards lie.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from companion.rules.position import START, Position, Side

Vec3 = tuple[float, float, float]
Colour = tuple[float, float, float]
"""sRGB 0 … 1, red green blue."""
Quat = tuple[float, float, float, float]
"""w, x, y, z; body -> world."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The measures of a board in cm. Playing rectangle: `width` x `height`, centred at the origin."""

    checker: float = 4.0  # diameter
    thick: float = 1.0  # checker height
    pitch: float = 4.3  # width of a point
    height: float = 45.0  # y extent of the playing surfaces
    bar: float = 4.0  # width of the bar (0 = none)
    bar_height: float = 1.5  # above the playing surface
    rail: float = 2.0  # width of the frame
    rail_height: float = 1.5
    tray: str = ""  # "" | "L" | "R" | "LR": sides with a tray for borne-off checkers
    tray_width: float = 5.0
    divider: float = 1.0  # wall between tray and playing surface
    hinge_gap: float = 0.0  # dark gap along the middle of the bar
    base: float = 2.0  # height of the playing surface above the table
    home: str = "R"
    die: float = 1.5
    cube: float = 2.6

    @property
    def width(self) -> float:
        """x extent of the playing rectangle, bar included."""
        return 12 * self.pitch + self.bar

    def column_x(self, column: int) -> float:
        """Centre of the column 0 … 11, left to right."""
        return -self.width / 2 + (column + 0.5) * self.pitch + (self.bar if column > 5 else 0.0)

    def point_column(self, point: int) -> tuple[int, bool]:
        """Column 0 … 11 and "far side" (y > 0) of White's point 1 … 24."""
        far = point > 12
        right = point - 13 if far else 12 - point  # column when White's home is at the right
        return (right if self.home == "R" else 11 - right), far

    def point_x(self, point: int) -> float:
        """x of White's point 1 … 24."""
        return self.column_x(self.point_column(point)[0])

    def tray_x(self, side: str) -> float:
        """Centre of the tray at "L" or "R"."""
        x = self.width / 2 + self.divider + self.tray_width / 2
        return x if side == "R" else -x

    def outer(self) -> tuple[float, float, float, float]:
        """x0, y0, x1, y1 of the whole board with trays and frame."""
        extra = self.divider + self.tray_width
        x0 = -self.width / 2 - self.rail - (extra if "L" in self.tray else 0.0)
        x1 = self.width / 2 + self.rail + (extra if "R" in self.tray else 0.0)
        y = self.height / 2 + self.rail
        return x0, -y, x1, y


@dataclass(frozen=True, slots=True)
class Material:
    """A surface. `kind`: plain felt leather vinyl wood cork weave marble checked velvet."""

    kind: str = "plain"
    colour: Colour = (0.5, 0.5, 0.5)
    second: Colour = (0.4, 0.4, 0.4)  # grain, veins, squares
    grain: float = 0.5  # strength of the texture 0 … 1
    scale: float = 1.0  # size of the texture
    angle: float = 0.0  # grain direction, degrees
    gloss: float = 0.1  # mirror share 0 … 1
    rough: float = 0.5  # 0 = mirror, 1 = matt
    seed: int = 0


@dataclass(frozen=True, slots=True)
class BoardStyle:
    """How the board is decorated."""

    surface: Material = field(default_factory=Material)
    rail: Material = field(default_factory=Material)
    bar: Material = field(default_factory=Material)
    tray: Material = field(default_factory=Material)
    point_a: Colour = (0.8, 0.8, 0.8)
    point_b: Colour = (0.3, 0.1, 0.1)
    point_fill: bool = True  # False: only outlines
    point_grain: float = 0.3
    point_wood: bool = False  # the points are inlaid woods with a grain of their own
    point_pattern: str = ""  # "" | split (two tones along the axis) | inner (a smaller point inside) | double
    shape: str = "sharp"  # sharp | round | slim | blunt | lens | waist
    point_length: float = 0.42  # share of the board's height
    point_width: float = 0.96  # share of the pitch
    outline: float = 0.0  # cm, 0 = none
    outline_colour: Colour = (0.1, 0.1, 0.1)
    dots: str = ""  # "" | "tip" | "beyond" | "base" | "along"
    dot_size: float = 0.3  # cm, radius
    dot_colour: Colour = (0.9, 0.9, 0.9)
    ornament: str = ""  # "" | diamond | lozenge | star | mosaic | medallion | band | letters | border | compass
    ornament_colours: tuple[Colour, ...] = ((0.9, 0.8, 0.6), (0.3, 0.15, 0.1), (0.6, 0.1, 0.1))
    frame_line: float = 0.0  # cm: drawn line around each half, 0 = none
    frame_colour: Colour = (0.9, 0.8, 0.6)
    mosaic_strip: float = 0.0  # cm: inlay border around each half
    hinges: str = ""  # "" | brass | green | black
    trim: float = 0.0  # cm: strip of another colour along the inner edge of the rails
    trim_colour: Colour = (0.8, 0.7, 0.5)
    wear: float = 0.2
    half_tone: float = 0.0  # the two halves differ in brightness (cut from other pieces of wood)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class CheckerStyle:
    """One side's checkers. `profile`: plain rim groove dimple dome ; `finish`: plain marble wood acrylic speck."""

    colour: Colour = (0.9, 0.9, 0.85)
    second: Colour = (0.8, 0.8, 0.7)
    finish: str = "plain"
    profile: str = "plain"
    inlay: float = 0.0  # radius share of a ring/disc of another colour, 0 = none
    inlay_width: float = 0.12  # share; >= inlay: a full disc
    inlay_colour: Colour = (0.9, 0.9, 0.9)
    strength: float = 0.5  # of marble/wood/specks
    translucent: float = 0.0
    gloss: float = 0.3
    rough: float = 0.3
    bevel: float = 0.12  # cm, rounding of the edge
    spread: float = 0.03  # brightness differs from checker to checker


@dataclass(frozen=True, slots=True)
class DieStyle:
    body: Colour = (0.95, 0.95, 0.92)
    pip: Colour = (0.05, 0.05, 0.05)
    one: Colour | None = None  # colour of the single pip when it differs
    roundness: float = 0.25  # 0 = sharp edges … 1 = ball
    pip_size: float = 1.0
    translucent: float = 0.0
    finish: str = "plain"  # plain | wood | marble
    gloss: float = 0.5


@dataclass(frozen=True, slots=True)
class Checker:
    """One checker. (x, y, z) is the centre of its lower face, `normal` the direction of its axis."""

    side: Side
    x: float
    y: float
    z: float
    loc: str  # p1 … p24 in the owner's numbering | bar | off | hand
    layer: int = 0
    k: int = 0
    pose: str = "flat"  # flat | edge | tilted
    normal: Vec3 = (0.0, 0.0, 1.0)
    yaw: float = 0.0  # radians about its axis
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Die:
    """A die: centre, orientation (body axes: +x 3/-x 4, +y 2/-y 5, +z 1/-z 6), and what the truth says about it."""

    x: float
    y: float
    z: float
    quat: Quat = (1.0, 0.0, 0.0, 0.0)
    size: float = 1.5
    style: DieStyle = field(default_factory=DieStyle)
    cls: str = "flat"  # flat | cocked | on_checker | on_bar_or_rail | off_board | moving
    detail: str = ""
    zone: str = ""  # L | R | bar | rail | tray | table ; "" = found out by the truth
    blur: tuple[float, float] = (0.0, 0.0)  # cm of travel while the shutter is open


@dataclass(frozen=True, slots=True)
class Cube:
    """The doubling cube. `face`: digits on top; `digit_up`: direction of the digits' upper edge, degrees from +x."""

    x: float
    y: float
    z: float  # centre
    face: int = 64
    digit_up: float = 90.0
    size: float = 2.6
    body: Colour = (0.95, 0.95, 0.9)
    ink: Colour = (0.05, 0.05, 0.1)
    place: str = "centre"  # centre | light | dark | offered
    where: str = "bar"  # bar | side_table | side_tray | surface
    quat: Quat | None = None  # overrides digit_up (in the hand, tumbling)
    roundness: float = 0.15

    @property
    def value(self) -> int:
        """Value of the game: 64 on top of a centred cube stands for 1."""
        return 1 if self.place == "centre" and self.face == 64 else self.face


@dataclass(frozen=True, slots=True)
class Prop:
    """A thing by the board. `kind`: cup mug glass can phone watch score book pen coins paper clock towel bowl."""

    kind: str
    x: float
    y: float
    z: float
    yaw: float = 0.0  # degrees
    size: float = 1.0
    colour: Colour = (0.4, 0.1, 0.1)
    second: Colour = (0.9, 0.9, 0.9)
    lying: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand with forearm. `tip`: where thumb and forefinger meet; the arm comes from azimuth `arm` (degrees)."""

    tip: Vec3
    arm: float = -90.0
    pose: str = "pinch"  # pinch | point | flat | fist | cup
    skin: Colour = (0.78, 0.57, 0.44)
    sleeve: Colour | None = (0.2, 0.2, 0.25)  # None = bare arm
    sleeve_start: float = 20.0  # cm from the tip
    scale: float = 1.0
    left: bool = False
    spread: float = 0.5  # of the fingers 0 … 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp: direction to it (unit-ish), angular size, colour and power. `distance` cm: near lamps fall off."""

    direction: Vec3 = (0.3, 0.2, 1.0)
    size: float = 0.15  # radians, half width of the light seen from the board
    power: float = 0.7
    colour: Colour = (1.0, 1.0, 1.0)
    distance: float = 200.0
    square: bool = True  # window/panel, else round


@dataclass(frozen=True, slots=True)
class Light:
    """All light: lamps and ambient (sky) light, linear."""

    lamps: tuple[Lamp, ...] = (Lamp(),)
    ambient: float = 0.45
    ambient_colour: Colour = (1.0, 1.0, 1.0)
    spot: float = 0.0  # 0 = even, 1 = strong pool of light
    spot_xy: tuple[float, float] = (0.0, 0.0)
    spot_radius: float = 40.0
    screens: tuple[tuple[float, float, float, float, float, float], ...] = ()
    """Things out of sight that shade the table (window bars, people): x, y, z, width, depth in cm, degrees."""


@dataclass(frozen=True, slots=True)
class Camera:
    """Pinhole with OpenCV distortion. Looks at `target` from `distance` cm, leaning `tilt` from straight down.

    `azimuth`: where the camera stands, degrees about z (0 = White's seat, y < 0; 90 = at the right); `roll` in degrees.
    `aspect`: pixel stretch fy/fx (1 = square pixels).
    """

    size: tuple[int, int] = (1280, 960)
    focal: float = 1000.0  # fx in pixels
    target: Vec3 = (0.0, 0.0, 0.0)
    distance: float = 80.0
    tilt: float = 15.0
    azimuth: float = 0.0
    roll: float = 0.0
    centre: tuple[float, float] = (0.5, 0.5)  # principal point, share of the size
    dist: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    aspect: float = 1.0


@dataclass(frozen=True, slots=True)
class Isp:
    """Sensor, lens faults and the camera's own processing."""

    exposure: float = 0.0  # stops, after automatic exposure
    auto: bool = True  # scale so that the picture's middle grey fits
    gain: float = 1.0  # set when auto is False (linear factor)
    noise: float = 0.01  # sigma in the gamma 2 picture
    chroma_noise: float = 0.5  # share of the noise that differs per channel
    grain: float = 1.0  # size of the noise grain in pixels
    defocus: float = 0.5  # sigma, pixels at 1280 wide
    motion: float = 0.0  # pixels at 1280 wide
    motion_angle: float = 0.0
    vignette: float = 0.1
    white_balance: Colour = (1.0, 1.0, 1.0)
    contrast: float = 0.2
    saturation: float = 1.0
    sharpen: float = 0.3
    equalise: float = 0.0  # CLAHE share
    glow: float = 0.0
    flicker: float = 0.0  # mains banding
    watermark: float = 0.0  # strength of a text laid over the picture, as on stock photographs
    jpeg: int = 90  # 0 = none
    quality: str = "good"  # label only


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything. `position` is what the checkers show (the truth), `on_roll` whose dice they are."""

    layout: Layout = field(default_factory=Layout)
    board: BoardStyle = field(default_factory=BoardStyle)
    white: CheckerStyle = field(default_factory=CheckerStyle)
    black: CheckerStyle = field(default_factory=lambda: CheckerStyle(colour=(0.12, 0.1, 0.1)))
    table: Material = field(default_factory=Material)
    light: Light = field(default_factory=Light)
    camera: Camera = field(default_factory=Camera)
    isp: Isp = field(default_factory=Isp)
    position: Position = START
    on_roll: Side = Side.WHITE
    checkers: tuple[Checker, ...] = ()
    dice: tuple[Die, ...] = ()
    cube: Cube | None = None
    props: tuple[Prop, ...] = ()
    hands: tuple[Hand, ...] = ()
    seed: int = 0

    def static_key(self) -> tuple[object, ...]:
        """Equal keys share the cached picture of table, board and props (film mode)."""
        return (self.layout, self.board, self.table, self.light, self.camera, self.props, self.seed)

    def with_objects(
        self,
        checkers: tuple[Checker, ...],
        dice: tuple[Die, ...] = (),
        cube: Cube | None = None,
        hands: tuple[Hand, ...] = (),
    ) -> Scene:
        """The same table with other movable things."""
        return replace(self, checkers=checkers, dice=dice, cube=cube, hands=hands)
