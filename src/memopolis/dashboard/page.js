// Events of the browser that the server cannot see, and the time that all parts of the page show.

window.memopolis = {
  // Scroll to an element that was just built, and focus it.
  reveal(id) {
    setTimeout(() => {
      const element = document.getElementById(`c${id}`);
      if (element) {
        element.scrollIntoView({block: 'center'});
        element.focus({preventScroll: true});
      }
    }, 80);
  },

  // Show the offer of the tour in a browser that has neither taken nor declined it.
  offerTour(id) {
    let isKnown = true; // private windows may have no store
    try { isKnown = Boolean(localStorage.getItem('memopolis-tour')); } catch { /* not kept */ }
    document.getElementById(`c${id}`).hidden = isKnown;
  },

  rememberTour(id) {
    try { localStorage.setItem('memopolis-tour', 'seen'); } catch { /* not kept */ }
    document.getElementById(`c${id}`).hidden = true;
  },

  // Mark the element of a step of the tour, on its tab; return whether it appears.
  async point(target, tab) {
    document.querySelector('.toured')?.classList.remove('toured');
    if (tab) document.querySelector(`[data-testid="tab-${tab}"]:not([aria-selected=true])`)?.click();
    for (let tries = 0; target && tries < 40; tries += 1) {
      const marked = [...document.querySelectorAll(`[data-testid="${target}"]`)]
        .find((element) => element.getClientRects().length);
      if (marked) {
        marked.classList.add('toured');
        marked.scrollIntoView({block: 'nearest'});
        return true;
      }
      await new Promise((resume) => setTimeout(resume, 75));
    }
    return false;
  },
};

// One time for the whole page: the clock has the number of a turn. What shows an earlier turn than
// the clock is marked as updating; drawings wait until the clock shows their turn.
{
  const waiting = [];
  const clockTurn = () => Number(document.querySelector('[data-clock]')?.dataset.turn ?? 0);
  const MOST_MS = 2000; // after this, one of several drawings has gone
  const isDue = ({turn, of, size, since}) => turn <= clockTurn()
    && (waiting.filter((other) => other.turn === turn && other.of === of).length >= size
      || performance.now() - since > MOST_MS);

  const check = () => {
    while (waiting.length && isDue(waiting[0])) {
      // Drawings side by side change together.
      const {turn, of, size} = waiting[0];
      let left = size;
      for (let i = 0; left > 0 && i < waiting.length;) {
        if (waiting[i].turn === turn && waiting[i].of === of) {
          waiting.splice(i, 1)[0].draw();
          left--;
        } else {
          i++;
        }
      }
    }
    for (const part of document.querySelectorAll('[data-turn]:not([data-clock])')) {
      part.classList.toggle('updating', Number(part.dataset.turn) < clockTurn());
    }
  };

  // Draw as soon as the clock shows a turn, and all drawings `of` a kind, `size` of them, have it.
  window.memopolis.at = (turn, draw, of = '', size = 1) => {
    waiting.push({turn, draw, of, size, since: performance.now()});
    check();
    setTimeout(check, MOST_MS + 1); // in case nothing else changes, as after a pause
  };

  new MutationObserver(check).observe(document, {subtree: true, attributeFilter: ['data-turn']});
}

// Keyboard shortcuts press buttons of the page. Keys typed into a field, or held with another key,
// are no shortcuts; a visitor whose speech or switches send keys can turn them off.
{
  const STORED = 'memopolis-keys', BUTTONS = {p: ['start', 'pause'], s: ['step'], b: ['back']};
  const find = (id) => document.querySelector(`[data-testid=${id}]`);
  const isUsed = () => {
    try { return localStorage.getItem(STORED) !== 'off'; } catch { return true; }
  };

  window.memopolis.showKeys = () => {
    find('keys-used').checked = isUsed();
    find('keys-dialog').showModal();
  };

  window.addEventListener('change', ({target}) => {
    if (target.dataset?.testid !== 'keys-used') return;
    try { localStorage.setItem(STORED, target.checked ? 'on' : 'off'); } catch { /* not kept */ }
  });

  window.addEventListener('keydown', (event) => {
    const isTyped = event.target.closest?.('textarea, [role=combobox], dialog, input:not([type=range])');
    if (isTyped || event.ctrlKey || event.altKey || event.metaKey || event.repeat || !isUsed()) return;
    if (event.key === 'Escape') find('tour-skip')?.click();
    if (event.key === '?') window.memopolis.showKeys();
    for (const id of BUTTONS[event.key] ?? []) find(id)?.click();
    if (/^[1-9]$/.test(event.key)) document.querySelectorAll('.q-tab')[event.key - 1]?.click();
  });
}

window.addEventListener('popstate', () => emitEvent('memopolis-went-back', location.search));
