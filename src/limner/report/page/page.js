// The page: it keeps the list in step with the form, fills cards as they come near, and answers pointer and keys.

const byId = id => document.getElementById(id);
const form = byId('bar'), list = byId('list');
const data = prepare(JSON.parse(byId('data').textContent));
byId('data').remove();
// Facts that hold of every image are told once, at the top.
data.common = new Set(Object.entries(data.images[0].f ?? {})
  .filter(([name, value]) => data.images.every(image => image.f?.[name] === value)).map(([name]) => name));

const visible = new Set(data.sources.keys());
let chosen = data.images, current = null, pinned = null;

// The list: only the cards near the view are there; room is kept above and below for the others, of the heights that
// they had or, until they were seen, are guessed to have.

const MARGIN = 900, GAP = 16;
const cards = new Map();
const above = make('div', 'room'), below = make('div', 'room');
const imageOf = card => data.images[Number(card.id.slice(5))];
let heights = [];

function guessHeights() {
  const width = Math.min(window.innerWidth, 1320) - 32, wide = width > 968, narrow = width <= 668;
  const [picture, column] = wide ? [440, width / 3] : narrow ? [width, width] : [0.37 * width, 0.54 * width];
  heights = data.images.map(image => {
    const figure = image.w ? Math.min(picture * image.h / image.w, narrow ? 0.7 * window.innerHeight : 440) : 40;
    const lines = image.folded.length * (wide ? 0.6 : 1.1) * 8.3 / column;
    const words = 27 * lines + 8 * image.c.length + 42 * Math.max(1, data.scorers.length - (wide ? 1 : 0));
    return (wide ? 90 : 140) + (narrow ? figure + words : Math.max(figure, words));
  });
}

/** Bring the cards near the view, or near a place so many pixels down the list, and let the others go. */
function keepUp(place = -list.getBoundingClientRect().top) {
  for (const [image, card] of cards) heights[image.n] = card.getBoundingClientRect().height + GAP;
  let before = 0, from = 0;
  while (from < chosen.length && before + heights[chosen[from].n] < place - MARGIN) before += heights[chosen[from++].n];
  let after = before, to = from;
  while (to < chosen.length && after < place + window.innerHeight + MARGIN) after += heights[chosen[to++].n];
  const near = new Set(chosen.slice(from, to));
  for (const [image, card] of cards) {
    if (near.has(image)) continue;
    card.remove();
    cards.delete(image);
  }
  above.style.height = `${before}px`;
  below.style.height = `${chosen.slice(to).reduce((sum, image) => sum + heights[image.n], 0)}px`;
  let last = above;
  for (const image of near) {
    if (!cards.has(image)) cards.set(image, draw(image));
    const card = cards.get(image);
    // A card that is in its place stays untouched, and keeps the focus.
    if (last.nextSibling !== card) last.after(card);
    card.ariaPosInSet = ++from;
    card.ariaSetSize = chosen.length;
    last = card;
  }
}

function draw(image) {
  const card = make('article', image === current ? 'card current' : 'card');
  card.id = `card-${image.n}`;
  card.tabIndex = -1;
  card.setAttribute('aria-labelledby', `title-${image.n}`);
  card.append(make('div', 'inside', ...cardParts(data, image, visible)));
  markFound(card, image);
  return card;
}

function redraw() {
  for (const [image, card] of cards) {
    card.remove();
    cards.delete(image);
  }
  keepUp();
}

// Choosing: the form is the only place that knows what is wanted.

function wanted() {
  const values = Object.fromEntries(new FormData(form));
  return {scorer: '', rival: '', from: '', to: '', ...values, descending: byId('direction').ariaPressed === 'true'};
}

function arrange() {
  const now = wanted();
  chosen = choose(data, now);
  if (!chosen.includes(current)) current = null;
  const [n, noun] = plural(data.images.length, 'image').split(' ');
  const share = chosen.length === data.images.length ? n : `${chosen.length.toLocaleString('en')} of ${n}`;
  document.body.classList.toggle('some', share !== n);
  byId('count').replaceChildren(share, make('i', '', ` ${noun}`));
  byId('nothing').hidden = chosen.length > 0;
  const filters = ['label', 'type', 'source', 'fact', 'from', 'to'].filter(name => now[name]).length;
  byId('toggle').textContent = filters ? `Filter (${filters})` : 'Filter';
  byId('clear').hidden = !filters && !now.query;
  summarise();
}

/** The form changed: show the beginning of what it asks for. */
function rearrange() {
  arrange();
  const top = byId('bar').offsetTop;
  if (window.scrollY > top) window.scrollTo(0, top);
  keepUp();
  cards.forEach(markFound);
}

function reset() {
  form.reset();
  byId('direction').ariaPressed = 'false';
  rearrange();
}

/** What was searched for is marked where it stands, and boxes of the label that was asked for. */
const found = 'highlights' in CSS ? new Highlight() : null;
if (found) CSS.highlights.set('found', found);

function markFound(card, image) {
  const {query, label} = wanted();
  const labels = label ? labelsLike(data, label) : new Set();
  for (const box of card.querySelectorAll('.box')) {
    box.classList.toggle('sought', labels.has(image.b[box.dataset.boxes][4]));
  }
  if (!found) return;
  for (const range of found) {
    if (!range.startContainer.isConnected || card.contains(range.startContainer)) found.delete(range);
  }
  const terms = [...query.matchAll(/"([^"]+)|[^\s"]+/g)].map(([all, phrase]) => (phrase ?? all).trim()).filter(Boolean);
  if (!terms.length) return;
  const escaped = terms.map(term => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})`, 'giu');
  for (const item of card.querySelectorAll('li')) {
    const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      for (const match of walker.currentNode.data.matchAll(pattern)) {
        const range = new Range();
        range.setStart(walker.currentNode, match.index);
        range.setEnd(walker.currentNode, match.index + match[0].length);
        found.add(range);
      }
    }
  }
}

// The head of the page: what there is, and how well each source does on the images that are shown.

function introduce() {
  const boxes = data.images.reduce((sum, image) => sum + image.b.length, 0);
  const captions = data.images.reduce((sum, image) => sum + image.c.length, 0);
  const facts = [...data.common].map(name => `${name}: ${data.images[0].f[name]}`);
  byId('about').textContent = [plural(data.images.length, 'image'), plural(boxes, 'box', 'boxes'),
    plural(captions, 'caption'), ...facts].join(' · ');
}

function summarise() {
  const table = byId('summary');
  const rows = [...data.sources.entries()].slice(data.sources.length > 1 ? 0 : 1).map(([s, source]) => {
    const box = make('input', '');
    box.type = 'checkbox';
    box.checked = visible.has(s);
    box.dataset.source = s;
    const n = chosen.filter(image => image.c.some(caption => caption[0] === s)).length;
    const scored = source.scored ? meansOf(chosen, source.name) : null;
    const row = summaryRow(make('label', '', box, ' ', source.title), n, scored);
    row.title += `captions of ${plural(n, 'image')}`;
    return row;
  });
  for (const bound of data.scorers.filter(scorer => BOUNDS.includes(scorer))) {
    rows.push(summaryRow(make('span', 'bound', bound), 0, meansOf(chosen, bound)));
  }
  table.tBodies[0].replaceChildren(...rows);
  table.hidden = !rows.length;
  byId('summary-of').textContent = chosen.length === data.images.length ? 'Means over all images'
    : `Means over the ${plural(chosen.length, 'image')} shown`;
}

function summaryRow(name, n, scored) {
  const head = make('th', '', name);
  head.scope = 'row';
  const row = make('tr', '', head, make('td', '', (scored?.n ?? n).toLocaleString('en')));
  for (const k of [0, 1, 2]) row.append(make('td', '', scored?.n ? decimals(scored.means[k], 4) : '–'));
  if (scored?.n) {
    row.lastChild.classList.add('barred');
    row.lastChild.style.setProperty('--share', scored.means[2]);
    row.title = `scored on ${plural(scored.n, 'image')}; `;
  }
  return row;
}

function offer() {
  const option = (select, value, text, n) => {
    byId(select).append(new Option(n ? `${text} (${n.toLocaleString('en')})` : text, value));
  };
  for (const [label] of countsOf(data.images, image => image.b.map(box => data.labels[box[4]]))) {
    option('labels', label, '');
  }
  for (const [type, n] of countsOf(data.images, image => image.b.flatMap(box => box[6] ?? []))) {
    option('type', data.types[type], data.types[type], n);
  }
  data.sources.forEach((source, s) => {
    option('source', `+${s}`, `with ${source.title}`);
    option('source', `-${s}`, `without ${source.title}`);
  });
  const facts = countsOf(data.images, image => Object.entries(image.f ?? {}).map(fact => JSON.stringify(fact)));
  const values = countsOf(facts, ([fact]) => [JSON.parse(fact)[0]]);
  // A fact that is different for most images, such as an address, is found by searching.
  const few = new Set(values.filter(([name, n]) => n <= 60 && !data.common.has(name)).map(([name]) => name));
  for (const [fact, n] of facts) {
    const [name, value] = JSON.parse(fact);
    if (few.has(name)) option('fact', fact, `${name}: ${value}`, n);
  }
  for (const scorer of data.scorers) {
    const title = data.sources.find(source => source.name === scorer)?.title ?? scorer;
    option('scorer', scorer, title);
    option('rival', scorer, title);
  }
  for (const [select, n] of [['type', 1], ['fact', 1], ['label', 0]]) {
    byId(select).closest('label').hidden = (byId(select).list ?? byId(select)).children.length <= n;
  }
  document.body.classList.toggle('scored', data.scorers.length > 0);
  document.body.classList.toggle('alone', data.sources.length === 1);
}

// Moving about: one image is the current one, and the address names it.

function go(image, {scroll = true} = {}) {
  if (!image) return;
  if (image !== current) {
    release();
    cards.get(current)?.classList.remove('current');
    current = image;
  }
  if (scroll) {
    keepUp(chosen.slice(0, chosen.indexOf(image)).reduce((sum, {n}) => sum + heights[n], 0));
    cards.get(image).scrollIntoView({block: 'start'});
  }
  const card = cards.get(image);
  card.classList.add('current');
  if (!card.contains(document.activeElement)) card.focus({preventScroll: true});
  history.replaceState(null, '', linkTo(image));
}

/** The image so many places on from the current one, or from the first in view if that is out of sight. */
function step(by) {
  const bar = form.getBoundingClientRect().bottom;
  const inView = ([, card]) => {
    const {top, bottom} = card.getBoundingClientRect();
    return bottom > bar + 20 && top < window.innerHeight;
  };
  const seen = [...cards].filter(inView).map(([image]) => chosen.indexOf(image)).sort((a, b) => a - b);
  const at = chosen.indexOf(current);
  go(chosen[seen.includes(at) ? at + by : Math.max(0, (seen[0] ?? 0) - (by < 0 ? 1 : 0))]);
}

function stepMention(by) {
  if (!cards.has(current)) step(1);
  if (!cards.has(current)) return;
  const mentions = [...cards.get(current).querySelectorAll('mark[data-boxes]')];
  const at = mentions.indexOf(document.activeElement);
  const next = mentions[at < 0 ? (by > 0 ? 0 : mentions.length - 1) : (at + by + mentions.length) % mentions.length];
  if (!next) return;
  pin(next);
  next.focus({preventScroll: true});
  next.scrollIntoView({block: 'nearest'});
  const labels = boxesOf(next).map(box => data.labels[current.b[box][4]]);
  say(`${next.textContent}: ${[...new Set(labels)].join(', ')}`, 'quiet');
}

/** Follow the address: to the image it names, with all filters cleared if they hide it. */
function follow() {
  const hash = location.hash.slice(1);
  let id = hash;
  try { id = decodeURIComponent(hash); } catch { /* a link that was not made here: taken as it stands */ }
  const image = id && data.images.find(({i}) => i === id || i === hash);
  if (!image) return;
  if (!chosen.includes(image)) reset();
  go(image);
}

async function copyLink(image) {
  const link = location.href.split('#')[0] + linkTo(image);
  try {
    await navigator.clipboard.writeText(link);
    say('Link copied');
  } catch {
    history.replaceState(null, '', linkTo(image));
    say('The link is in the address bar');
  }
}

let fading;
function say(text, className = '') {
  const toast = byId('toast');
  toast.textContent = text;
  toast.className = `toast shown ${className}`;
  clearTimeout(fading);
  fading = setTimeout(() => toast.classList.remove('shown'), 1800);
}

// Lighting up: what the pointer is on, or what was clicked, tapped or reached by key and stays lit.

function pin(element) {
  release();
  pinned = element.closest('.card');
  light(pinned, imageOf(pinned), boxesOf(element));
}

function release() {
  if (pinned) light(pinned, imageOf(pinned), []);
  pinned = null;
}

let pointed = null;
list.addEventListener('pointerover', event => {
  const target = event.target.closest('[data-boxes]'), card = event.target.closest('.card');
  if (pointed && pointed !== card && pointed !== pinned) light(pointed, imageOf(pointed), []);
  pointed = card;
  if (card && card !== pinned) light(card, imageOf(card), target ? boxesOf(target) : []);
});
list.addEventListener('pointerleave', () => {
  if (pointed && pointed !== pinned) light(pointed, imageOf(pointed), []);
  pointed = null;
});
list.addEventListener('click', event => {
  const card = event.target.closest('.card'), target = event.target.closest('[data-boxes]');
  if (!card) return;
  const image = imageOf(card), again = target && pinned === card && target.classList.contains('on');
  release();
  if (event.target.closest('.copy')) copyLink(image);
  else if (event.target.closest('a')) event.preventDefault();
  go(image, {scroll: Boolean(event.target.closest('h2 a'))});
  if (target && !again) pin(target);
});

// Keys. Those with a modifier, and those typed into a field, are left to the browser.

const KEYS = {
  j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
  ArrowRight: () => stepMention(1), ArrowLeft: () => stepMention(-1),
  '/': () => byId('query').select(), '?': () => byId('help').showModal(),
  b: () => byId('show-boxes').click(), l: () => byId('show-labels').click(),
  c: () => current && copyLink(current), Escape: release,
};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  if (event.target.matches('input:not([type=checkbox]), select')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

form.addEventListener('submit', event => event.preventDefault());
form.addEventListener('input', event => {
  if (event.target.name) rearrange();
});
byId('direction').addEventListener('click', () => {
  byId('direction').ariaPressed = String(byId('direction').ariaPressed !== 'true');
  rearrange();
});
// Whoever picks a score without a range wants to see the order it gives; the form hears of it after this.
for (const id of ['scorer', 'rival']) {
  byId(id).addEventListener('input', () => {
    if (!byId('from').value && !byId('to').value) byId('sort').value = 'score';
  });
}
byId('toggle').addEventListener('click', () => {
  byId('toggle').ariaExpanded = String(form.classList.toggle('open'));
});
byId('clear').addEventListener('click', reset);
byId('clear-too').addEventListener('click', reset);
byId('ask').addEventListener('click', () => byId('help').showModal());
byId('skip').addEventListener('click', event => { event.preventDefault(); step(1); });
for (const what of ['boxes', 'labels']) {
  const box = byId(`show-${what}`);
  const set = () => document.body.classList.toggle(`no-${what}`, !box.checked);
  box.addEventListener('change', set);
  set();
}
byId('summary').addEventListener('change', event => {
  const source = Number(event.target.dataset.source);
  if (event.target.checked) visible.add(source); else visible.delete(source);
  redraw();
});
const clearBar = () => document.documentElement.style.setProperty('--bar', `${form.offsetHeight}px`);
new ResizeObserver(clearBar).observe(form);
window.addEventListener('hashchange', follow);
window.addEventListener('scroll', () => keepUp(), {passive: true});
let width = window.innerWidth;
window.addEventListener('resize', () => {
  // Phones change the height of the view with every swipe; only another width makes other heights.
  if (width !== window.innerWidth) guessHeights();
  width = window.innerWidth;
  keepUp();
});
document.addEventListener('DOMContentLoaded', () => {
  document.querySelectorAll('img[data-waiting]').forEach(develop);
});

list.append(above, below);
guessHeights();
offer();
introduce();
arrange();
clearBar();
keepUp();
follow();
