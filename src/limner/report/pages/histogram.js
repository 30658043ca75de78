// How an image's score, or the difference between two systems, is spread over the images, and its two ends.

const BINS = 25, END = 3;

/** Redraw the panel for the score that is meant. */
function drawSpread(data, meant) {
  const {column, scorer, rival} = meant;
  const names = [scorer, rival].map(s => data.systems[s]?.name);
  const scored = data.images.map(image => [scoreOf(data, image, meant), image])
    .filter(([score]) => score !== undefined);
  byId('spread').hidden = !scored.length;
  if (!scored.length) return;
  const whose = data.systems.length > 1 ? ` of ${names[0]}` : '';
  byId('spread-title').textContent = rival === null ? `Images by ${column.name}${whose}`
    : `Where they differ by ${column.name}`;
  byId('histogram').replaceChildren(histogramOf(scored.map(([score]) => score), meant));
  const count = test => plural(scored.filter(([score]) => test(score)).length, 'image');
  byId('spread-note').textContent = rival === null ? middleOf(scored)
    : `${names[0]} is higher on ${count(score => score > 0)}, ${names[1]} on ${count(score => score < 0)}; `
      + `equal on ${count(score => score === 0)}.`;
  const leading = [...scored].sort(([a, first], [b, second]) => (column.up ? b - a : a - b) || first.n - second.n);
  const ends = [leading.slice(0, END), leading.slice(-END).reverse()];
  const titles = rival === null ? ['Best', 'Worst'] : names.map(name => `${name} is furthest ahead`);
  byId('ends').replaceChildren(...ends.map((end, i) => endOf(data, meant, titles[i], end, i)));
}

function middleOf(scored) {
  const sorted = scored.map(([score]) => score).sort((a, b) => a - b);
  const at = share => shown(sorted[Math.round(share * (sorted.length - 1))], 3);
  return `Half of the images are below ${at(0.5)}; a tenth below ${at(0.1)}, a tenth above ${at(0.9)}.`;
}

/** Where each of the bars begins, and where the last ends: round numbers that hold every score. */
function edgesOf(scores) {
  let low = Infinity, high = -Infinity;
  for (const score of scores) [low, high] = [Math.min(low, score), Math.max(high, score)];
  const rough = Math.max(1e-3, (high - low) / BINS), unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(times => times * unit).find(size => size >= rough - 1e-12);
  const first = Math.floor(low / step + 1e-9), last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * step).toPrecision(10)));
}

function histogramOf(scores, {column, scorer, rival}) {
  const edges = edgesOf(scores), counts = new Array(edges.length - 1).fill(0), step = edges[1] - edges[0];
  const binOf = score => Math.min(counts.length - 1, Math.max(0, Math.floor((score - edges[0]) / step + 1e-9)));
  for (const score of scores) counts[binOf(score)]++;
  const most = Math.max(...counts);
  const bars = counts.map((n, i) => {
    const bar = button('', '');
    const ahead = edges[i] >= 0 === column.up ? scorer : rival ?? scorer;
    bar.className = `s${(rival === null ? scorer : ahead) % COLOURS}`;
    bar.style.setProperty('--share', n / most);
    [bar.dataset.from, bar.dataset.to] = [edges[i], edges[i + 1]];
    bar.title = `${shown(edges[i], 3)} to ${shown(edges[i + 1], 3)}: ${plural(n, 'image')}`;
    bar.ariaLabel = bar.title;
    bar.disabled = !n;
    return bar;
  });
  const ends = [edges[0], ...(edges[0] < 0 && edges.at(-1) > 0 ? [0] : []), edges.at(-1)];
  const axis = make('div', 'axis', ...ends.map(at => {
    const mark = make('span', '', at ? shown(at, Math.abs(at) >= 1 ? 1 : 2) : '0');
    mark.style.setProperty('--at', (at - edges[0]) / (edges.at(-1) - edges[0]));
    return mark;
  }));
  return make('div', 'histogram', make('div', 'bars', ...bars), axis);
}

/** The images at one end, and a button that puts all images in that order. */
function endOf(data, {scorer, rival}, title, end, isLast) {
  const all = button('copy', 'All in this order');
  all.dataset.end = isLast;
  const items = end.map(([score, image]) => {
    const link = make('a', '', image.i);
    link.href = linkTo(image);
    const said = [scorer, rival].filter(s => s !== null).map(s =>
      make('span', `line s${s % COLOURS}`, ...(rival === null ? [] : [make('i', 'dot')]),
        image.c[s] ? plainOf(image.c[s]) : '–'));
    const value = make('b', '', rival === null ? shown(score, 3) : signed(score));
    return make('li', '', make('span', 'line', link, ' ', value), ...said);
  });
  return make('section', '', make('h3', '', title, ' ', all), make('ol', '', ...items));
}
