// The tour: a card that points at one element of the page after the other.

window.memopolisTour = {
  KEY: 'memopolis-tour',

  // Whether this browser has taken or declined the tour.
  isKnown() {
    try { return Boolean(localStorage.getItem(this.KEY)); } catch { return true; }
  },

  remember() {
    try { localStorage.setItem(this.KEY, 'seen'); } catch { /* private windows may have no store */ }
  },

  // Show the offer of the tour, unless it is known.
  offer(id) {
    const offer = document.getElementById(`c${id}`);
    if (offer && !this.isKnown()) offer.hidden = false;
  },

  decline(id) {
    this.remember();
    const offer = document.getElementById(`c${id}`);
    if (offer) offer.hidden = true;
  },

  start(steps) {
    this.end();
    this.steps = steps;
    this.before = document.activeElement;
    this.box = this.make('div', 'tour-box');
    this.card = this.make('section', 'tour-card');
    Object.entries({role: 'dialog', 'aria-label': 'Tour of the page', 'data-testid': 'tour'})
      .forEach(([name, value]) => this.card.setAttribute(name, value));
    document.body.append(this.box, this.card);
    this.onKey = (event) => {
      if (event.key === 'Escape') this.end();
    };
    document.addEventListener('keydown', this.onKey);
    this.placing = setInterval(() => this.place(), 150);
    this.show(0, 1);
  },

  end() {
    if (!this.card) return;
    this.remember();
    clearInterval(this.placing);
    document.removeEventListener('keydown', this.onKey);
    this.box.remove();
    this.card.remove();
    this.card = null;
    this.target = null;
    this.before?.focus?.({preventScroll: true});
  },

  find(step) {
    const found = [...document.querySelectorAll(`[data-testid="${step.target}"]`)];
    return found.find((element) => element.getClientRects().length);
  },

  // Show a step; one whose element does not appear is left out, in the direction of travel.
  async show(number, direction) {
    const turn = (this.turn = (this.turn || 0) + 1);
    if (number < 0) return;
    if (number >= this.steps.length) { this.end(); return; }
    const step = this.steps[number];
    if (step.tab) {
      const tab = document.querySelector(`[data-testid="tab-${step.tab}"]`);
      if (tab && tab.getAttribute('aria-selected') !== 'true') tab.click();
    }
    for (let tries = 0; tries < 40 && !this.find(step); tries += 1) {
      await new Promise((resume) => setTimeout(resume, 75));
      if (turn !== this.turn || !this.card) return;
    }
    this.target = this.find(step);
    if (!this.target) { this.show(number + direction, direction); return; }
    this.target.scrollIntoView({block: 'nearest'});
    this.fill(number, step);
    this.place();
  },

  fill(number, step) {
    const buttons = this.make('div', 'tour-buttons');
    const add = (text, testid, press, off = false) => {
      const button = this.make('button', testid === 'tour-next' ? 'tour-main' : '');
      button.type = 'button';
      button.textContent = text;
      button.disabled = off;
      button.setAttribute('data-testid', testid);
      button.addEventListener('click', press);
      buttons.append(button);
      return button;
    };
    const last = number === this.steps.length - 1;
    add('Skip the tour', 'tour-skip', () => this.end());
    add('Back', 'tour-back', () => this.show(number - 1, -1), number === 0);
    const next = add(last ? 'Done' : 'Next', 'tour-next', () => this.show(number + 1, 1));
    const title = this.make('h2', '');
    title.textContent = step.title;
    const text = this.make('p', '');
    text.textContent = step.text;
    const count = this.make('p', 'quiet');
    count.textContent = `${number + 1} of ${this.steps.length}`;
    this.card.replaceChildren(title, text, count, buttons);
    this.card.setAttribute('data-target', step.target);
    next.focus({preventScroll: true});
  },

  // Put the frame around the element, and the card below or above it, inside of the window.
  place() {
    if (!this.card || !this.target) return;
    const around = this.target.getBoundingClientRect();
    const size = this.card.getBoundingClientRect();
    const [width, height, gap] = [window.innerWidth, window.innerHeight, 10];
    const frame = {
      left: Math.max(around.left - 4, 2), top: Math.max(around.top - 4, 2),
      right: Math.min(around.right + 4, width - 2), bottom: Math.min(around.bottom + 4, height - 2),
    };
    Object.assign(this.box.style, {
      left: `${frame.left}px`, top: `${frame.top}px`,
      width: `${frame.right - frame.left}px`, height: `${Math.max(0, frame.bottom - frame.top)}px`,
    });
    const below = frame.bottom + gap + size.height < height;
    const top = below ? frame.bottom + gap : Math.max(gap, frame.top - gap - size.height);
    const left = Math.min(Math.max(gap, frame.left), Math.max(gap, width - size.width - gap));
    Object.assign(this.card.style, {
      left: `${left}px`, top: `${Math.min(top, Math.max(gap, height - size.height - gap))}px`,
    });
  },

  make(tag, name) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    return made;
  },
};
