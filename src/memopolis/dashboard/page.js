// Events of the browser that the server cannot see, and questions that it asks.

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

  // Return which elements are visible or nearly so, and whether the screen is narrower than `small`.
  onScreen(ids, small) {
    const isNear = (id) => {
      const box = document.getElementById(`c${id}`)?.getBoundingClientRect();
      return Boolean(box) && box.bottom > -100 && box.top < window.innerHeight + 100;
    };
    return [ids.map(isNear), window.innerWidth < small];
  },
};

// One time for the whole page: the clock has the number of a turn. What shows an earlier turn than
// the clock is marked as updating; drawings wait until the clock shows their turn.
{
  const waiting = [];
  const clockTurn = () => Number(document.querySelector('[data-clock]')?.dataset.turn ?? 0);

  const check = () => {
    const turn = clockTurn();
    while (waiting.length && waiting[0].turn <= turn) {
      const {draw} = waiting.shift();
      draw();
    }
    for (const part of document.querySelectorAll('[data-turn]:not([data-clock])')) {
      part.classList.toggle('updating', Number(part.dataset.turn) < turn);
    }
  };

  // Draw now if the clock shows a turn, else as soon as it does.
  window.memopolis.at = (turn, draw) => {
    waiting.push({turn, draw});
    check();
  };

  new MutationObserver(check).observe(document, {subtree: true, attributeFilter: ['data-turn']});
}

{
  let waiting = 0;
  const moved = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => emitEvent('memopolis-moved'), 150);
  };
  window.addEventListener('scroll', moved, {passive: true});
  window.addEventListener('resize', moved);
  window.addEventListener('popstate', () => emitEvent('memopolis-went-back', location.search));
}
