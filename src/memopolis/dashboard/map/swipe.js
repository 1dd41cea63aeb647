// Two maps of the same place, side by side, or one over the other with a border that is moved by
// mouse, finger or keys. The left map is whole, the right one is cut off at the border.

const KEYS = {ArrowLeft: -2, ArrowDown: -2, ArrowRight: 2, ArrowUp: 2, PageDown: -20, PageUp: 20,
  Home: -100, End: 100};

export default {
  template: `
    <div class="figures linked" :class="{swipe: over}" :style="{'--swipe': share + '%'}">
      <slot></slot>
      <div v-if="over" class="swipe-border" role="slider" tabindex="0" data-testid="swipe-border"
        :aria-label="'Border between the maps of ' + names[0] + ' and ' + names[1]"
        aria-orientation="horizontal" aria-valuemin="0" aria-valuemax="100" :aria-valuenow="share"
        :aria-valuetext="names[0] + ' ' + share + '%, ' + names[1] + ' ' + (100 - share) + '%'"
        @pointerdown="grasp" @pointermove="drag" @keydown="press"></div>
    </div>`,
  props: {names: Array, over: Boolean},
  data: () => ({share: 50}),
  methods: {
    move(share) { this.share = Math.round(Math.min(Math.max(share, 0), 100)); },
    grasp(event) {
      event.preventDefault();
      event.target.focus();
      event.target.setPointerCapture(event.pointerId);
    },
    drag(event) {
      if (!event.target.hasPointerCapture(event.pointerId)) return;
      const {left, width} = this.$el.getBoundingClientRect();
      this.move(100 * (event.clientX - left) / width);
    },
    press(event) {
      if (!(event.key in KEYS)) return;
      event.preventDefault();
      this.move(this.share + KEYS[event.key]);
    },
  },
};
