// A social network in a canvas: laid out once, coloured for each moment.
//
//   const network = new SocietyNetwork(element, {open, hover});
//   network.setTies({agents, places, ties, kinds});  // places and ties as flat arrays of pairs
//   network.show({step, values, low, high, title, colours, groups, group, note});
// `values` has a number from 0 to 250 per agent between low and high, 255 for unknown, and 254 for
// agents that are not present; `group` the number of its group, which has a shape of its own.

import {colour, css, ramp} from "./colours.js";
import {Host} from "./host.js";
import {count, unpack} from "./packed.js";

const RADIUS = 5.5, NEAR_PX = 12, MOST = 250, UNKNOWN = 255, ABSENT = 254;
const SIDES = [0, 3, 4, 5, 6];

export class SocietyNetwork {
  constructor(element, {open = () => {}, hover = () => {}} = {}) {
    this.calls = {open, hover};
    this.names = new Map();
    this.pointed = -1;
    this.frame = {values: []};
    this.host = new Host(element, ["drawing"], {
      redraw: () => this.request(),
      resize: () => this.draw(),
      recolour: () => this.request(),
      point: (x, y) => this.point(x, y),
      leave: () => this.point(-1e9, -1e9),
      click: (x, y) => {
        const node = this.find(x, y);
        if (node >= 0) this.calls.open(this.agents[node]);
      },
    });
    this.host.stage.style.background = "var(--page)";
  }

  get view() { return this.host.view; }

  setTies({agents, places, ties}) {
    this.names.clear();
    this.agents = unpack(agents);
    this.places = unpack(places);
    this.ties = unpack(ties);
    this.beside = Array.from(this.agents, () => []);
    for (let i = 0; i < this.ties.length; i += 2) {
      this.beside[this.ties[i]].push(this.ties[i + 1]);
      this.beside[this.ties[i + 1]].push(this.ties[i]);
    }
    const xs = [], ys = [];
    for (let i = 0; i < this.places.length; i += 2) {
      xs.push(this.places[i]);
      ys.push(this.places[i + 1]);
    }
    const margin = 0.05 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys), 1e-6);
    this.view.fit([Math.min(...xs) - margin, Math.min(...ys) - margin, Math.max(...xs) + margin, Math.max(...ys) + margin]);
  }

  setName(agent, name) {
    this.names.set(agent, name);
    if (this.agents?.[this.pointed] === agent) this.showTip();
  }

  show(frame) {
    Object.assign(this.frame, frame);
    for (const name of ["values", "group"]) {
      if (frame[name] !== undefined) this.frame[name] = unpack(frame[name]);
    }
    this.host.element.dataset.step = frame.step;
    this.explain();
    this.request();
  }

  explain() {
    const {title, colours, low, high, groups = [], group, values, note} = this.frame;
    const entries = [];
    if (title) entries.push({head: title}, {bar: colours, low, high});
    groups.forEach((label, i) => {
      let members = 0;
      group?.forEach((one, node) => { members += one === i && values[node] !== ABSENT; });
      entries.push({label: `${["●", "▲", "■", "⬟", "⬢"][i % SIDES.length]} ${label}`, count: count(members), css: {display: "none"}});
    });
    const unknown = title ? values.filter((value) => value === UNKNOWN).length : 0;
    if (unknown) {
      entries.push({label: "without a value", count: count(unknown), dot: true, css: {background: "var(--panel)", border: "1px solid var(--grey)"}});
    }
    if (note) entries.push({note});
    this.host.explain(entries);
  }

  request() {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.requested = false;
    this.frames = (this.frames ?? 0) + 1;
    const context = this.host.clear("drawing");
    if (!this.agents) return;
    const {values, group, colours} = this.frame, {view} = this;
    const at = (node) => [view.x(this.places[2 * node]), view.y(this.places[2 * node + 1])];
    const isShown = (node) => values[node] !== ABSENT;
    this.drawTies(context, at, isShown);
    const scale = ramp(colours ?? ["--unknown", "--unknown"]);
    const radius = RADIUS * Math.min(Math.max(view.zoom, 0.6) ** 0.5, 3);
    context.lineWidth = 1;
    for (let node = 0; node < this.agents.length; node++) {
      if (!isShown(node)) continue;
      const value = values[node];
      context.fillStyle = value === UNKNOWN || value === undefined ? colour("--panel") : css(scale(value / MOST));
      context.strokeStyle = node === this.pointed ? colour("--ink") : colour("--grey");
      shape(context, ...at(node), node === this.pointed ? radius * 1.5 : radius, SIDES[(group?.[node] ?? 0) % SIDES.length]);
    }
  }

  drawTies(context, at, isShown) {
    const near = this.pointed >= 0 ? this.pointed : null;
    for (const own of [false, true]) {
      context.beginPath();
      for (let i = 0; i < this.ties.length; i += 2) {
        const [a, b] = [this.ties[i], this.ties[i + 1]];
        if (!isShown(a) || !isShown(b) || (a === near || b === near) !== own) continue;
        context.moveTo(...at(a));
        context.lineTo(...at(b));
      }
      context.strokeStyle = own ? colour("--ink") : colour("--tie");
      context.lineWidth = own ? 1.8 : 0.8;
      context.stroke();
    }
  }

  find(x, y) {
    let best = NEAR_PX ** 2, found = -1;
    for (let node = 0; node < (this.agents?.length ?? 0); node++) {
      if (this.frame.values[node] === ABSENT) continue;
      const away = (this.view.x(this.places[2 * node]) - x) ** 2 + (this.view.y(this.places[2 * node + 1]) - y) ** 2;
      if (away < best) [best, found] = [away, node];
    }
    return found;
  }

  point(x, y) {
    const node = this.find(x, y);
    this.at = [x, y];
    if (node !== this.pointed) {
      this.pointed = node;
      this.request();
      if (node >= 0 && !this.names.has(this.agents[node])) this.calls.hover(this.agents[node]);
    }
    if (node < 0) this.host.point(0, 0, null);
    else this.showTip();
  }

  showTip() {
    const agent = this.agents[this.pointed], {values, lowest, highest, title, groups, group} = this.frame;
    const value = values[this.pointed], lines = [this.names.get(agent) ?? `${agent}`];
    if (title && value <= MOST) {
      lines.push(`${title}: ${(lowest + ((highest - lowest) * value) / MOST).toPrecision(2)}`);
    }
    const ties = this.beside[this.pointed].length;
    lines.push(`${group && groups?.length ? `${groups[group[this.pointed]] ?? ""}, ` : ""}${ties} ${ties === 1 ? "tie" : "ties"} shown`);
    this.host.point(...this.at, [lines[0], lines.slice(1).join(" · ")]);
  }

  // Return the position of an agent on the screen in CSS pixels, null if it is not shown.
  where(agent) {
    const node = this.agents?.indexOf(agent) ?? -1;
    return node < 0 ? null : [this.view.x(this.places[2 * node]), this.view.y(this.places[2 * node + 1])];
  }

  remove() { this.host.remove(); }
}

function shape(context, x, y, radius, sides) {
  context.beginPath();
  if (sides) {
    for (let i = 0; i < sides; i++) {
      const turn = (2 * Math.PI * i) / sides - Math.PI / 2 + (sides === 4 ? Math.PI / 4 : 0);
      context.lineTo(x + 1.2 * radius * Math.cos(turn), y + 1.2 * radius * Math.sin(turn));
    }
    context.closePath();
  } else {
    context.arc(x, y, radius, 0, 7);
  }
  context.fill();
  context.stroke();
}
