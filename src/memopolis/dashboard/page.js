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
