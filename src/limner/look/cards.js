// The list of cards. Only the cards near the view exist. Space is left above and below for the others: their last
// heights or, until they have been seen, a guess.

const MARGIN = 900, GAP = 16;

const linkTo = image => '#' + encodeURIComponent(image.i);

/** The head of a card: the image's id, which links to it, facts about it, and a button that copies the link. */
function headOf(image, facts) {
  const link = make('a', '', image.i);
  link.href = linkTo(image);
  const title = make('h2', '', link);
  title.id = `title-${image.n}`;
  return make('header', '', title, make('p', 'facts', ...facts.map(fact => make('span', '', fact))),
    button('copy', 'Copy link'));
}

class CardList {
  /**
   * `fill(image)` returns the contents of a card, `marked(card, image)` is called for each card drawn, and `guess()`
   * returns a function from images to heights for the width of the window.
   */
  constructor(host, images, {fill, marked, guess}) {
    Object.assign(this, {host, images, fill, marked, guess});
    this.chosen = images;
    this.current = null;
    this.cards = new Map();
    this.above = make('div', 'room');
    this.below = make('div', 'room');
    host.append(this.above, this.below);
    this.guessHeights();
  }

  imageOf(card) { return this.images[Number(card.id.slice(5))]; }

  guessHeights() { this.heights = this.images.map(this.guess()); }

  /** Draw the cards near the view, or near an offset in pixels down the list, and drop the others. */
  keepUp(offset = -this.host.getBoundingClientRect().top) {
    const {chosen, cards, heights} = this;
    for (const [image, card] of cards) heights[image.n] = card.getBoundingClientRect().height + GAP;
    let before = 0, from = 0;
    while (from < chosen.length && before + heights[chosen[from].n] < offset - MARGIN) {
      before += heights[chosen[from++].n];
    }
    let after = before, to = from;
    while (to < chosen.length && after < offset + window.innerHeight + MARGIN) after += heights[chosen[to++].n];
    const near = new Set(chosen.slice(from, to));
    for (const image of cards.keys()) if (!near.has(image)) this.drop(image);
    this.above.style.height = `${before}px`;
    this.below.style.height = `${chosen.slice(to).reduce((sum, image) => sum + heights[image.n], 0)}px`;
    let last = this.above;
    for (const image of near) {
      if (!cards.has(image)) cards.set(image, this.draw(image));
      const card = cards.get(image);
      // A card that is already in position is not touched: it would lose the focus.
      if (last.nextSibling !== card) last.after(card);
      card.ariaPosInSet = ++from;
      card.ariaSetSize = chosen.length;
      last = card;
    }
  }

  draw(image) {
    const card = make('article', image === this.current ? 'card current' : 'card');
    card.id = `card-${image.n}`;
    card.tabIndex = -1;
    card.setAttribute('aria-labelledby', `title-${image.n}`);
    card.append(make('div', 'inside', ...this.fill(image)));
    this.marked(card, image);
    return card;
  }

  drop(image) {
    this.cards.get(image)?.remove();
    this.cards.delete(image);
  }

  /** Draw the cards again. */
  redraw() {
    for (const image of this.cards.keys()) this.drop(image);
    this.keepUp();
  }

  /** Make an image the current one, which the address then names. */
  go(image, {scroll = true} = {}) {
    const {cards, chosen, heights} = this;
    if (image !== this.current) cards.get(this.current)?.classList.remove('current');
    this.current = image;
    if (scroll) {
      this.keepUp(chosen.slice(0, chosen.indexOf(image)).reduce((sum, {n}) => sum + heights[n], 0));
      cards.get(image).scrollIntoView({block: 'start'});
    }
    const card = cards.get(image);
    card.classList.add('current');
    if (!card.contains(document.activeElement)) card.focus({preventScroll: true});
    history.replaceState(null, '', linkTo(image));
  }

  /** The image so many places on from the current one, or from the first below `top` if that is out of sight. */
  neighbour(by, top) {
    const {chosen} = this;
    const inView = ([, card]) => {
      const bounds = card.getBoundingClientRect();
      return bounds.bottom > top + 20 && bounds.top < window.innerHeight;
    };
    const seen = [...this.cards].filter(inView).map(([image]) => chosen.indexOf(image)).sort((a, b) => a - b);
    const at = chosen.indexOf(this.current);
    return chosen[seen.includes(at) ? at + by : Math.max(0, (seen[0] ?? 0) - (by < 0 ? 1 : 0))];
  }

  /** The image that the address names, if any. */
  linked() {
    const hash = location.hash.slice(1);
    let id = hash;
    try { id = decodeURIComponent(hash); } catch { /* a link that was not made here: taken literally */ }
    return id ? this.images.find(({i}) => i === id || i === hash) : undefined;
  }
}
