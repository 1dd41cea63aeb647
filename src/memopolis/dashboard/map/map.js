// The element of NiceGUI around a drawing of memopolis-map: it draws only moments whose time the
// clock of the page shows, so that all parts of the page agree.

import { SocietyMap, SocietyNetwork } from "memopolis-map";

export default {
  template: "<div></div>",
  props: {kind: String},
  mounted() {
    const calls = {
      open: (agent) => this.$emit("open", agent),
      hover: (agent) => this.$emit("hover", agent),
    };
    const Drawing = this.kind === "network" ? SocietyNetwork : SocietyMap;
    this.drawing = this.$el.drawing = new Drawing(this.$el, calls);
    for (const other of this.$el.closest(".linked")?.querySelectorAll(".map-canvas") ?? []) {
      if (other === this.$el || !other.drawing) continue;
      other.drawing.view.linked.push(this.drawing.view);
      this.drawing.view.linked.push(other.drawing.view);
    }
    this.$emit("ready");
  },
  unmounted() {
    this.drawing.remove();
  },
  methods: {
    setPlace(place) { this.drawing.setPlace(place); },
    setTies(ties) { this.drawing.setTies(ties); },
    setOptions(options) { this.drawing.setOptions(options); },
    setName(agent, name) { this.drawing.setName(agent, name); },
    show(turn, size, frame) {
      window.memopolis.at(turn, () => {
        this.drawing.show(frame);
        this.$el.dataset.turn = turn;
      }, this.kind, size);
    },
  },
};
