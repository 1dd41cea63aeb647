// The elements of a drawing: canvases on top of each other, buttons, a tooltip and a legend.
// Texts are set as text, never as markup: names may come from anybody.

import {onMode} from "./colours.js";
import {View} from "./view.js";

const STYLE = `
:where(.mp-host) { width: 100%; height: 100%; }
.mp-host { position: relative; overflow: hidden; border-radius: 6px;
  font: 13px/1.35 system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; color: var(--ink);
  background: var(--map-water); user-select: none; }
.mp-stage { position: relative; width: 100%; height: 100%; overflow: hidden; touch-action: none; }
.mp-host canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
.mp-host canvas.mp-top { cursor: grab; }
.mp-host canvas.mp-top:active { cursor: grabbing; }
.mp-host.mp-found canvas.mp-top { cursor: pointer; }
.mp-buttons { position: absolute; top: 10px; left: 10px; display: flex; flex-direction: column;
  background: var(--panel); border-radius: 6px; box-shadow: 0 1px 4px var(--shadow); overflow: hidden; }
.mp-buttons button { width: 34px; height: 34px; border: 0; background: none; font-size: 19px;
  line-height: 1; color: var(--ink); cursor: pointer; border-bottom: 1px solid var(--line); }
.mp-buttons button:hover { background: var(--blue-pale); }
.mp-buttons button:focus-visible { outline: 3px solid var(--blue); outline-offset: -3px; }
.mp-tip { position: absolute; pointer-events: none; background: var(--tip); color: var(--on-tip);
  padding: 5px 9px; border-radius: 5px; max-width: 17rem; overflow-wrap: anywhere; z-index: 3;
  display: none; box-shadow: 0 2px 8px var(--shadow); unicode-bidi: plaintext; }
.mp-tip b { display: block; font-weight: 650; }
.mp-legend { position: absolute; top: 10px; right: 10px; background: var(--panel); width: 216px;
  border-radius: 6px; padding: 8px 11px; box-shadow: 0 1px 4px var(--shadow); pointer-events: none;
  max-height: calc(100% - 20px); overflow: hidden; font-variant-numeric: tabular-nums; }
.mp-legend .mp-head { font-weight: 650; margin: 7px 0 2px; }
.mp-legend .mp-head:first-child { margin-top: 0; }
.mp-row { display: flex; gap: 7px; align-items: center; overflow-wrap: anywhere; }
.mp-row > i { flex: 0 0 14px; height: 11px; border-radius: 3px; }
.mp-row > i.mp-dot { flex-basis: 10px; height: 10px; margin: 0 2px; border-radius: 50%; }
.mp-row > span:nth-child(2) { flex: 1 1 auto; }
.mp-row > span:nth-child(3) { flex: none; }
.mp-bar { height: 10px; border-radius: 3px; margin: 4px 0 2px; }
.mp-ends { display: flex; justify-content: space-between; }
.mp-note { color: var(--grey); font-size: 12px; }
@media (max-width: 700px) {
  .mp-host { height: auto !important; background: none; }
  .mp-stage { height: 24rem; border-radius: 6px; }
  .mp-legend { position: static; width: auto; max-height: none; box-shadow: none; }
}
`;

export class Host {
  // `layers` are names of canvases from the bottom up; "top" is added above them.
  constructor(element, layers, events) {
    this.element = element;
    element.classList.add("mp-host");
    if (!document.getElementById("mp-style")) {
      const style = document.createElement("style");
      style.id = "mp-style";
      style.textContent = STYLE;
      document.head.append(style);
    }
    this.stage = this.add("div", "mp-stage", element);
    this.canvas = {};
    this.context = {};
    for (const name of [...layers, "top"]) {
      const canvas = this.add("canvas", `mp-${name}`);
      canvas.setAttribute("aria-hidden", "true");
      this.canvas[name] = canvas;
      this.context[name] = canvas.getContext("2d");
    }
    this.tip = this.add("div", "mp-tip", element);
    this.legend = this.add("div", "mp-legend", element);
    this.view = new View(events.redraw);
    this.view.listen(this.canvas.top, events);
    this.buttons([["+", "Zoom in", () => this.view.zoomBy(1.5)],
      ["−", "Zoom out", () => this.view.zoomBy(1 / 1.5)],
      ["⤢", "Show everything", () => this.view.reset()]]);
    this.observer = new ResizeObserver(() => this.resize(events.resize));
    this.observer.observe(this.stage);
    this.observer.observe(this.legend); // which covers a part of the stage, or is below it
    this.resize(() => {});
    this.forget = onMode(events.recolour);
  }

  add(tag, name, parent = this.stage) {
    const made = document.createElement(tag);
    made.className = name;
    parent.append(made);
    return made;
  }

  buttons(listed) {
    const box = this.add("div", "mp-buttons");
    for (const [text, label, press] of listed) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.title = label;
      button.setAttribute("aria-label", label);
      button.addEventListener("click", press);
      box.append(button);
    }
  }

  resize(resized) {
    const width = this.stage.clientWidth, height = this.stage.clientHeight;
    if (!width || !height) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const right = getComputedStyle(this.legend).position === "absolute" ? 226 : 0;
    const size = [width, height, ratio, right].join();
    if (size === this.size) return;
    this.size = size;
    for (const canvas of Object.values(this.canvas)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.view.resize(width, height, ratio);
    this.view.right = right;
    resized();
  }

  // Clear a layer and return its context, scaled to CSS pixels.
  clear(name) {
    const context = this.context[name], {width, height, ratio} = this.view;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  }

  // Show lines of text beside a point: the first one bold; none hides the tooltip.
  point(x, y, lines) {
    this.element.classList.toggle("mp-found", Boolean(lines));
    this.tip.style.display = lines ? "block" : "none";
    if (!lines) return;
    this.tip.replaceChildren(...lines.map((line, number) => {
      const made = document.createElement(number ? "span" : "b");
      made.textContent = line;
      return made;
    }));
    const {width, height} = this.view;
    this.tip.style.left = `${Math.min(x + 14, Math.max(width - this.tip.offsetWidth - 6, 0))}px`;
    this.tip.style.top = `${Math.min(y + 14, Math.max(height - this.tip.offsetHeight - 6, 0))}px`;
  }

  // Fill the legend: {head}, {note}, {bar: colours, low, high} or {label, count, css, dot} each.
  explain(entries) {
    const text = JSON.stringify(entries);
    if (text === this.explained) return;
    this.explained = text;
    this.legend.replaceChildren(...entries.flatMap(row));
  }

  remove() {
    this.observer.disconnect();
    this.forget();
    this.element.replaceChildren();
  }
}

function element(tag, name, text = "") {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}

function row(entry) {
  if (entry.head) return [element("div", "mp-head", entry.head)];
  if (entry.note) return [element("div", "mp-note", entry.note)];
  if (entry.bar) {
    const bar = element("div", "mp-bar"), ends = element("div", "mp-ends");
    bar.style.background = `linear-gradient(to right, ${entry.bar.join(", ")})`;
    ends.append(element("span", "", entry.low), element("span", "", entry.high));
    return [bar, ends];
  }
  const made = element("div", "mp-row"), swatch = element("i", entry.dot ? "mp-dot" : "");
  Object.assign(swatch.style, entry.css);
  made.append(swatch, element("span", "", entry.label));
  if (entry.count !== undefined) made.append(element("span", "", entry.count));
  return [made];
}
