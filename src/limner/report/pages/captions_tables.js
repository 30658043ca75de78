// The head of the page: what was scored, every value with its interval, differences, subsets, signatures.

const shown = (value, places = 4) => value === null || value === undefined ? '–'
  : Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : decimals(value, places).replace('-', '−');
const signed = value => value === null ? '–' : (value > 0 ? '+' : '') + shown(value);
const pShown = p => p === null ? '–' : p < 0.0001 ? '<.0001' : decimals(p, 4);

function introduce(data) {
  const sizes = data.images.map(image => image.r.length), [few, many] = [Math.min(...sizes), Math.max(...sizes)];
  // Boxes with an owner are those that results bring.
  const boxes = data.images.reduce((sum, image) => sum + image.b.filter(box => box[8] === undefined).length, 0);
  const facts = [...data.common].map(name => `${name}: ${data.images[0].f[name]}`);
  const listed = data.n > data.images.length ? [`the first ${data.images.length.toLocaleString('en')} are listed`] : [];
  const about = [plural(data.n, 'image'), ...listed,
    data.systems.length > 1 ? `${data.systems.length} systems` : data.systems[0].name,
    few === many ? `${plural(few, 'reference')} each` : `${few} to ${many} references each`,
    ...(boxes ? [plural(boxes, 'box', 'boxes')] : []), ...facts];
  byId('about').textContent = about.join(' · ');
  byId('warnings').append(...warningsOf(data).map(text => {
    const item = make('li', '', text, ' ', button('copy', 'Copy'));
    item.lastChild.addEventListener('click', () => copy(text, 'Warning copied'));
    return item;
  }));
  byId('warnings').hidden = !byId('warnings').children.length;
}

/** Warnings, and what was counted when captions and references were joined, with the systems if not all have it. */
function warningsOf(data) {
  const systemsByText = new Map();
  data.systems.forEach((system, s) => {
    const counted = Object.entries(system.counts).map(([what, n]) => `${n.toLocaleString('en')} ${what}`);
    for (const text of [...system.warnings, ...(counted.length ? [`counted: ${counted.join(', ')}`] : [])]) {
      systemsByText.set(text, [...(systemsByText.get(text) ?? []), s]);
    }
  });
  return [...systemsByText].map(([text, whose]) => whose.length === data.systems.length ? text
    : `${whose.map(s => data.systems[s].name).join(', ')}: ${text}`);
}

/** The difference between two systems by a column as it was tested, the first minus the second. */
function differenceOf(differences, column, first, second) {
  for (const [k, a, b, difference, low, high, ...tests] of differences) {
    if (k !== column) continue;
    if (a === first && b === second) return {difference, low, high, tests};
    if (a === second && b === first) {
      const [from, to] = low === null ? [null, null] : [-high, -low];
      return {difference: difference === null ? null : -difference, low: from, high: to, tests};
    }
  }
  return null;
}

/** The table of values; with two systems or more, the differences between the two that are chosen. */
function drawScores(data, {column: chosen, scorer, rival}) {
  const table = byId('scores'), several = data.systems.length > 1;
  const pair = several && rival !== null ? [scorer, rival] : null;
  const heads = [make('th', '', ''), ...data.systems.map((system, s) => headCell(system.name, `s${s % COLOURS}`))];
  const withIntervals = data.values.some(values => values.some(value => value.length > 1));
  if (withIntervals) heads.push(make('th', 'strip', make('span', 'unseen', 'intervals')));
  if (pair) heads.push(headCell('difference'), headCell('p'));
  table.tHead.replaceChildren(make('tr', '', ...heads));
  table.tBodies[0].replaceChildren(...data.columns.map(column => {
    const values = data.values.map(of => of[column.k]), best = surelyBest(values, column, data.differences);
    const row = make('tr', column === chosen ? 'chosen' : '', metricCell(column));
    row.append(...values.map((value, s) => valueCell(value, best === s)));
    if (withIntervals) row.append(make('td', 'strip', stripOf(values)));
    if (pair) row.append(...differenceCells(differenceOf(data.differences, column.k, ...pair), data.n));
    return row;
  }));
  byId('scores-note').textContent = notesOf(data, pair, withIntervals).join(' ');
}

const SURE = 0.05;
const isSure = tested => tested !== null && tested.tests[1] !== null && tested.tests[1] <= SURE;

/** Which system's value is the best, if it differs from every other's by more than chance: by the adjusted p. */
function surelyBest(values, {k, up}, differences) {
  const best = bestOf(values.map(value => value[0]), {up});
  const others = values.map((_, s) => s).filter(s => s !== best && values[s][0] !== null);
  return others.every(s => isSure(differenceOf(differences, k, best, s))) ? best : undefined;
}

/** People's values, and each system's against the references that people meet, if they were asked for. */
function drawPeople(data) {
  byId('people-part').hidden = !data.people.length;
  if (!data.people.length) return;
  const heads = data.people.map(({name}) => headCell(name));
  byId('people').tHead.replaceChildren(make('tr', '', make('th', '', ''), ...heads));
  byId('people').tBodies[0].replaceChildren(...data.peopleColumns.map((name, k) =>
    make('tr', '', wrapping(make('th', '', ''), name), ...data.people.map(({values}) => valueCell(values[k])))));
}

/** An element with a name that may be broken after its underscores. */
function wrapping(element, name) {
  element.append(...name.split(/(?<=_)/).flatMap((part, i) => i ? [make('wbr'), part] : [part]));
  return element;
}

/** What the reader of the table needs to know. */
function notesOf(data, pair, withIntervals) {
  const notes = [], n = number => number.toLocaleString('en');
  if (withIntervals) {
    const confidence = `${Math.round(100 * data.confidence)}%`;
    notes.push(`Below each value is its ${confidence} interval, from ${n(data.samples)} bootstrap samples (BCa).`);
  }
  if (pair && data.differences.length) {
    const names = pair.map(s => data.systems[s].name);
    notes.push(`The difference is ${names[0]} minus ${names[1]}; p comes from a paired randomisation test; `
      + `below it is p adjusted for ${plural(data.tests, 'test')} (Holm). `
      + `Bold: better than every other system, adjusted p at most ${decimals(SURE, 2)}.`);
  }
  if (data.columns.some(column => !column.up)) notes.push('↓: lower is better.');
  for (const {metric, n: nExplained} of data.explained) {
    if (nExplained === data.images.length) continue;
    const which = data.systems.length > 1 ? 'where systems differ most by it, and the lowest' : 'the lowest';
    notes.push(`${metric} explains ${n(nExplained)} of ${plural(data.images.length, 'image')}: ${which}.`);
  }
  return notes;
}

function headCell(text, className = '') {
  const cell = make('th', className, ...(className ? [make('i', 'dot')] : []), text);
  cell.scope = 'col';
  return cell;
}

function metricCell(column) {
  const head = make('th', '', wrapping(column.each ? button('metric', '') : make('span'), column.name));
  if (column.each) head.firstChild.dataset.column = column.k;
  if (!column.up) head.append(' ↓');
  head.scope = 'row';
  return head;
}

function valueCell([value, low, high], isBest = false) {
  const cell = make('td', isBest ? 'best' : '', make('b', '', shown(value)));
  if (low !== undefined) cell.append(make('small', '', low === null ? '–' : `${shown(low)} to ${shown(high)}`));
  return cell;
}

/** A difference and its p; on how many images, if they are fewer than all n. */
function differenceCells(tested, n) {
  if (!tested) return [make('td', '', '–'), make('td', '', '–')];
  const {difference, low, high, tests: [p, adjusted, , nCompared]} = tested, sure = isSure(tested);
  return [
    make('td', sure ? 'sure' : '', make('b', '', signed(difference)),
      make('small', '', low === null ? '–' : `${signed(low)} to ${signed(high)}`),
      ...(nCompared < n ? [make('small', '', `on ${plural(nCompared, 'image')}`)] : [])),
    make('td', sure ? 'sure' : '', make('b', '', pShown(p)), make('small', '', pShown(adjusted))),
  ];
}

/** Every system's interval in one small drawing, on a scale that holds them all. */
function stripOf(values) {
  const numbers = values.flat().filter(value => value !== null);
  const low = Math.min(...numbers), high = Math.max(...numbers);
  const width = 80, row = 10, height = row * values.length + 6;
  const x = value => 6 + (width - 12) * (high > low ? (value - low) / (high - low) : 0.5);
  const drawing = svg('svg', {width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true'});
  values.forEach(([value, from, to], s) => {
    const y = 3 + row * (s + 0.5), mark = svg('g', {class: `s${s % COLOURS}`});
    if (from !== undefined && from !== null) mark.append(svg('path', {d: `M${x(from)} ${y}H${x(to)}`}));
    if (value !== null) mark.append(svg('circle', {cx: x(value), cy: y, r: 3.5}));
    drawing.append(mark);
  });
  return drawing;
}

// Subsets of the images: every metric of one system, or one metric of every system with the difference of two.

function offerSubsets(data, column) {
  byId('subsets').hidden = !data.subsets.length;
  data.subsets.forEach(({key, subsets}, n) => {
    offerOption('subset-key', n, key);
    const options = subsets.map(({name, images: {length}}, p) =>
      new Option(`${name} (${length.toLocaleString('en')})`, `${n} ${p}`));
    byId('subset').append(groupOf(key, options));
  });
  byId('subset-key').closest('label').hidden = data.subsets.length < 2;
  const views = groupOf('all metrics of', data.systems.map((system, s) => new Option(system.name, `s${s}`)));
  const metrics = groupOf('every system by', data.columns.map(({name, k}) => new Option(name, `c${k}`)));
  byId('subset-view').append(...(data.systems.length > 1 ? [metrics, views] : [views, metrics]));
  if (data.systems.length > 1 && column) byId('subset-view').value = `c${column.k}`;
  if (data.subsets.length === 1) byId('subsets-title').textContent = `By ${data.subsets[0].key}`;
}

function groupOf(label, options) {
  const group = make('optgroup', '', ...options);
  group.label = label;
  return group;
}

function drawSubsets(data, {scorer, rival}) {
  if (!data.subsets.length) return;
  const n = Number(byId('subset-key').value), view = byId('subset-view').value;
  const bySystem = view[0] === 's', number = Number(view.slice(1));
  const heads = bySystem ? data.columns.map(column => headCell(column.name))
    : data.systems.map((system, s) => headCell(system.name, `s${s % COLOURS}`));
  const pair = !bySystem && data.systems.length > 1 && rival !== null ? [scorer, rival] : null;
  if (pair) heads.push(headCell('difference'), headCell('p'));
  const cellsOf = (values, differences, n) => bySystem
    ? data.columns.map(({k}) => valueCell(values[number]?.[k] ?? [null]))
    : [...withBest(data.systems.map((_, s) => values[s]?.[number] ?? [null]), data.columns[number], differences),
      ...(pair ? differenceCells(differenceOf(differences, number, ...pair), n) : [])];
  const rowOf = (className, name, images, cells) => make('tr', className, make('th', '', name),
    make('td', '', images.toLocaleString('en')), ...cells);
  const rows = data.subsets[n].subsets.map((subset, p) => {
    const name = button('subset', subset.name);
    name.dataset.subset = `${n} ${p}`;
    return rowOf('', name, subset.n, cellsOf(subset.values, subset.differences, subset.n));
  });
  rows.push(rowOf('all', 'all', data.n, cellsOf(data.values, data.differences, data.n)));
  byId('subset-table').tHead.replaceChildren(make('tr', '', make('th', '', ''), headCell('images'), ...heads));
  byId('subset-table').tBodies[0].replaceChildren(...rows);
}

function withBest(values, column, differences) {
  const best = surelyBest(values, column, differences);
  return values.map((value, s) => valueCell(value, best === s));
}

// Signatures, and the table as text for a paper.

const copy = (text, said) =>
  copyText(text, said, () => say('This browser does not allow copying; select the text instead'));

function drawSignatures(data) {
  byId('signatures').querySelector('ul').append(...data.signatures.map(({text, columns, systems}) => {
    const everybody = [...data.systems, ...data.people], names = systems.map(s => everybody[s].name).join(', ');
    const isOfAll = systems.length === data.systems.length && systems.every(s => s < data.systems.length);
    const what = columns.join(', ') + (isOfAll ? '' : ` of ${names}`);
    const item = make('li', '', make('b', '', what), make('code', '', text), button('copy', 'Copy'));
    item.lastChild.addEventListener('click', () => copy(text, 'Signature copied'));
    return item;
  }));
  byId('copy-signatures').addEventListener('click', () =>
    copy(data.signatures.map(({text}) => text).join('\n'), 'Signatures copied'));
  byId('copy-table').addEventListener('click', () => copy(markdownOf(data), 'Table copied as Markdown'));
}

/** The table of values as Markdown, which spreadsheets and papers take. */
function markdownOf(data) {
  const line = cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const interval = (low, high) => typeof low === 'number' ? ` (${shown(low)} to ${shown(high)})` : '';
  const cell = ([value, low, high]) => shown(value) + interval(low, high);
  const rows = data.columns.map(column => [column.name, ...data.values.map(values => cell(values[column.k]))]);
  return [['', ...data.systems.map(system => system.name)], ['---', ...data.systems.map(() => '---:')], ...rows]
    .map(line).join('\n');
}
