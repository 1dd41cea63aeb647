// A view of a plane on a screen: fit, zoom and pan, by mouse, touch and buttons.

const MOST_ZOOM = 60;
const CLICK_PX = 4;

export class View {
  // `redraw(moving)` is called after each change; `moving` is false once a gesture has ended.
  constructor(redraw) {
    this.redraw = redraw;
    this.width = this.height = 1;
    this.ratio = 1;
    this.box = [-1, -1, 1, 1];
    this.zoom = 1;
    this.centre = [0, 0];
    this.right = 0; // pixels on the right that are covered, such as by a legend
    this.linked = []; // other views, which show the same part of the plane
  }

  // Draw this view, and the linked ones as this one.
  changed(moving) {
    this.redraw(moving);
    for (const other of this.linked) {
      Object.assign(other, {zoom: this.zoom, centre: this.centre});
      other.redraw(moving);
    }
  }

  // Set the box of the plane that is shown whole: west, south, east, north.
  fit(box) {
    this.box = box;
    this.reset();
  }

  reset() {
    this.zoom = 1;
    this.centre = [(this.box[0] + this.box[2]) / 2, (this.box[1] + this.box[3]) / 2];
    this.changed(false);
  }

  resize(width, height, ratio) {
    [this.width, this.height, this.ratio] = [width, height, ratio];
  }

  // Pixels per unit of the plane.
  get scale() {
    const [west, south, east, north] = this.box;
    const wide = Math.max(this.width - this.right, 50);
    return this.zoom * Math.min(wide / Math.max(east - west, 1e-9), this.height / Math.max(north - south, 1e-9));
  }

  get middle() {
    return [(this.width - this.right) / 2, this.height / 2];
  }

  x(east) { return this.middle[0] + (east - this.centre[0]) * this.scale; }
  y(north) { return this.middle[1] - (north - this.centre[1]) * this.scale; }
  plane(x, y) {
    return [this.centre[0] + (x - this.middle[0]) / this.scale, this.centre[1] - (y - this.middle[1]) / this.scale];
  }

  // Zoom by a factor around a point of the screen.
  zoomBy(factor, x = this.middle[0], y = this.middle[1]) {
    const [east, north] = this.plane(x, y);
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.02), MOST_ZOOM);
    this.centre = [east - (x - this.middle[0]) / this.scale, north + (y - this.middle[1]) / this.scale];
    this.changed(true);
  }

  panBy(dx, dy) {
    this.centre = [this.centre[0] - dx / this.scale, this.centre[1] + dy / this.scale];
    this.changed(true);
  }

  // Listen to gestures on an element; `point` is called with a position, `leave` when there is
  // none, and `click` with the position of a click that was no drag.
  listen(target, {point, leave, click}) {
    const at = new Map();
    let moved = 0;
    const place = (event) => {
      const box = target.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    target.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...place(event));
    }, {passive: false});
    target.addEventListener("pointerdown", (event) => {
      target.setPointerCapture(event.pointerId);
      at.set(event.pointerId, place(event));
      if (at.size === 1) moved = 0;
    });
    target.addEventListener("pointermove", (event) => {
      const now = place(event), before = at.get(event.pointerId);
      if (!before) return point(...now);
      const others = [...at].filter(([id]) => id !== event.pointerId).map(([, one]) => one);
      at.set(event.pointerId, now);
      moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (others.length) {
        const [other] = others;
        const spread = (one) => Math.hypot(one[0] - other[0], one[1] - other[1]);
        this.zoomBy(spread(now) / Math.max(spread(before), 1), ...other);
      } else if (moved > CLICK_PX) {
        this.panBy(now[0] - before[0], now[1] - before[1]);
      }
    });
    const up = (event) => {
      const was = at.delete(event.pointerId);
      if (was && event.type === "pointerup" && moved <= CLICK_PX) click(...place(event));
      if (was && !at.size) this.changed(false);
    };
    target.addEventListener("pointerup", up);
    target.addEventListener("pointercancel", up);
    target.addEventListener("pointerleave", leave);
    target.addEventListener("dblclick", (event) => this.zoomBy(2, ...place(event)));
  }
}
