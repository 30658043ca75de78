// The head of the page of localisation: values, sources of error, types and confusions.

const percent = share => `${(100 * share).toFixed(share < 0.0995 && share > 0 ? 1 : 0)} %`;
const width = share => `${100 * share}%`;

function introduce(data) {
  const {protocol, iou, nms} = data.choices;
  const candidates = [...new Set(data.systems.map(system => system.candidates))].join(', ');
  byId('about').textContent = [plural(data.nImages, 'image'), plural(data.n, 'phrase'), `candidates: ${candidates}`,
    `protocol ${protocol}`, `IoU ≥ ${decimals(iou, 2)}`, nms === null ? 'no NMS' : `NMS ${decimals(nms, 2)}`].join(' · ');
  const warnings = [...new Set(data.systems.flatMap(system => system.warnings))];
  byId('warnings').append(...warnings.map(warning => make('li', '', warning)));
  byId('warnings').hidden = !warnings.length;
  byId('signatures').append(...data.systems.map(system => make('li', '', `${system.name}: ${system.signature}`)));
  showScores(data);
  showErrors(data);
  showTypes(data);
  showConfusions(data);
}

function rowOf(head, ...cells) {
  const first = make('th', '', head);
  first.scope = 'row';
  return make('tr', '', first, ...cells.map(cell => make('td', '', cell)));
}

function headRow(table, ...names) {
  byId(table).tHead.append(make('tr', '', ...names.map(name => {
    const cell = make('th', '', name);
    cell.scope = 'col';
    return cell;
  })));
}

function showScores(data) {
  headRow('scores', '', ...data.values);
  for (const system of data.systems) {
    const cells = system.values.map((value, v) => {
      const cell = make('span', '', value === null ? '–' : decimals(value, 3));
      const interval = system.intervals[v];
      if (interval) cell.append(make('br', ''), make('small', '', interval.map(bound => decimals(bound, 2)).join('–')));
      return cell;
    });
    byId('scores').tBodies[0].append(rowOf(system.name, ...cells));
  }
}

function showErrors(data) {
  const host = byId('errors');
  data.systems.forEach((system, s) => {
    const parts = system.errors.map((n, e) => [n, e]).filter(([n]) => n).map(([n, e]) => {
      const part = button(SOURCE_CLASSES[e], n / data.n >= 0.1 ? percent(n / data.n) : '');
      part.style.flexGrow = n;
      part.style.flexBasis = 0;
      part.title = `${SOURCE_TITLES[e]}: ${n.toLocaleString('en')} phrases, ${percent(n / data.n)}`;
      Object.assign(part.dataset, {error: e, system: s});
      return part;
    });
    const names = data.systems.length > 1 ? [make('p', '', system.name)] : [];
    host.append(make('div', 'stack', ...names, make('div', '', ...parts)));
  });
  const seen = data.sources.map((_, e) => e).filter(e => data.systems.some(system => system.errors[e]));
  host.append(make('div', 'legend', ...seen.map(e => {
    const item = button('', '');
    item.append(make('i', `dot ${SOURCE_CLASSES[e]}`), SOURCE_TITLES[e]);
    Object.assign(item.dataset, {error: e});
    return item;
  })));
}

function showTypes(data) {
  const several = data.systems.length > 1;
  headRow('types', 'type', 'phrases', ...data.systems.map(system => several ? system.name : 'R@1'));
  for (const type of data.byType) {
    const name = button('', type);
    name.dataset.type = type;
    const cells = data.systems.map(system => {
      const [, first, , , bound] = system.types[type];
      const meter = make('div', 'meter', make('b', ''), make('i', ''));
      meter.firstChild.style.width = width(bound);
      meter.lastChild.style.width = width(first);
      meter.title = `R@1 ${decimals(first, 3)}, bound ${decimals(bound, 3)}`;
      return make('div', 'measured', meter, make('span', '', decimals(first, 3)));
    });
    byId('types').tBodies[0].append(rowOf(name, data.systems[0].types[type][0].toLocaleString('en'), ...cells));
  }
}

/** The confusions of the first system in %; each row adds up to 100. */
function showConfusions(data) {
  const {confusions} = data.systems[0], rows = Object.keys(confusions);
  byId('confusions-panel').hidden = !rows.length;
  const columns = data.byType.filter(type => rows.some(row => confusions[row][type]));
  headRow('confusions', '%', ...columns, 'phrases');
  for (const row of rows) {
    const n = Object.values(confusions[row]).reduce((sum, count) => sum + count, 0);
    const cells = columns.map(column => (confusions[row][column] ?? 0) / n);
    const made = rowOf(row, ...cells.map(share => share ? (100 * share).toFixed(0) : ''), n.toLocaleString('en'));
    cells.forEach((share, i) => made.cells[i + 1].style.setProperty('--share', share));
    byId('confusions').tBodies[0].append(made);
  }
}
