// Exploring: keeps the list in step with the form, and answers pointer and keys.

class Explorer {
  /**
   * `filters` names the fields that count as filters, `choose(wanted)` returns the images that the form asks for,
   * `arranged(wanted)` is called after each choice, `keys` are the page's additional keys.
   */
  constructor(data, {fill, guess, filters, choose, arranged, keys = {}}) {
    Object.assign(this, {data, filters, choose, arranged});
    this.form = byId('bar');
    this.highlight = 'highlights' in CSS ? new Highlight() : null;
    if (this.highlight) CSS.highlights.set('found', this.highlight);
    this.pinned = this.pointed = null;
    this.list = new CardList(byId('list'), data.images, {
      fill, guess, marked: (card, image) => this.markMatches(card, image),
    });
    this.listenToForm();
    this.listenToPointer();
    this.listenToKeys(keys);
    this.listenToWindow();
  }

  start() {
    this.arrange();
    this.clearBar();
    this.list.keepUp();
    this.follow();
  }

  get chosen() { return this.list.chosen; }

  // Choosing: only the form knows what is wanted.

  wanted() {
    const values = Object.fromEntries(new FormData(this.form));
    return {label: '', scorer: '', rival: '', from: '', to: '', ...values,
      descending: byId('direction').ariaPressed === 'true'};
  }

  arrange() {
    const now = this.wanted(), {list, data} = this;
    list.chosen = this.choose(now);
    if (!list.chosen.includes(list.current)) list.current = null;
    const [n, noun] = plural(data.images.length, data.noun ?? 'image').split(' ');
    const share = list.chosen.length === data.images.length ? n : `${list.chosen.length.toLocaleString('en')} of ${n}`;
    document.body.classList.toggle('some', share !== n);
    byId('count').replaceChildren(share, make('i', '', ` ${noun}`));
    byId('nothing').hidden = list.chosen.length > 0;
    const filters = this.filters.filter(name => now[name]).length;
    byId('toggle').textContent = filters ? `Filter (${filters})` : 'Filter';
    byId('clear').hidden = !filters && !now.query;
    this.arranged(now);
  }

  /** The form has changed: show the beginning of the new choice. */
  rearrange() {
    // Otherwise the browser scrolls to keep in view what was there before.
    const {style} = this.list.host;
    style.overflowAnchor = 'none';
    requestAnimationFrame(() => { style.overflowAnchor = ''; });
    this.arrange();
    if (window.scrollY > this.beginning) this.toBeginning();
    this.list.keepUp();
    this.list.cards.forEach((card, image) => this.markMatches(card, image));
  }

  /** Where the bar is while it does not stick; its own offset would tell where it is stuck. */
  get beginning() { return this.list.host.parentElement.offsetTop - this.form.offsetHeight - GAP; }

  toBeginning() { window.scrollTo(0, this.beginning); }

  reset() {
    this.form.reset();
    byId('direction').ariaPressed = 'false';
    this.rearrange();
  }

  listenToForm() {
    this.form.addEventListener('submit', event => event.preventDefault());
    this.form.addEventListener('input', event => {
      if (event.target.name) this.rearrange();
    });
    byId('direction').addEventListener('click', () => {
      byId('direction').ariaPressed = String(byId('direction').ariaPressed !== 'true');
      this.rearrange();
    });
    byId('toggle').addEventListener('click', () => {
      byId('toggle').ariaExpanded = String(this.form.classList.toggle('open'));
    });
    byId('clear').addEventListener('click', () => this.reset());
    byId('clear-too').addEventListener('click', () => this.reset());
    byId('ask').addEventListener('click', () => byId('help').showModal());
    byId('skip').addEventListener('click', event => { event.preventDefault(); this.step(1); });
    for (const box of document.querySelectorAll('.shows [data-hides]')) {
      const set = () => document.body.classList.toggle(box.dataset.hides, !box.checked);
      box.addEventListener('change', set);
      set();
    }
  }

  /** Mark what was searched for in a card, and the boxes of the label that was asked for. */
  markMatches(card, image) {
    const {query, label} = this.wanted(), {highlight} = this;
    const labels = label ? labelsLike(this.data, label) : new Set();
    for (const box of card.querySelectorAll('.box')) {
      box.classList.toggle('sought', labels.has(image.b[box.dataset.boxes][4]));
    }
    if (!highlight) return;
    for (const range of highlight) {
      // A range whose text is gone has collapsed.
      if (range.collapsed || card.contains(range.startContainer)) highlight.delete(range);
    }
    const terms = [...query.matchAll(/"([^"]+)|[^\s"]+/g)].map(([all, phrase]) => (phrase ?? all).trim());
    const escaped = terms.filter(Boolean).map(term => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    if (!escaped.length) return;
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})`, 'giu');
    for (const item of card.querySelectorAll('li')) {
      const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        for (const match of walker.currentNode.data.matchAll(pattern)) {
          const range = new Range();
          range.setStart(walker.currentNode, match.index);
          range.setEnd(walker.currentNode, match.index + match[0].length);
          highlight.add(range);
        }
      }
    }
  }

  // Moving about.

  go(image, how) {
    if (!image) return;
    if (image !== this.list.current) this.release();
    this.list.go(image, how);
  }

  step(by) { this.go(this.list.neighbour(by, this.form.getBoundingClientRect().bottom)); }

  /** Follow the address: to the image it names, with all filters cleared if they hide it. */
  follow() {
    const image = this.list.linked();
    if (!image) return;
    if (!this.chosen.includes(image)) this.reset();
    this.go(image);
  }

  copyLink(image) {
    copyText(location.href.split('#')[0] + linkTo(image), 'Link copied', () => {
      history.replaceState(null, '', linkTo(image));
      say('The link is in the address bar');
    });
  }

  stepMention(by) {
    const {list} = this;
    if (!list.cards.has(list.current)) this.step(1);
    if (!list.cards.has(list.current)) return;
    const mentions = [...list.cards.get(list.current).querySelectorAll('mark[data-boxes]')];
    const at = mentions.indexOf(document.activeElement);
    const next = mentions[at < 0 ? (by > 0 ? 0 : mentions.length - 1) : (at + by + mentions.length) % mentions.length];
    if (!next) return;
    this.pin(next);
    next.focus({preventScroll: true});
    next.scrollIntoView({block: 'nearest'});
    const labels = boxesOf(next).map(box => this.data.labels[list.current.b[box][4]]);
    say(`${next.textContent}: ${[...new Set(labels)].join(', ')}`, 'quiet');
  }

  // Highlighting: what the pointer is on, or what was clicked, tapped or reached by key and stays highlighted.

  pin(element) {
    this.release();
    this.pinned = element.closest('.card');
    this.light(this.pinned, boxesOf(element));
  }

  release() {
    if (this.pinned) this.light(this.pinned, []);
    this.pinned = null;
  }

  light(card, boxes) { light(card, this.list.imageOf(card), boxes); }

  listenToPointer() {
    const {host} = this.list;
    host.addEventListener('pointerover', event => {
      const target = event.target.closest('[data-boxes]'), card = event.target.closest('.card');
      if (this.pointed && this.pointed !== card && this.pointed !== this.pinned) this.light(this.pointed, []);
      this.pointed = card;
      if (card && card !== this.pinned) this.light(card, target ? boxesOf(target) : []);
    });
    host.addEventListener('pointerleave', () => {
      if (this.pointed && this.pointed !== this.pinned) this.light(this.pointed, []);
      this.pointed = null;
    });
    host.addEventListener('click', event => {
      const card = event.target.closest('.card'), target = event.target.closest('[data-boxes]');
      if (!card) return;
      const image = this.list.imageOf(card);
      const again = target && this.pinned === card && target.classList.contains('on');
      this.release();
      if (event.target.closest('.copy')) this.copyLink(image);
      else if (event.target.closest('a')) event.preventDefault();
      this.go(image, {scroll: Boolean(event.target.closest('h2 a'))});
      if (target && !again) this.pin(target);
    });
  }

  // Keys. The browser handles those with a modifier and those typed into a field.

  listenToKeys(pageKeys) {
    const keys = {
      j: () => this.step(1), ArrowDown: () => this.step(1), k: () => this.step(-1), ArrowUp: () => this.step(-1),
      ArrowRight: () => this.stepMention(1), ArrowLeft: () => this.stepMention(-1),
      '/': () => byId('query').select(), '?': () => byId('help').showModal(),
      c: () => this.list.current && this.copyLink(this.list.current), Escape: () => this.release(), ...pageKeys,
    };
    document.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
      if (event.target.matches('input:not([type=checkbox]), select')) {
        if (event.key === 'Escape') event.target.blur();
        return;
      }
      const action = keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }

  /** Cards that are scrolled to stay below the bar. */
  clearBar() { document.documentElement.style.setProperty('--bar', `${this.form.offsetHeight}px`); }

  listenToWindow() {
    new ResizeObserver(() => this.clearBar()).observe(this.form);
    window.addEventListener('hashchange', () => this.follow());
    window.addEventListener('scroll', () => this.list.keepUp(), {passive: true});
    let width = window.innerWidth;
    window.addEventListener('resize', () => {
      // Phones change the height of the view with every swipe; only the width changes the heights of cards.
      if (width !== window.innerWidth) this.list.guessHeights();
      width = window.innerWidth;
      this.list.keepUp();
    });
    document.addEventListener('DOMContentLoaded', () => {
      document.querySelectorAll('img[data-waiting]').forEach(develop);
    });
  }
}

// What every page offers to choose by.

function offerLabels(data) {
  for (const [label] of countsOf(data.images, image => image.b.map(box => data.labels[box[4]]))) {
    offerOption('labels', label, '');
  }
}

/** Facts to choose by, except those that are offered elsewhere. */
function offerFacts(data, offered = []) {
  const facts = countsOf(data.images, image => Object.entries(image.f ?? {}).map(fact => JSON.stringify(fact)));
  const values = countsOf(facts, ([fact]) => [JSON.parse(fact)[0]]);
  // A fact that differs for most images, such as a URL, is left to the search.
  const excluded = new Set([...data.common, ...offered]);
  const few = new Set(values.filter(([name, n]) => n <= 60 && !excluded.has(name)).map(([name]) => name));
  for (const [fact, n] of facts) {
    const [name, value] = JSON.parse(fact);
    if (few.has(name)) offerOption('fact', fact, `${name}: ${value}`, n);
  }
}
