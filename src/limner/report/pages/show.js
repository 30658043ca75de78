// The page of a corpus: what it says at its head, and what it offers to choose by.

const data = prepare(takeData());
const visible = new Set(data.sources.keys());

const explorer = new Explorer(data, {
  fill: image => cardParts(data, image, visible),
  guess: heightsFor,
  filters: ['label', 'type', 'source', 'fact', 'from', 'to'],
  choose: wanted => choose(data, wanted),
  arranged: summarise,
  keys: {b: () => byId('show-boxes').click(), l: () => byId('show-labels').click()},
});

/** From an image to the height that its card will have, more or less. */
function heightsFor() {
  const width = Math.min(window.innerWidth, 1320) - 32, wide = width > 968, narrow = width <= 668;
  const [picture, column] = wide ? [440, width / 3] : narrow ? [width, width] : [0.37 * width, 0.54 * width];
  return image => {
    const figure = image.w ? Math.min(picture * image.h / image.w, narrow ? 0.7 * window.innerHeight : 440) : 40;
    const lines = image.folded.length * (wide ? 0.6 : 1.1) * 8.3 / column;
    const words = 27 * lines + 8 * image.c.length + 42 * Math.max(1, data.scorers.length - (wide ? 1 : 0));
    return (wide ? 90 : 140) + (narrow ? figure + words : Math.max(figure, words));
  };
}

// The head of the page: what there is, and how well each source does on the images that are shown.

function introduce() {
  const boxes = data.images.reduce((sum, image) => sum + image.b.length, 0);
  const captions = data.images.reduce((sum, image) => sum + image.c.length, 0);
  const facts = [...data.common].map(name => `${name}: ${data.images[0].f[name]}`);
  byId('about').textContent = [plural(data.images.length, 'image'), plural(boxes, 'box', 'boxes'),
    plural(captions, 'caption'), ...facts].join(' · ');
  (data.domains ?? []).forEach((domain, d) => domain && byId('about').append(' · ', domainName(d, domain)));
}

function summarise() {
  const table = byId('summary');
  const rows = [...data.sources.entries()].slice(data.sources.length > 1 ? 0 : 1).map(([s, source]) => {
    const box = make('input', '');
    box.type = 'checkbox';
    box.checked = visible.has(s);
    box.dataset.source = s;
    const n = explorer.chosen.filter(image => image.c.some(caption => caption[0] === s)).length;
    const scored = source.scored ? meansOf(explorer.chosen, source.name) : null;
    const row = summaryRow(make('label', '', box, ' ', source.title), n, scored);
    row.title += `captions of ${plural(n, 'image')}`;
    return row;
  });
  for (const bound of data.scorers.filter(scorer => BOUNDS.includes(scorer))) {
    rows.push(summaryRow(make('span', 'bound', bound), 0, meansOf(explorer.chosen, bound)));
  }
  table.tBodies[0].replaceChildren(...rows);
  table.hidden = !rows.length;
  byId('summary-of').textContent = explorer.chosen.length === data.images.length ? 'Means over all images'
    : `Means over the ${plural(explorer.chosen.length, 'image')} shown`;
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
  offerLabels(data);
  for (const [type, n] of countsOf(data.images, image => image.b.flatMap(box => box[6] ?? []))) {
    offerOption('type', data.types[type], data.types[type], n);
  }
  data.sources.forEach((source, s) => {
    offerOption('source', `+${s}`, `with ${source.title}`);
    offerOption('source', `-${s}`, `without ${source.title}`);
  });
  offerFacts(data);
  for (const scorer of data.scorers) {
    const title = data.sources.find(source => source.name === scorer)?.title ?? scorer;
    offerOption('scorer', scorer, title);
    offerOption('rival', scorer, title);
  }
  hideUnused('type', 'fact', 'label');
  document.body.classList.toggle('scored', data.scorers.length > 0);
  document.body.classList.toggle('alone', data.sources.length === 1);
}

// Whoever picks a score without a range wants to see the order it gives; the form hears of it after this.
for (const id of ['scorer', 'rival']) {
  byId(id).addEventListener('input', () => {
    if (!byId('from').value && !byId('to').value) byId('sort').value = 'score';
  });
}
byId('summary').addEventListener('change', event => {
  const source = Number(event.target.dataset.source);
  if (event.target.checked) visible.add(source); else visible.delete(source);
  explorer.list.redraw();
});

offer();
introduce();
explorer.start();
