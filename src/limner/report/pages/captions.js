// The page of caption scores: it ties the form to the head of the page and to the list.

const data = prepare(takeData());
const opened = new Set();

const explorer = new Explorer(data, {
  fill: image => cardParts(data, image, {
    meant: meantBy(data, explorer.wanted()), isOpen: isOpen(image), width: innerWidthOf(),
  }),
  guess: heightsFor,
  filters: ['subset', 'which', 'label', 'fact', 'from', 'to'],
  choose: wanted => choose(data, wanted),
  arranged: wanted => drawHead(meantBy(data, wanted)),
  keys: {
    e: () => explorer.list.current && toggleWhy(explorer.list.current),
    E: () => byId('why-all').click(),
    b: () => byId('show-boxes').click(),
    l: () => byId('show-labels').click(),
    s: () => sortBy(byId('sort').value === 'score' ? 'n' : 'score'),
  },
});

function isOpen(image) { return opened.has(image) !== byId('why-all').checked; }

/** The width of what stands in a card. */
function innerWidthOf() { return Math.max(200, byId('list').clientWidth - 36); }

/** From an image to the height that its card will have, more or less. */
function heightsFor() {
  const width = Math.min(window.innerWidth, 1320) - 80, narrow = width <= 620, wide = width > 920;
  const systems = data.systems.length, cells = data.columns.filter(column => column.each).length;
  const tallest = narrow ? 0.7 * window.innerHeight : 320;
  return image => {
    const drawn = image.p || image.b.length;
    const figure = drawn && image.w ? Math.min((narrow ? width : 320) * image.h / image.w, tallest) : 0;
    const column = narrow ? width : (width - (drawn ? 340 : 0)) / (wide ? 2 : 1);
    const lines = texts => texts.reduce((sum, said) => sum + Math.ceil(plainOf(said ?? '').length * 8.2 / column), 0);
    const rows = Math.ceil(cells / Math.max(1, Math.floor(column / 90)));
    const said = 27 * lines(image.c) + (systems > 1 ? 34 : 8) * systems + rows * (32 + 22 * systems);
    const references = 30 + 27 * lines(image.r) + 6 * image.r.length;
    const words = wide ? Math.max(said, references) : said + references;
    const why = image.e ? (isOpen(image) ? 300 : 40) : 0;
    return 80 + (narrow ? figure + words : Math.max(figure, words)) + why;
  };
}

let drawn = '', meantNow = null;
/** Draw what depends on the score that is meant, if it is another now. */
function drawHead(meant) {
  const now = [meant.column.k, meant.scorer, meant.rival].join();
  if (now === drawn) return;
  drawn = now;
  meantNow = meant;
  drawScores(data, meant);
  drawSpread(data, meant);
  for (const element of document.querySelectorAll('.cell')) {
    element.classList.toggle('chosen', Number(element.querySelector('.metric').dataset.column) === meant.column.k);
  }
  drawSubsets(data, meant);
}

function offer() {
  const several = data.systems.length > 1;
  document.body.classList.toggle('several', several);
  const columns = data.columns.filter(column => column.each);
  columns.forEach(column => offerOption('column', column.k, column.name));
  data.systems.forEach((system, s) => {
    offerOption('scorer', s, system.name);
    offerOption('rival', s, system.name);
  });
  // The form goes back to these when it is cleared.
  const standing = columns.findIndex(column => column.name === 'cider');
  if (columns.length) byId('column').options[Math.max(0, standing)].defaultSelected = true;
  if (several) {
    byId('rival').options[2].defaultSelected = true;
    byId('sort').querySelector('[value=apart]').defaultSelected = true;
  }
  offerCaptions(several);
  offerLabels(data);
  offerFacts(data, data.subsets.map(({key}) => key));
  offerSubsets(data, columns[Math.max(0, standing)]);
  hideUnused('subset', 'which', 'label', 'fact');
  byId('show-why').hidden = byId('help-why').hidden = !data.explained.length;
  byId('help-objects').hidden = !data.objects;
  const boxed = data.images.some(image => image.b.length);
  for (const element of document.querySelectorAll('.needs-boxes')) element.hidden = !boxed;
  const owned = data.images.some(image => image.b.some(box => box[8] !== undefined));
  for (const element of document.querySelectorAll('.needs-owned')) element.hidden = !owned;
}

/** Kinds of captions that there are. */
function offerCaptions(several) {
  const option = (value, text) => {
    const n = data.images.filter(testsOf(data, {query: '', from: '', to: '', which: value})[0]).length;
    if (n && n < data.images.length) offerOption('which', value, text, n);
  };
  if (several) {
    option('different', 'not all the same');
    option('same', 'the same');
  }
  data.systems.forEach((system, s) => {
    const whose = several ? `${system.name}: ` : '';
    if (data.objects) {
      option(`hallucinating ${s}`, `${whose}with objects not there`);
      option(`sound ${s}`, `${whose}with none`);
    }
    option(`lacking ${s}`, `${whose}without a caption`);
  });
}

function sortBy(way, descending = false) {
  byId('sort').value = way;
  byId('direction').ariaPressed = String(descending);
  explorer.rearrange();
}

/** Make a metric the one that is meant, and sort by it. */
function mean(k) {
  byId('column').value = k;
  const way = byId('sort').value;
  sortBy(way === 'apart' ? way : 'score', byId('direction').ariaPressed === 'true');
}

function toggleWhy(image) {
  if (!image.e) return;
  if (!opened.delete(image)) opened.add(image);
  tellWhy(image);
}

/** Draw anew, in the cards that are there, why their images score so: for all, or for one. */
function tellWhy(only) {
  for (const [image, card] of explorer.list.cards) {
    if (!image.e || (only && only !== image)) continue;
    card.querySelector('.more').ariaExpanded = String(isOpen(image));
    card.querySelector('.why').replaceChildren(...(isOpen(image) ? whyParts(data, image, innerWidthOf()) : []));
  }
  explorer.list.keepUp();
}

byId('list').addEventListener('click', event => {
  const card = event.target.closest('.card');
  if (card && event.target.closest('.more')) toggleWhy(explorer.list.imageOf(card));
});
document.addEventListener('click', event => {
  const metric = event.target.closest('.metric'), bar = event.target.closest('.bars button');
  const subset = event.target.closest('button.subset'), end = event.target.closest('[data-end]');
  const link = event.target.closest('.ends a');
  if (metric) mean(metric.dataset.column);
  if (bar) {
    [byId('from').value, byId('to').value] = [bar.dataset.from, bar.dataset.to];
    explorer.rearrange();
    explorer.toBeginning();
  }
  if (subset) {
    byId('subset').value = subset.dataset.subset;
    explorer.rearrange();
    explorer.toBeginning();
  }
  if (end) {
    const {column} = meantBy(data, explorer.wanted());
    sortBy('score', (end.dataset.end === '0') === column.up);
    explorer.toBeginning();
  }
  if (link) opened.add(data.images.find(image => linkTo(image) === link.getAttribute('href')));
});
// Whoever picks a score without a range wants to see the order it gives; the form hears of it after this.
for (const id of ['column', 'scorer', 'rival']) {
  byId(id).addEventListener('input', () => {
    if (id !== 'column' && byId('rival').value === byId('scorer').value) byId('rival').value = '';
    if (byId('from').value || byId('to').value) return;
    if (byId('sort').value !== 'apart' || byId('rival').value === '') byId('sort').value = 'score';
  });
}
byId('jump').addEventListener('click', event => {
  event.preventDefault();
  explorer.toBeginning();
});
byId('why-all').addEventListener('change', () => {
  opened.clear();
  explorer.list.guessHeights();
  tellWhy();
});
for (const id of ['subset-key', 'subset-view']) byId(id).addEventListener('change', () => drawSubsets(data, meantNow));
let width = window.innerWidth;
window.addEventListener('resize', () => {
  // Alignments are drawn for the width there is.
  if (width !== window.innerWidth) tellWhy();
  width = window.innerWidth;
});
document.addEventListener('DOMContentLoaded', () => tellWhy());

introduce(data);
drawPeople(data);
offer();
drawSignatures(data);
const linked = explorer.list.linked();
if (linked) opened.add(linked);
explorer.start();
