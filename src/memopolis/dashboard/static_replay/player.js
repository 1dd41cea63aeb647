// Plays a run from the data in the page: {dates, times, map, network, charts, names}.
//   map = {place, frames} and network = {ties, frames} as SocietyMap and SocietyNetwork expect them,
//   or null. A frame of the map has only what changed since the one before.

import {legible, onMode, SocietyMap, SocietyNetwork} from "./index.js";
import {rowsOf, unpack} from "./packed.js";

const WIDTH = 460, HEIGHT = 190, LEFT = 48, BOTTOM = 20, TOP = 8, RIGHT = 8;
const data = JSON.parse(document.getElementById("replay").textContent);
const last = data.dates.length - 1;
const main = document.querySelector("main");
const [play, clock, moment, speed] = ["play", "clock", "moment", "speed"].map((id) => document.getElementById(id));

// Frames of a map as they are needed: only changes to play on, and everything after a jump.
class Moments {
  constructor(frames) {
    this.frames = frames;
    this.begin();
  }

  begin() {
    this.at = -1;
    this.rest = {};
    this.people = {agents: [], zone: [], doing: []};
  }

  go(number) {
    if (number < this.at) this.begin();
    const isNext = number === this.at + 1;
    while (this.at < number) this.add(this.frames[++this.at]);
    return isNext ? this.frames[number] : {...this.rest, people: this.people};
  }

  add({people, ...rest}) {
    Object.assign(this.rest, rest);
    const zone = unpack(people.zone), doing = unpack(people.doing);
    if (people.agents !== undefined) {
      this.people = {...this.people, agents: unpack(people.agents), zone, doing};
    } else {
      rowsOf(people.gaps).forEach((row, i) => {
        this.people.zone[row] = zone[i];
        this.people.doing[row] = doing[i];
      });
    }
    if (people.colour !== undefined) this.people.colour = people.colour;
  }
}

function add(parent, tag, name = "", text = "") {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  parent.append(made);
  return made;
}

function drawing(Drawing, label) {
  const box = add(add(main, "section", "drawing"), "div");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  const made = new Drawing(box, {hover: (agent) => made.setName(agent, data.names[agent] ?? `${agent}`)});
  return box.drawing = made;
}

const shows = [];

if (data.map) {
  const map = drawing(SocietyMap, "Map"), moments = new Moments(data.map.frames);
  map.setPlace(data.map.place);
  shows.push((number) => map.show({...moments.go(number), step: number}));
}
for (const chart of data.charts) shows.push(drawChart(chart));
if (data.network) {
  const network = drawing(SocietyNetwork, "Network");
  network.setTies(data.network.ties);
  shows.push((number) => network.show({...data.network.frames[number], step: number}));
}

function svg(parent, tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent.append(made);
  return made;
}

// Draw a chart; return the function that shows it up to a moment.
function drawChart({title, subtitle, unit, share, zero, lines}) {
  const box = add(main, "section");
  add(box, "h2", "", title);
  add(box, "div", "quiet", [subtitle, unit].filter(Boolean).join(" · "));
  const values = lines.flatMap(({points}) => points.filter((value, i) => i % 2 && value !== null));
  let low = Math.min(...values), high = Math.max(...values);
  if (zero) low = Math.min(low, 0);
  if (!(high > low)) high = low + 1;
  const [first, end] = [data.times[0], data.times[last]];
  const x = (time) => LEFT + (WIDTH - LEFT - RIGHT) * (time - first) / Math.max(end - first, 1);
  const y = (value) => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (value - low) / (high - low);
  const picture = svg(box, "svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title});
  for (let i = 0; i <= 4; i++) {
    const value = low + (high - low) * i / 4;
    svg(picture, "line", {x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), stroke: "var(--line)"});
    svg(picture, "text", {x: LEFT - 5, y: y(value) + 4, "text-anchor": "end"}, short(value, share));
  }
  for (const [number, anchor] of [[0, "start"], [last, "end"]]) {
    svg(picture, "text", {x: x(data.times[number]), y: HEIGHT - 5, "text-anchor": anchor}, data.dates[number]);
  }
  const paths = lines.map(({dash}) => svg(picture, "path", {
    fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": dash === "solid" ? "" : dash.join(" "),
  }));
  const now = svg(picture, "line", {y1: TOP, y2: HEIGHT - BOTTOM, stroke: "var(--ink)"});
  const key = add(box, "div", "key");
  if (lines.length > 1) {
    for (const {name} of lines) {
      const entry = add(key, "span");
      add(entry, "i");
      entry.append(name);
    }
  }
  const recolour = () => lines.forEach(({colour}, line) => {
    for (const part of [paths[line], key.children[line]?.firstChild]) part?.style.setProperty("color", legible(colour));
  });
  recolour();
  onMode(recolour);
  return (number) => {
    const time = data.times[number];
    lines.forEach(({points}, line) => {
      let path = "";
      for (let i = 0; i < points.length && points[i] <= time; i += 2) {
        if (points[i + 1] !== null) path += `${path ? "L" : "M"}${x(points[i]).toFixed(1)} ${y(points[i + 1]).toFixed(1)}`;
      }
      paths[line].setAttribute("d", path);
    });
    for (const end of ["x1", "x2"]) now.setAttribute(end, x(time));
  };
}

function short(value, share) {
  if (share) return `${Math.round(100 * value)} %`;
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : `${Number(value.toPrecision(3))}`;
}

let at = 0, timer = 0;

function show(number) {
  at = Math.min(Math.max(number, 0), last);
  moment.value = at;
  clock.textContent = data.dates[at];
  document.body.dataset.moment = at;
  for (const one of shows) one(at);
  if (location.hash !== `#${at}` && !timer) history.replaceState(null, "", `#${at}`);
}

function stop() {
  clearInterval(timer);
  timer = 0;
  play.textContent = "Play";
}

function start() {
  if (at >= last) show(0);
  play.textContent = "Pause";
  timer = setInterval(() => at < last ? show(at + 1) : stop(), 1000 / Number(speed.value));
}

play.onclick = () => timer ? stop() : start();
speed.onchange = () => { if (timer) { stop(); start(); } };
moment.max = last;
moment.oninput = () => { stop(); show(Number(moment.value)); };
window.onhashchange = () => show(Number(location.hash.slice(1)) || 0);
show(Number(location.hash.slice(1)) || 0);
