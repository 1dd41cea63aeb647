// Colours by their names in colours.css, in the mode that is shown: light or dark.

const LEAST_CONTRAST = 3; // of graphics to their ground, after WCAG 2.2, AA
const probe = document.createElement("span");
const known = new Map();
const listeners = new Set();

function change() {
  known.clear();
  for (const redraw of listeners) redraw();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", change);
const chosen = document.getElementById("nicegui-color-scheme");
if (chosen) new MutationObserver(change).observe(chosen, {attributeFilter: ["content"]});

// Call a function after each change of the mode; returns a function that ends it.
export function onMode(redraw) {
  listeners.add(redraw);
  return () => listeners.delete(redraw);
}

// Return a colour by its name, such as "--ink", or any of CSS, as "rgb(...)" or "rgba(...)".
export function colour(name) {
  if (!known.has(name)) {
    if (!probe.isConnected) document.body.append(probe);
    probe.style.color = name.startsWith("--") ? `var(${name})` : name;
    known.set(name, getComputedStyle(probe).color);
  }
  return known.get(name);
}

// Return red, green and blue of a colour.
export const rgb = (name) => colour(name).match(/[\d.]+/g).slice(0, 3).map(Number);

export const css = ([red, green, blue], alpha = 1) => `rgba(${red}, ${green}, ${blue}, ${alpha})`;

// Return a function from 0..1 to [red, green, blue] between colours at equal distances.
export function ramp(colours) {
  const stops = colours.map(rgb);
  return (share) => {
    const at = Math.min(Math.max(share || 0, 0), 1) * (stops.length - 1); // NaN: the first
    const low = Math.min(Math.floor(at), stops.length - 2);
    return mixed(stops[low], stops[low + 1], at - low);
  };
}

function mixed(one, other, part) {
  return one.map((value, i) => Math.round(value + (other[i] - value) * part));
}

function luminance(values) {
  const [red, green, blue] = values.map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Return a colour of data, darker or lighter where it would not stand out from its ground.
export function legible(data, ground = "--panel") {
  const key = `${data} on ${ground}`;
  if (!known.has(key)) {
    const values = rgb(data), behind = luminance(rgb(ground)), end = rgb("--ink");
    const contrast = (values) => {
      const [low, high] = [behind, luminance(values)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    let best = values;
    for (let part = 0.02; contrast(best) < LEAST_CONTRAST && part < 1; part += 0.02) {
      best = mixed(values, end, part);
    }
    known.set(key, css(best));
  }
  return known.get(key);
}
