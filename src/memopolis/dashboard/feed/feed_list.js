// The lines of the feed. Vue writes all texts as text, never as markup.
export default {
  template: `
    <ol class="feed-lines">
      <li v-for="line in lines" :key="line.key" :class="'feed-line feed-' + line.kind"
          data-testid="feed-line" :data-kind="line.kind" :data-tick="line.tick">
        <span class="feed-facts">
          <time>{{ line.time }}</time>
          <span class="feed-kind">{{ line.label }}</span>
          <span v-if="line.hand" class="shock-mark">sent by hand</span>
        </span>
        <span class="any-text" dir="auto">
          <button v-if="line.agent >= 0" type="button" class="link" data-testid="feed-open"
                  :data-agent="line.agent" @click="$emit('open', line.agent)">{{ line.who }}</button>{{ line.agent >= 0 ? " " : "" }}{{ line.verb && line.verb + " " }}<button v-if="line.other >= 0" type="button" class="link" data-testid="feed-open"
                  :data-agent="line.other" @click="$emit('open', line.other)">{{ line.hearer }}</button>{{ line.text }}
        </span>
        <span v-if="line.detail" class="quiet any-text" dir="auto">{{ line.detail }}</span>
        <span v-if="line.more" class="quiet">{{ line.more }}</span>
      </li>
    </ol>`,
  props: {lines: Array},
};
