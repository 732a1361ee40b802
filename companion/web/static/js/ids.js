// GNU Backgammon's position id, in the mover's view: 80 bits, the other side first, points 1 … 24 then the bar.

function bits(counts) {
  const out = [];
  for (let own = 1; own <= 25; own += 1) {
    for (let i = 0; i < counts[own]; i += 1) out.push(1);
    out.push(0);
  }
  return out;
}

export function gnuId(mover, other) {
  const all = [...bits(other), ...bits(mover)];
  const bytes = new Uint8Array(10);
  all.forEach((bit, i) => {
    if (bit) bytes[i >> 3] |= 1 << (i & 7);
  });
  return btoa(String.fromCharCode(...bytes)).slice(0, 14);
}

/** The id of a view's position with `side` as the mover. */
export function viewId(view, side) {
  const white = view.white_position;
  const black = view.black_position;
  return side === "white" ? gnuId(white, black) : gnuId(black, white);
}
