// Charts over time in the browser, by ECharts, which NiceGUI ships. The server sends new points
// only; charts that are out of sight keep them and are drawn when they are scrolled to.

import { colour, legible, onMode } from "memopolis-map";
import { echarts } from "nicegui-echart";

const DRAW_MS = 120;
const DATES = {year: "{yyyy}", month: "{MMM} {yyyy}", day: "{d} {MMM}", hour: "{HH}:{mm}"};
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const DAYS = "Sun Mon Tue Wed Thu Fri Sat".split(" ");

export default {
  template: "<div class='columns'></div>",
  mounted() {
    this.charts = [];
    this.drawn = 0;
    this.seen = new IntersectionObserver((entries) => {
      for (const {target, isIntersecting} of entries) target.chart.isSeen = isIntersecting;
      this.draw();
    }, {rootMargin: "100px"});
    this.resized = new ResizeObserver((entries) => {
      for (const {target} of entries) target.chart.picture?.resize();
    });
    this.forget = onMode(() => {
      for (const chart of this.charts) chart.isStale = Boolean(chart.reach);
      this.draw();
    });
    this.$emit("ready");
  },
  unmounted() {
    this.forget();
    this.clear();
  },
  methods: {
    clear() {
      for (const chart of this.charts) {
        this.seen.unobserve(chart.box);
        this.resized.unobserve(chart.box);
        chart.picture?.dispose();
      }
      this.charts = [];
      this.$el.replaceChildren();
    },

    // Build all charts: {title, subtitle, unit, share, zero, grain, name, number, run, difference,
    // notes, limits}; `limits` are those of the y axis.
    setCharts(specs) {
      this.clear();
      const ofTitle = new Map();
      for (const spec of specs) {
        if (!ofTitle.has(spec.number)) ofTitle.set(spec.number, group(this.$el, spec));
        const place = add(ofTitle.get(spec.number), "div", "chart-run");
        if (spec.name) add(place, "div", "run-name any-text", spec.name);
        if (spec.notes) add(place, "div", "quiet any-text", spec.notes);
        const box = add(place, "div", spec.difference ? "chart chart-arms" : "chart");
        box.dataset.testid = `chart-${spec.number}-${spec.run}`;
        box.setAttribute("role", "img");
        box.setAttribute("aria-label", spec.title);
        const chart = {spec, box, lines: new Map(), isSeen: false, isStale: false};
        box.chart = chart;
        this.charts.push(chart);
        this.seen.observe(box);
        this.resized.observe(box);
      }
    },

    // Show one chart, or all if the number is 0.
    choose(number) {
      for (const group of this.$el.children) {
        group.hidden = number !== 0 && Number(group.dataset.number) !== number;
      }
      this.$el.style.gridTemplateColumns = number ? "1fr" : "";
    },

    // Add points: for each chart {lines: [{name, keep, points, columns, colour, dash,
    // difference}], marks, reach, words}; a point is a time and a value, or mean, low and high.
    show(turn, step, changes) {
      window.memopolis.at(turn, () => {
        changes.forEach((change, i) => extend(this.charts[i], change, turn, step));
        this.draw();
      });
    },

    draw() {
      const wait = this.drawn + DRAW_MS - performance.now();
      clearTimeout(this.later);
      if (wait > 0) {
        this.later = setTimeout(() => this.draw(), wait);
        return;
      }
      for (const chart of this.charts) {
        if (chart.isSeen && chart.isStale && chart.box.clientWidth) paint(chart);
      }
      this.drawn = performance.now();
    },
  },
};

function add(parent, tag, name, text = "") {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  parent.append(made);
  return made;
}

function group(board, {title, subtitle, unit, number}) {
  const made = add(board, "figure", "figure");
  made.dataset.testid = `figure-chart-${number}`;
  made.dataset.number = number;
  const head = add(made, "figcaption", "chart-head");
  add(head, "h3", "", title);
  add(head, "div", "quiet", [subtitle, unit].filter(Boolean).join(" · "));
  return add(made, "div", "chart-runs");
}

function extend(chart, {lines, marks, reach, words}, turn, step) {
  const named = new Set();
  for (const {name, keep, points, columns, colour, dash, difference} of lines) {
    const key = difference ? `difference ${name}` : `line ${name}`;
    const line = chart.lines.get(key) ?? {data: []};
    line.data.length = Math.min(line.data.length, keep);
    for (let i = 0; i < points.length; i += columns) line.data.push(points.slice(i, i + columns));
    Object.assign(line, {name, colour, dash, difference});
    chart.lines.set(key, line);
    named.add(key);
  }
  for (const key of [...chart.lines.keys()]) if (!named.has(key)) chart.lines.delete(key);
  Object.assign(chart, {marks, reach, turn, step, isStale: true});
  if (words) chart.box.setAttribute("aria-label", words);
  // Out of sight it has all points already; in sight it is marked until it is drawn.
  if (!chart.isSeen) chart.box.dataset.turn = turn;
}

function paint(chart) {
  const {spec, box} = chart;
  chart.picture ??= echarts.init(box, null, {renderer: "canvas"});
  chart.picture.setOption(option(chart), {notMerge: chart.lines.size !== chart.painted});
  chart.painted = chart.lines.size;
  chart.isStale = false;
  box.dataset.step = chart.step;
  box.dataset.turn = chart.turn;
  box.dataset.points = Math.max(0, ...[...chart.lines.values()].map(({data}) => data.length));
}

function option({spec, lines, marks, reach}) {
  const names = [...lines.values()].filter(({difference}) => !difference).map(({name}) => name);
  const ink = colour("--ink"), grey = colour("--grey");
  const several = names.length > 1, halves = spec.difference ? 2 : 1;
  const series = [...lines].flatMap(([id, line], i) => [
    ...band(id, line),
    {...drawn(id, line), ...(i ? {} : {markLine: markLine(marks)})},
  ]);
  const top = several ? 34 : 22;
  // A month with its year is 56 pixels wide, and may be centred at the right end.
  const sides = {left: 8, right: 30, containLabel: true};
  const grids = [{...sides, top, bottom: halves > 1 ? "44%" : 6}, {...sides, top: "66%", bottom: 6}];
  const times = {type: "time", min: reach[0][0], max: reach[1][0], splitLine: {show: false},
    axisLine: {lineStyle: {color: colour("--field")}, onZero: false},
    axisLabel: {color: grey, hideOverlap: true, formatter: DATES}};
  const values = {type: "value", splitNumber: spec.share ? 8 - 3 * halves : 5 - halves,
    splitLine: {lineStyle: {color: colour("--line")}}, nameTextStyle: {color: ink, align: "left"},
    axisLabel: {color: grey, formatter: (value) => number(value, spec)}};
  return {
    useUTC: true, animation: false, textStyle: {color: ink, fontFamily: "inherit"},
    grid: grids.slice(0, halves), axisPointer: {link: [{xAxisIndex: "all"}]},
    legend: {show: several, top: 0, left: 0, itemWidth: 24, itemHeight: 8, icon: undefined,
      type: "scroll", textStyle: {color: ink, fontSize: 12}, data: names,
      pageIconColor: grey, pageIconInactiveColor: colour("--line"), pageTextStyle: {color: ink}},
    tooltip: {trigger: "axis", renderMode: "richText", confine: true,
      backgroundColor: colour("--panel"), borderColor: colour("--field"), textStyle: {color: ink},
      formatter: (points) => tip(points.filter(({seriesId}) => lines.has(seriesId)), spec)},
    xAxis: [times, {...times, gridIndex: 1}].slice(0, halves),
    // The axis of a share that comes close to 100% ends there.
    yAxis: [{...values, scale: !spec.zero, min: spec.limits?.[0],
        max: spec.share && !spec.limits ? ({max}) => (max > 0.8 && max <= 1 ? 1 : null) : spec.limits?.[1],
        interval: spec.limits && (spec.limits[1] - spec.limits[0]) / 4},
      {...values, gridIndex: 1, name: spec.difference}].slice(0, halves),
    series,
  };
}

function drawn(id, {name, data, colour: own, dash, difference}) {
  const color = legible(own);
  return {id, name, type: "line", data, showSymbol: data.length < 2, symbolSize: 6, animation: false,
    sampling: "lttb", itemStyle: {color}, lineStyle: {color, width: 2, type: dash},
    emphasis: {disabled: true}, ...axes(difference)};
}

// An interval is the area between its low end, which is not drawn, and the height stacked on it.
function band(id, {name, data, colour: own, difference}) {
  const color = legible(own);
  const known = data.filter((point) => point.length > 3 && point[2] !== null);
  if (!known.length) return [];
  const part = {name, type: "line", stack: `band ${id}`, stackStrategy: "all", symbol: "none",
    silent: true, animation: false, lineStyle: {opacity: 0}, itemStyle: {color},
    emphasis: {disabled: true}, ...axes(difference)};
  return [{...part, id: `low ${id}`, data: known.map(([at, , low]) => [at, low])},
    {...part, id: `band ${id}`, data: known.map(([at, , low, high]) => [at, high - low]),
      areaStyle: {color, opacity: 0.18}}];
}

function axes(difference) {
  return {xAxisIndex: difference ? 1 : 0, yAxisIndex: difference ? 1 : 0};
}

function markLine(marks) {
  return {silent: true, symbol: "none", animation: false,
    data: marks.map(({at, label, strong}, i) => ({xAxis: at,
      lineStyle: {color: colour(strong ? "--ink" : "--grey"), type: strong ? "solid" : "dashed", width: 1.2},
      label: {formatter: label, color: colour("--grey"), fontSize: 11, distance: 4,
        position: "end", align: i % 2 ? "left" : "right"}}))};
}

function tip(points, spec) {
  if (!points.length) return "";
  const lines = points.filter(({value}) => value[1] !== null)
    .map(({seriesId, seriesName, value: [, mean, low, high]}) => {
      const name = seriesId.startsWith("difference ") ? `${seriesName} ${spec.difference}` : seriesName;
      const ends = (low ?? null) === null ? "" : ` (${number(low, spec)} to ${number(high, spec)})`;
      return `${name}: ${number(mean, spec)}${ends}`;
    });
  return [date(points[0].value[0], spec.grain), ...lines].join("\n");
}

function number(value, {share}) {
  if (share) return `${(100 * value).toLocaleString("en-US", {maximumFractionDigits: 1})}%`;
  if (Math.abs(value) >= 1e6) return `${(value / 1e6).toLocaleString("en-US", {maximumFractionDigits: 2})} million`;
  return value.toLocaleString("en-US", {maximumSignificantDigits: Math.abs(value) >= 1000 ? 6 : 3});
}

function date(ms, grain) {
  const at = new Date(ms), two = (value) => String(value).padStart(2, "0");
  if (grain === "month") return `${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  const day = `${DAYS[at.getUTCDay()]} ${two(at.getUTCDate())} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return grain === "hour" ? `${day}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}` : day;
}
