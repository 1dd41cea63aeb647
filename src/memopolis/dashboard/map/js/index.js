// A map on which people move, in a canvas, for any page: no library, no tiles, no network.
//
//   const map = new SocietyMap(element, {open, hover});
//   map.setPlace(place);      // once: zones, land, roads, track
//   map.show(frame);          // for each moment: everything, or only what changed
//   map.setName(agent, name); // the answer to `hover`
//   map.setOptions({wind: false});
//   map.remove();
//
// Coordinates are kilometres east and north of the middle of the place, as flat arrays x, y, x, y.
//   place = {zones: [{name, rings, centre, people}], land: [ring], roads: [{path, lanes, kmh, name}],
//            ways: [[x, y, x, y] or null by zone], exits: [[x, y] by zone], box: [west, south, east,
//            north], track: {path} or null, inset: {land, box} or null, noun: "citizens"}
//   frame = {step, people: {agents, gaps, zone, doing, colour}, activities: [{group, phrase,
//            onRoad}], groups: [{label, colour}], colouring, shade, wind, orders, storm}
// A frame with `agents` lists everyone; without, those in the rows of `gaps` have changed, see
// `rowsOf`. Other parts that are missing stay as they were; null removes them. Arrays may be packed,
// see packed.js.
// `open(agent)` is called after a click, `hover(agent)` to ask for a name.

import {legible, ramp, rgb} from "./colours.js";
import {Host} from "./host.js";
import {drawGround, drawInset, drawOver, explainGround} from "./land.js";
import {count, rowsOf, unpack} from "./packed.js";
import {along, People, Spots} from "./people.js";

export {colour, legible, onMode} from "./colours.js";
export {SocietyNetwork} from "./network.js";

const AWAY = -1;
const MOST_MS = 700, LEAST_MS = 90;
const RAMP_COLOURS = 64;

export class SocietyMap {
  constructor(element, {open = () => {}, hover = () => {}} = {}) {
    this.calls = {open, hover};
    this.options = {wind: true, track: true, people: true, roads: true, names: true};
    this.people = new People();
    this.place = null;
    this.frame = {activities: [], groups: []};
    this.names = new Map();
    this.pointed = -1;
    this.interval = MOST_MS;
    this.frames = 0;
    this.host = new Host(element, ["ground", "people"], {
      redraw: () => this.request(true),
      resize: () => this.draw(true),
      recolour: () => this.recolour(),
      point: (x, y) => this.point(x, y),
      leave: () => this.point(-1e9, -1e9),
      click: (x, y) => this.click(x, y),
    });
  }

  get view() { return this.host.view; }

  setPlace(place) {
    this.place = place;
    this.names.clear();
    this.spots = new Spots(place.zones);
    this.view.fit(place.box);
  }

  setOptions(options) {
    Object.assign(this.options, options);
    this.request(true);
  }

  setName(agent, name) {
    this.names.set(agent, name);
    if (this.people.agents[this.pointed] === agent) this.showTip();
  }

  // Show a moment, at once; people move to their new points.
  show(frame) {
    if (!this.place) return;
    const {people, ...rest} = frame;
    Object.assign(this.frame, rest);
    const now = performance.now();
    if (this.last) this.interval += (Math.min(now - this.last, 2 * MOST_MS) - this.interval) / 2;
    this.last = now;
    if (people) this.movePeople(people, now);
    this.paint(people);
    this.host.element.dataset.step = frame.step;
    this.explain();
    this.request(true);
  }

  movePeople(people, now) {
    const agents = unpack(people.agents);
    const isNew = people.agents !== undefined;
    if (isNew) this.people.set(agents);
    const zone = unpack(people.zone), doing = unpack(people.doing);
    const rows = isNew ? Int32Array.from(agents.keys()) : rowsOf(people.gaps);
    const lasts = isNew ? 0 : Math.min(Math.max(this.interval * 0.9, LEAST_MS), MOST_MS);
    this.people.place(rows, zone, doing, {
      now, lasts,
      spot: (agent, where, what) => this.spot(agent, where, what),
      exit: (where, agent) => this.exit(where, agent),
    });
  }

  // Choose the colours of people: by activity, or by an attribute.
  paint(people) {
    const {colouring, groups, activities} = this.frame;
    const colour = this.people.colour;
    if (colouring) {
      const share = ramp(this.scale());
      this.palette = Array.from({length: RAMP_COLOURS}, (_, i) => share(i / (RAMP_COLOURS - 1)));
      this.palette.push(rgb("--unknown"));
      if (people?.colour) this.values = unpack(people.colour);
      if (this.values?.length === colour.length) {
        for (let i = 0; i < colour.length; i++) colour[i] = this.values[i] === 255 ? RAMP_COLOURS : this.values[i] >> 2;
      }
      return;
    }
    this.palette = groups.length ? groups.map((group) => rgb(group.colour)) : [rgb("--map-ink")];
    const groupOf = activities.map((activity) => activity.group);
    for (let i = 0; i < colour.length; i++) colour[i] = groupOf[this.people.doing[i]] ?? 0;
  }

  // The colours of an attribute from low to high.
  scale() { return this.frame.colouring.colours.map((one) => legible(one, "--map-zone")); }

  recolour() {
    if (!this.place) return;
    this.paint();
    this.explain();
    this.request(true);
  }

  spot(agent, zone, doing) {
    if (zone < 0 || zone >= this.place.zones.length) return null;
    const way = this.place.ways?.[zone];
    if (way && this.frame.activities[doing]?.onRoad) return along(way, agent, 1.2);
    return this.spots.at(agent, zone);
  }

  exit(zone, agent) {
    const [x, y] = this.place.exits?.[zone] ?? [0, 0];
    return [x + (agent % 7) * 0.3, y + (agent % 5) * 0.3];
  }

  // Drawing

  request(ground) {
    this.ground ||= ground;
    if (!this.requested) {
      this.requested = true;
      requestAnimationFrame(() => this.draw());
    }
  }

  draw(ground = false) {
    this.requested = false;
    if (!this.place) return;
    const parts = {place: this.place, frame: this.frame, options: this.options};
    if (ground || this.ground) {
      this.ground = false;
      drawGround(this.host.clear("ground"), this.view, parts);
      const over = this.host.clear("top");
      drawOver(over, this.view, parts);
      if (this.options.track) drawInset(over, this.view, parts);
    }
    const moves = this.people.move(performance.now());
    const context = this.host.context.people;
    if (this.options.people) this.people.draw(context, this.view, this.palette ?? []);
    else this.host.clear("people");
    if (this.people.isDense !== this.wasDense) {
      this.wasDense = this.people.isDense;
      this.explain();
    }
    this.frames++;
    if (moves) this.request(false);
  }

  explain() {
    const {frame, people, place} = this;
    const entries = [];
    if (people.agents.length) {
      const groups = new Array(frame.groups.length).fill(0);
      const groupOf = frame.activities.map((activity) => activity.group);
      let away = 0, here = 0;
      for (let i = 0; i < people.zone.length; i++) {
        if (people.zone[i] === AWAY) away++;
        else if (people.zone[i] >= 0) {
          here++;
          groups[groupOf[people.doing[i]] ?? 0]++;
        }
      }
      entries.push({head: `${count(here)} ${place.noun ?? "people"} here`});
      if (people.isDense) entries.push({note: "shown as density; zoom in for people"});
      else if (frame.colouring) {
        const {low, high, title} = frame.colouring;
        entries.push({head: title}, {bar: this.scale(), low, high});
      } else {
        frame.groups.forEach(({label, colour}, i) => {
          if (groups[i] || frame.groups.length < 2) entries.push({label, count: count(groups[i]), dot: true, css: {background: `var(${colour})`}});
        });
      }
      if (away) entries.push({label: "away from the region", count: count(away), dot: true, css: {background: "var(--panel)", border: "2px solid var(--grey)"}});
    }
    this.host.explain([...entries, ...explainGround({place, frame, options: this.options})]);
  }

  // Pointing

  find(x, y) {
    return this.options.people && !this.people.isDense ? this.people.nearest(x, y, this.view.ratio) : -1;
  }

  point(x, y) {
    this.pointed = this.place ? this.find(x, y) : -1;
    this.at = [x, y];
    if (this.pointed < 0) return this.host.point(0, 0, null);
    const agent = this.people.agents[this.pointed];
    if (!this.names.has(agent)) this.calls.hover(agent);
    this.showTip();
  }

  showTip() {
    const row = this.pointed, agent = this.people.agents[row];
    const zone = this.place.zones[this.people.zone[row]];
    const activity = this.frame.activities[this.people.doing[row]];
    const what = [activity?.phrase, zone && `in ${zone.name}`].filter(Boolean).join(", ");
    this.host.point(...this.at, [this.names.get(agent) ?? `${agent}`, what]);
  }

  click(x, y) {
    const row = this.place ? this.find(x, y) : -1;
    if (row >= 0) this.calls.open(this.people.agents[row]);
  }

  // Return the position of an agent on the screen in CSS pixels, null if it is not shown.
  where(agent) {
    const row = this.people.agents.indexOf(agent);
    if (row < 0 || !this.people.shown[row]) return null;
    return [this.view.x(this.people.x[row]), this.view.y(this.people.y[row])];
  }

  remove() { this.host.remove(); }
}
