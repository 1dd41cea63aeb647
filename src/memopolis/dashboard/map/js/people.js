// People as moving points: where they are drawn, how they move there, and which one is pointed at.
//
// Points are written into the pixels of an image, which takes the same few milliseconds with and
// without a graphics card. Large crowds are drawn as the density of these points.

import {ramp, rgb} from "./colours.js";
import {share} from "./packed.js";

const TRIES = 30;
const MOST_SPOTS = 500_000;
const NEAR_PX = 9;
const RIM = 0.45;
const MOST_POINTS = 20_000;
const HEAT = [1, 2, 3, 4, 5].map((i) => `--heat-${i}`);

export class People {
  constructor() {
    this.set([]);
  }

  // Set the unique_ids of the people; their positions follow with `place`.
  set(agents) {
    const size = agents.length;
    this.agents = agents;
    this.zone = new Int16Array(size).fill(-9);
    this.doing = new Uint8Array(size);
    this.colour = new Uint8Array(size);
    this.shown = new Uint8Array(size);
    for (const name of ["fromX", "fromY", "toX", "toY", "x", "y"]) this[name] = new Float32Array(size);
    this.started = 0;
    this.lasts = 0;
    this.leaving = new Set();
  }

  // Put people into zones. `spot(agent, zone, doing)` returns a point, or null for no point;
  // `exit(zone)` a point out of the place, through which they leave and return.
  place(rows, zone, doing, {spot, exit, now, lasts}) {
    this.settle(now);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i], before = this.zone[row];
      this.zone[row] = zone[i];
      this.doing[row] = doing[i];
      const to = spot(this.agents[row], zone[i], doing[i]);
      const wasShown = this.shown[row];
      if (!to) {
        if (!wasShown) continue;
        const [x, y] = exit(before, this.agents[row]);
        this.toX[row] = x;
        this.toY[row] = y;
        this.leaving.add(row);
        continue;
      }
      if (!wasShown) {
        const [x, y] = before === -9 ? to : exit(zone[i], this.agents[row]);
        this.fromX[row] = this.x[row] = x;
        this.fromY[row] = this.y[row] = y;
      }
      this.shown[row] = 1;
      this.leaving.delete(row);
      this.toX[row] = to[0];
      this.toY[row] = to[1];
    }
    this.started = now;
    this.lasts = lasts;
  }

  // Take the present points as the start of the next move.
  settle(now) {
    this.move(now);
    this.fromX.set(this.x);
    this.fromY.set(this.y);
  }

  // Move to where people are at a time; return whether they still move.
  move(now) {
    const part = this.lasts > 0 ? Math.min((now - this.started) / this.lasts, 1) : 1;
    const eased = part * part * (3 - 2 * part);
    const {x, y, fromX, fromY, toX, toY} = this;
    for (let i = 0; i < x.length; i++) {
      x[i] = fromX[i] + (toX[i] - fromX[i]) * eased;
      y[i] = fromY[i] + (toY[i] - fromY[i]) * eased;
    }
    if (part >= 1) {
      for (const row of this.leaving) this.shown[row] = 0;
      this.leaving.clear();
    }
    return part < 1;
  }

  // Draw all points into a context; `palette` has red, green and blue by colour number.
  draw(context, view, palette) {
    const {ratio} = view;
    const width = Math.round(view.width * ratio), height = Math.round(view.height * ratio);
    if (this.image?.width !== width || this.image?.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(0);
    const seen = this.screen(view, width, height);
    this.isDense = seen > MOST_POINTS;
    if (this.isDense) this.drawDensity(width, height, ratio);
    else this.drawPoints(width, height, palette, this.radius(view, seen) * ratio);
    context.putImageData(this.image, 0, 0);
  }

  radius(view, seen) {
    const crowd = Math.min(Math.max(3.4 - 0.45 * Math.log10(Math.max(seen, 10) / 30), 1.6), 3.6);
    return crowd * Math.min(Math.max(view.zoom, 1) ** 0.25, 1.8);
  }

  // Compute pixels of all points; return how many are on the screen.
  screen(view, width, height) {
    const size = this.x.length;
    if (this.px?.length !== size) {
      this.px = new Int32Array(size);
      this.py = new Int32Array(size);
    }
    const scale = view.scale * view.ratio;
    const left = view.x(0) * view.ratio, top = view.y(0) * view.ratio;
    let seen = 0;
    for (let i = 0; i < size; i++) {
      const px = (left + this.x[i] * scale) | 0, py = (top - this.y[i] * scale) | 0;
      this.px[i] = px;
      this.py[i] = py;
      if (this.shown[i] && px >= 0 && py >= 0 && px < width && py < height) seen++;
    }
    return seen;
  }

  drawPoints(width, height, palette, radius) {
    const size = Math.ceil(radius + 1.5), pixels = this.pixels, shape = [];
    for (let dy = -size; dy <= size; dy++) {
      for (let dx = -size; dx <= size; dx++) {
        const away = Math.hypot(dx, dy), limit = (value) => Math.min(Math.max(value, 0), 1);
        const core = limit(radius + 0.5 - away), rim = RIM * limit(radius + 1.4 - away);
        const alpha = core + rim * (1 - core);
        if (alpha > 0.08) shape.push({offset: dy * width + dx, core, alpha});
      }
    }
    // A rim in the colour of the ground keeps neighbours apart.
    const ground = rgb("--map-rim");
    const inks = palette.map((colour) => Uint32Array.from(shape, ({core, alpha}) => {
      const [r, g, b] = colour.map((value, i) => Math.round(ground[i] + (value - ground[i]) * (core / alpha)));
      return ((Math.round(alpha * 255) << 24) | (b << 16) | (g << 8) | r) >>> 0;
    }));
    const offsets = Int32Array.from(shape, (one) => one.offset);
    for (let i = 0; i < this.px.length; i++) {
      if (!this.shown[i]) continue;
      const px = this.px[i], py = this.py[i];
      if (px < size || py < size || px >= width - size || py >= height - size) continue;
      const ink = inks[this.colour[i]] ?? inks[0], at = py * width + px;
      for (let k = 0; k < offsets.length; k++) {
        const pixel = at + offsets[k];
        if (ink[k] >>> 24 >= pixels[pixel] >>> 24) pixels[pixel] = ink[k];
      }
    }
  }

  // Count points in squares of some pixels, smooth once, and colour by the count.
  drawDensity(width, height, ratio) {
    const cell = Math.round(4 * ratio), columns = Math.ceil(width / cell) + 2;
    const rows = Math.ceil(height / cell) + 2;
    const counts = new Float32Array(columns * rows);
    for (let i = 0; i < this.px.length; i++) {
      const px = this.px[i], py = this.py[i];
      if (this.shown[i] && px >= 0 && py >= 0 && px < width && py < height) {
        counts[(((py / cell) | 0) + 1) * columns + ((px / cell) | 0) + 1]++;
      }
    }
    const smooth = new Float32Array(counts.length);
    let most = 0;
    for (let i = columns + 1; i < counts.length - columns - 1; i++) {
      const value = counts[i] / 4
        + (counts[i - 1] + counts[i + 1] + counts[i - columns] + counts[i + columns]) / 8
        + (counts[i - columns - 1] + counts[i - columns + 1] + counts[i + columns - 1]
          + counts[i + columns + 1]) / 16;
      smooth[i] = value;
      if (value > most) most = value;
    }
    this.most = most;
    const heat = ramp(HEAT);
    const inks = Uint32Array.from({length: 256}, (_, i) => {
      const [r, g, b] = heat(i / 255), alpha = Math.min(70 + i * 3, 235);
      return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
    });
    for (let row = 1; row < rows - 1; row++) {
      for (let column = 1; column < columns - 1; column++) {
        const value = smooth[row * columns + column];
        if (value < 0.06) continue;
        const ink = inks[Math.min(255, Math.round(255 * Math.sqrt(value / most)))];
        const bottom = Math.min(row * cell, height), right = Math.min(column * cell, width);
        for (let y = (row - 1) * cell; y < bottom; y++) {
          this.pixels.fill(ink, y * width + (column - 1) * cell, y * width + right);
        }
      }
    }
  }

  // Return the row of the nearest person to a point of the screen, -1 for none.
  nearest(x, y, ratio, within = NEAR_PX) {
    let best = (within * ratio) ** 2, found = -1;
    for (let i = 0; i < (this.px?.length ?? 0); i++) {
      if (!this.shown[i]) continue;
      const away = (this.px[i] - x * ratio) ** 2 + (this.py[i] - y * ratio) ** 2;
      if (away < best) [best, found] = [away, i];
    }
    return found;
  }
}

// Points in zones: each agent has its own point in a zone, always the same.
export class Spots {
  // Zones have rings, arrays x, y, x, y ..., and a centre.
  constructor(zones) {
    this.zones = zones.map(({rings, centre}) => ({rings, centre, box: boxOf(rings)}));
    this.known = new Map();
  }

  at(agent, zone) {
    const key = agent * 65536 + zone;
    if (this.known.size > MOST_SPOTS) this.known.clear();
    let spot = this.known.get(key);
    if (!spot) this.known.set(key, spot = this.find(agent, this.zones[zone]));
    return spot;
  }

  find(agent, {rings, centre, box: [west, south, east, north]}) {
    const margin = 0.012 * Math.sqrt((east - west) * (north - south));
    for (let i = 0; i < TRIES; i++) {
      const x = west + (east - west) * share(agent, 2 * i), y = south + (north - south) * share(agent, 2 * i + 1);
      if (inside(rings, x, y) && (i > 20 || [[margin, 0], [-margin, 0], [0, margin], [0, -margin]]
        .every(([dx, dy]) => inside(rings, x + dx, y + dy)))) return [x, y];
    }
    return centre;
  }
}

// Return a point on the way of an agent along a line x, y, x, y, at one of its own.
export function along([x0, y0, x1, y1], agent, wide) {
  const part = 0.08 + 0.84 * share(agent, 77), side = (share(agent, 78) - 0.5) * wide;
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  return [x0 + (x1 - x0) * part - ((y1 - y0) / length) * side, y0 + (y1 - y0) * part + ((x1 - x0) / length) * side];
}

function boxOf(rings) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      box[0] = Math.min(box[0], ring[i]);
      box[1] = Math.min(box[1], ring[i + 1]);
      box[2] = Math.max(box[2], ring[i]);
      box[3] = Math.max(box[3], ring[i + 1]);
    }
  }
  return box;
}

function inside(rings, x, y) {
  let odd = false;
  for (const ring of rings) {
    for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
      const above = ring[i + 1] > y, before = ring[j + 1] > y;
      if (above !== before && x < ((ring[j] - ring[i]) * (y - ring[i + 1])) / (ring[j + 1] - ring[i + 1]) + ring[i]) {
        odd = !odd;
      }
    }
  }
  return odd;
}
