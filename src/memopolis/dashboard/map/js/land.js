// What lies under and over the people: land, water, zones, roads, names, wind, orders, the storm.

import {colour, css, ramp, rgb} from "./colours.js";
import {count} from "./packed.js";

const ORDERS = [null,
  {label: "voluntary order", name: "--voluntary", dash: [7, 4]},
  {label: "mandatory order", name: "--mandatory", dash: []}];
const SHADES = [1, 2, 3, 4, 5].map((i) => `--shade-${i}`);
const FONT = 'system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';
const CALM_KT = 5, FIELD_PX = 58, FIELD_KM = 22;

// Add rings to the path of a context.
function trace(context, view, rings) {
  const scale = view.scale, left = view.x(0), top = view.y(0);
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      const x = left + ring[i] * scale, y = top - ring[i + 1] * scale;
      if (i) context.lineTo(x, y);
      else context.moveTo(x, y);
    }
    context.closePath();
  }
}

export function drawGround(context, view, {place, frame, options}) {
  context.fillStyle = colour("--map-water");
  context.fillRect(0, 0, view.width, view.height);
  context.lineJoin = context.lineCap = "round";
  if (place.land.length) {
    context.beginPath();
    trace(context, view, place.land);
    // A shallow edge of the sea makes the coast visible at a glance.
    for (const [width, name] of [[9, "--map-shallow"], [4, "--map-shallows"]]) {
      context.lineWidth = width;
      context.strokeStyle = colour(name);
      context.stroke();
    }
    context.fillStyle = colour("--map-land");
    context.fill("evenodd");
    context.lineWidth = 1.1;
    context.strokeStyle = colour("--map-shore");
    context.stroke();
  }
  drawZones(context, view, place, frame.shade);
  if (options.roads) drawRoads(context, view, place.roads);
  drawOrders(context, view, place, frame.orders);
}

function drawZones(context, view, place, shade) {
  const scale = ramp(SHADES);
  place.zones.forEach((zone, number) => {
    context.beginPath();
    trace(context, view, zone.rings);
    const value = shade ? shade.values[number] : null;
    context.fillStyle = value === null ? colour("--map-zone") : css(scale(scaled(shade, value)));
    context.fill("evenodd");
    context.strokeStyle = place.land.length ? colour("--map-border") : colour("--map-shore");
    context.lineWidth = 0.8;
    context.stroke();
  });
}

function scaled({low, high, stretched}, value) {
  const share = Math.min(Math.max((value - low) / Math.max(high - low, 1e-12), 0), 1);
  return stretched ? Math.sqrt(share) : share;
}

function drawRoads(context, view, roads) {
  for (const [extra, name] of [[1.6, "--map-case"], [0, "--map-road"]]) {
    context.strokeStyle = colour(name);
    for (const {path, lanes, kmh} of roads) {
      context.beginPath();
      for (let i = 0; i < path.length; i += 2) context.lineTo(view.x(path[i]), view.y(path[i + 1]));
      const width = (kmh > 90 ? 1.7 : 0.9) + 0.25 * Math.min(lanes, 5);
      context.lineWidth = width * Math.min(Math.max(view.zoom, 0.6), 3) ** 0.5 + extra;
      context.stroke();
    }
  }
}

function drawOrders(context, view, place, orders) {
  if (!orders) return;
  for (const number of [1, 2]) {
    const {name, dash} = ORDERS[number];
    context.beginPath();
    place.zones.forEach((zone, i) => { if (orders[i] === number) trace(context, view, zone.rings); });
    context.fillStyle = colour(`${name}-area`);
    context.fill("evenodd");
    context.setLineDash(dash);
    context.strokeStyle = colour(name);
    context.lineWidth = 1.8;
    context.stroke();
    context.setLineDash([]);
  }
}

export function drawOver(context, view, {place, frame, options}) {
  context.lineJoin = context.lineCap = "round";
  if (options.wind && frame.wind) drawWind(context, view, place, frame.wind);
  const taken = [drawScale(context, view)]; // boxes where no name is written
  const covered = options.track && insetBox(view, place);
  if (covered) taken.push(covered);
  if (options.track && place.track) taken.push(drawStorm(context, view, place.track, frame.storm, covered));
  if (options.names) drawNames(context, view, place.zones, taken.filter(Boolean));
}

// Draw the wind on a grid of the screen, between the zones in which it was computed.
function drawWind(context, view, place, {kt, from}) {
  const points = place.zones.map(({centre}) => centre);
  const calm = Math.max(...kt.map((value) => value ?? 0)) < CALM_KT;
  if (calm || !points.length) return;
  context.lineWidth = 1.5;
  const shift = (value) => ((value % FIELD_PX) + FIELD_PX) % FIELD_PX;
  for (let x = shift(view.x(0)) - FIELD_PX; x < view.width; x += FIELD_PX) {
    for (let y = shift(view.y(0)) - FIELD_PX; y < view.height; y += FIELD_PX) {
      const [east, north] = view.plane(x, y);
      let sum = 0, u = 0, v = 0, speed = 0, nearest = Infinity;
      points.forEach(([px, py], i) => {
        if (kt[i] === null || from[i] === null) return;
        const away = (px - east) ** 2 + (py - north) ** 2, weight = 1 / (away + 4);
        nearest = Math.min(nearest, away);
        const to = ((from[i] + 180) * Math.PI) / 180;
        sum += weight;
        speed += weight * kt[i];
        u += weight * Math.sin(to);
        v += weight * Math.cos(to);
      });
      if (nearest > FIELD_KM ** 2 || speed / sum < CALM_KT) continue;
      arrow(context, x, y, Math.atan2(-v, u), speed / sum);
    }
  }
}

function arrow(context, x, y, angle, kt) {
  const length = Math.min(7 + kt * 0.42, 40), head = 4 + length * 0.1;
  context.save();
  context.translate(x, y);
  context.rotate(angle);
  context.strokeStyle = css(rgb("--map-wind"), Math.min(0.3 + kt / 110, 0.85));
  context.lineWidth = 1 + Math.min(kt / 45, 1.6);
  context.beginPath();
  context.moveTo(-length / 2, 0);
  context.lineTo(length / 2, 0);
  context.moveTo(length / 2 - head, -head * 0.55);
  context.lineTo(length / 2, 0);
  context.lineTo(length / 2 - head, head * 0.55);
  context.stroke();
  context.restore();
}

// Draw track and storm; return the box of the storm, beside the one that the inset covers.
function drawStorm(context, view, track, storm, covered) {
  const now = storm?.row ?? -1, passed = storm?.passed ?? 0;
  const point = (i) => [view.x(track.path[2 * i]), view.y(track.path[2 * i + 1])];
  const line = (first, end, name, dash) => {
    context.beginPath();
    for (let i = first; i < end; i++) context.lineTo(...point(i));
    context.setLineDash(dash);
    context.strokeStyle = colour("--map-halo");
    context.lineWidth = 4;
    context.stroke();
    context.strokeStyle = colour(name);
    context.lineWidth = 2;
    context.stroke();
    context.setLineDash([]);
  };
  const size = track.path.length / 2;
  line(Math.max(passed - 1, 0), size, "--map-coming", [7, 6]);
  line(0, passed, "--map-ink", []);
  if (now < 0) return null;
  const [x, y] = point(now), {width, height} = view, margin = 26;
  const right = width - view.right;
  const visible = x > -margin && y > -margin && x < right + margin && y < height + margin;
  if (visible) {
    cyclone(context, x, y, 20);
    return [x - 26, y - 26, x + 26, y + 26];
  }
  // Point to a storm that is out of view.
  const cx = right / 2, cy = height / 2, angle = Math.atan2(y - cy, x - cx);
  const reach = Math.min((right / 2 - 30) / Math.abs(Math.cos(angle) || 1e-9), (height / 2 - 30) / Math.abs(Math.sin(angle) || 1e-9));
  const text = `storm ${count(storm.km)} km away`, half = 70;
  let ex = cx + reach * Math.cos(angle);
  const ey = cy + reach * Math.sin(angle), ly = ey < height / 2 ? ey + 26 : ey - 22;
  if (covered && Math.max(ey, ly) + 14 > covered[1]) ex = Math.min(ex, covered[0] - half);
  const lx = Math.min(Math.max(ex, half), right - half);
  cyclone(context, ex, ey, 13);
  label(context, text, lx, ly, 12, "600");
  return [lx - half, Math.min(ey - 17, ly - 11), lx + half, Math.max(ey + 17, ly + 11)];
}

// Draw the symbol of a hurricane.
function cyclone(context, x, y, radius) {
  context.save();
  context.translate(x, y);
  context.strokeStyle = colour("--map-eye");
  context.fillStyle = colour("--map-storm");
  context.lineWidth = 2;
  context.beginPath();
  for (const turn of [0, Math.PI]) {
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    const at = (px, py) => [(px * c - py * s) * radius, (px * s + py * c) * radius];
    context.moveTo(...at(0.62, 0));
    context.bezierCurveTo(...at(0.7, -0.75), ...at(0.15, -1.15), ...at(-0.75, -1.2));
    context.bezierCurveTo(...at(-0.2, -1.0), ...at(-0.05, -0.8), ...at(-0.35, -0.5));
    context.lineTo(...at(0, 0));
    context.closePath();
  }
  context.stroke();
  context.fill();
  context.beginPath();
  context.arc(0, 0, radius * 0.62, 0, 7);
  context.stroke();
  context.fill();
  context.beginPath();
  context.arc(0, 0, radius * 0.24, 0, 7);
  context.fillStyle = colour("--map-eye");
  context.fill();
  context.restore();
}

function drawNames(context, view, zones, taken) {
  const most = taken.length + (view.zoom > 3 ? 60 : Math.max(4, view.width / 130));
  context.font = `12px ${FONT}`;
  const order = zones.map((zone, i) => i).sort((a, b) => zones[b].people - zones[a].people);
  for (const i of order) {
    if (taken.length >= most) break;
    const {name, centre} = zones[i];
    const x = view.x(centre[0]), y = view.y(centre[1]), half = context.measureText(name).width / 2 + 5;
    const box = [x - half, y - 11, x + half, y + 11];
    if (box[0] < 48 || box[2] > view.width - view.right || box[1] < 0 || box[3] > view.height) continue;
    if (taken.some((one) => box[0] < one[2] && box[2] > one[0] && box[1] < one[3] && box[3] > one[1])) continue;
    taken.push(box);
    label(context, name, x, y, 12, "500");
  }
}

function label(context, text, x, y, size, weight = "400", align = "center") {
  context.font = `${weight} ${size}px ${FONT}`;
  context.textAlign = align;
  context.textBaseline = "middle";
  context.lineWidth = 3.5;
  context.strokeStyle = colour("--map-halo");
  context.strokeText(text, x, y);
  context.fillStyle = colour("--map-ink");
  context.fillText(text, x, y);
}

function drawScale(context, view) {
  const raw = 110 / view.scale, power = 10 ** Math.floor(Math.log10(raw));
  const km = [5, 2, 1].map((step) => step * power).find((step) => step <= raw) ?? power;
  const x = 12, y = view.height - 14, length = km * view.scale;
  context.strokeStyle = colour("--map-halo");
  context.lineWidth = 5;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + length, y);
  context.stroke();
  context.strokeStyle = colour("--map-ink");
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x, y - 5);
  context.lineTo(x, y);
  context.lineTo(x + length, y);
  context.lineTo(x + length, y - 5);
  context.stroke();
  label(context, `${km < 1 ? km.toPrecision(1) : count(km)} km`, x + 6, y - 11, 11.5, "400", "left");
  return [x, y - 20, x + length, y + 4];
}

// Return the box of the inset: left, top, right and bottom; null without one.
function insetBox(view, {inset, track}) {
  if (!inset || !track) return null;
  const width = view.right ? 216 : Math.min(190, view.width * 0.3);
  return [view.width - width - 10, view.height - 0.74 * width - 10, view.width - 10, view.height - 10];
}

// Draw a small map of the whole track, with the place as a square.
export function drawInset(context, view, {place, frame}) {
  const {inset, track} = place, box = insetBox(view, place);
  if (!box) return;
  const [left, top] = box, width = box[2] - left, height = box[3] - top;
  const [west, south, east, north] = inset.box;
  const scale = Math.min(width / (east - west), height / (north - south));
  const x = (value) => left + width / 2 + (value - (west + east) / 2) * scale;
  const y = (value) => top + height / 2 - (value - (south + north) / 2) * scale;
  context.save();
  context.beginPath();
  context.roundRect(left, top, width, height, 6);
  context.shadowColor = colour("--shadow");
  context.shadowBlur = 4;
  context.fillStyle = colour("--map-water");
  context.fill();
  context.shadowBlur = 0;
  context.clip();
  const path = (points, closed) => {
    for (let i = 0; i < points.length; i += 2) {
      if (i) context.lineTo(x(points[i]), y(points[i + 1]));
      else context.moveTo(x(points[i]), y(points[i + 1]));
    }
    if (closed) context.closePath();
  };
  context.beginPath();
  inset.land.forEach((ring) => path(ring, true));
  context.fillStyle = colour("--map-land");
  context.fill("evenodd");
  context.strokeStyle = colour("--map-shore");
  context.lineWidth = 0.7;
  context.stroke();
  const passed = frame.storm?.passed ?? 0, now = frame.storm?.row ?? -1;
  for (const [points, name, dash] of [
    [track.path.slice(Math.max(passed - 1, 0) * 2), "--map-coming", [3, 3]],
    [track.path.slice(0, passed * 2), "--map-ink", []]]) {
    context.beginPath();
    path(points, false);
    context.setLineDash(dash);
    context.strokeStyle = colour(name);
    context.lineWidth = 1.6;
    context.stroke();
  }
  context.setLineDash([]);
  const [pw, ps, pe, pn] = place.box;
  context.strokeStyle = colour("--blue");
  context.lineWidth = 2;
  context.strokeRect(x(pw) - 2, y(pn) - 2, Math.max((pe - pw) * scale, 5) + 4, Math.max((pn - ps) * scale, 5) + 4);
  if (now >= 0) cyclone(context, x(track.path[2 * now]), y(track.path[2 * now + 1]), 8);
  context.restore();
  context.strokeStyle = colour("--panel");
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(left, top, width, height, 6);
  context.stroke();
}

// Return the entries of the legend for orders, storm, wind and shades.
export function explainGround({place, frame, options}) {
  const entries = [];
  for (const number of [1, 2]) {
    const zones = frame.orders?.filter((order) => order === number).length ?? 0;
    if (zones) {
      const {label: text, name} = ORDERS[number];
      entries.push({label: text, count: `${zones} ${zones === 1 ? "zone" : "zones"}`,
        css: {background: `var(${name}-area)`, border: `2px ${number === 1 ? "dashed" : "solid"} var(${name})`}});
    }
  }
  if (frame.storm?.text && options.track) entries.push({note: frame.storm.text});
  const wind = options.wind && frame.wind ? Math.max(...frame.wind.kt.map((value) => value ?? 0)) : 0;
  if (wind >= CALM_KT) entries.push({note: `wind up to ${Math.round(wind)} kt in the zones`});
  if (frame.shade) {
    const {label: text, low, high, texts} = frame.shade;
    entries.push({head: frame.shade.title}, {bar: SHADES.map((name) => `var(${name})`), low: texts?.[0] ?? low, high: texts?.[1] ?? high});
    if (text) entries.push({note: text});
  }
  return entries;
}
