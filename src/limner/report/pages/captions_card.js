// One image as a card: what each system says, its scores, the references, and why the scores are what they are.

/** Everything in the card of an image; `meant` is the score that is chosen, `isOpen` whether it tells why. */
function cardParts(data, image, {meant, isOpen, width}) {
  const facts = Object.entries(image.f ?? {}).filter(([name]) => !data.common.has(name));
  const parts = [headOf(image, facts.map(fact => fact.join(': ')))];
  if (image.p || image.b.length) parts.push(figureOf(data, image));
  const said = data.systems.map((system, s) => saidBy(data, image, s));
  parts.push(make('div', 'said', ...said, scoresOf(data, image, meant)));
  const references = make('ul', '', ...image.r.map(text => sentenceOf(image, text)));
  parts.push(make('section', 'references', make('h3', '', plural(image.r.length, 'reference')), references));
  if (image.e) {
    const more = button('more', 'Why');
    more.ariaExpanded = String(isOpen);
    parts.push(more, make('div', 'why', ...(isOpen ? whyParts(data, image, width) : [])));
  } else if (data.explained.length) {
    parts.push(make('p', 'none unexplained', 'not among the explained images'));
  }
  return parts;
}

/** What a system says of the image, under its name where there are several. */
function saidBy(data, image, s) {
  const section = make('section', `system s${s % COLOURS}`);
  if (data.systems.length > 1) section.append(make('h3', '', make('i', 'dot'), data.systems[s].name));
  const said = image.c[s];
  if (!said || !plainOf(said).trim()) {
    section.append(make('p', 'none', said === null ? 'not scored' : 'no caption'));
    return section;
  }
  section.append(make('ul', '', sentenceOf(image, said)));
  const wrong = new Set(hallucinatedIn(said).map(([, classes]) => classes));
  if (wrong.size) section.append(make('p', 'absent', `✗ not there: ${[...wrong].join(', ')}`));
  return section;
}

function sentenceOf(image, said) {
  return make('li', '', ...piecesOf(said).map(piece => typeof piece === 'string' ? piece : markedOf(image, piece)));
}

/** Words that are tied to boxes, or for objects. */
function markedOf(image, piece) {
  const [text, ...rest] = piece, boxes = rest.filter(part => typeof part === 'number'), mark = markOf(piece);
  const element = boxes.length ? mentionOf(image, [text, ...boxes]) : make('mark', 'object', text);
  if (mark?.h) {
    element.classList.add('wrong');
    element.title = `not there: ${mark.h}`;
  }
  return element;
}

/** The image's own values: a cell for each metric, with a bar for each system. */
function scoresOf(data, image, meant) {
  const cells = data.columns.filter(column => column.each).map(column => {
    const name = button('metric', column.name);
    name.dataset.column = column.k;
    const values = data.systems.map((system, s) => valueOf(data, image, s, column.k));
    const best = bestOf(values, column);
    const rows = values.map((value, s) => {
      const text = value === undefined ? '–' : decimals(value, column.top >= 100 ? 0 : 3);
      const row = make('dd', `s${s % COLOURS}`, text);
      row.title = `${data.systems[s].name}: ${value === undefined ? 'no value' : decimals(value, 4)}`;
      row.style.setProperty('--share', Math.max(0, value ?? 0) / column.top);
      row.classList.toggle('best', best === s);
      return row;
    });
    return make('div', column === meant.column ? 'cell chosen' : 'cell', make('dt', '', name), ...rows);
  });
  return make('dl', 'cells', ...cells);
}

/** Which of several systems' values is the best, if one is. */
function bestOf(values, column) {
  const numbers = values.filter(value => value !== undefined && value !== null);
  if (numbers.length < 2) return undefined;
  const best = column.up ? Math.max(...numbers) : Math.min(...numbers);
  // Values that look the same on the page are a tie.
  return numbers.filter(value => Math.abs(value - best) < 0.0005).length === 1 ? values.indexOf(best) : undefined;
}

/** What metrics say of the image: for each that explains itself, a drawing or a list for each system. */
function whyParts(data, image, width) {
  const script = byId(`why-${image.n}`);
  // Explanations come after the program in the file, so one may not be there yet.
  if (!script) return [make('p', 'none', '…')];
  return JSON.parse(script.textContent).flatMap((bySystem, e) => {
    const {metric, kind} = data.explained[e], half = (width - 24) / 2;
    const beside = bySystem.length > 1 && half >= 440 && bySystem.every(why => !why || WHY[kind].width(why) <= half);
    const draw = (why, s) => why ? [WHY[kind].draw(data, s, metric, why, beside ? half : width)] : [];
    const parts = bySystem.flatMap(draw);
    return beside ? [make('div', 'beside', ...parts)] : parts;
  });
}

const WHY = {
  alignment: {
    width: ([said, reference]) => Math.max(placedInRow(said).end, placedInRow(reference).end),
    draw(data, s, metric, [said, reference, matches, number, chunks, ...figures], width) {
      const [p, r, penalty] = figures.map(value => decimals(value, 2));
      const summary = `${plural(matches.length, 'match', 'matches')} with reference ${number + 1}: precision ${p}, `
        + `recall ${r}, penalty ${penalty} for ${plural(chunks, 'chunk')}`;
      const head = whyHead(data, s, metric, summary);
      return make('section', 'because', head, drawAlignment({said, reference, matches}, width), legendOf(matches));
    },
  },
  tuples: {
    width: () => 0,
    draw(data, s, metric, [right, wrong, missed]) {
      const summary = `${right.length} of ${plural(right.length + wrong.length, 'tuple')} in a reference, `
        + `${missed.length} not said`;
      const list = make('ul', 'tuples', ...right.map(([words, same]) => tupleOf(words, 'right', same)),
        ...wrong.map(words => tupleOf(words, 'wrong')), ...missed.map(words => tupleOf(words, 'missed')));
      return make('section', 'because', whyHead(data, s, metric, summary), list);
    },
  },
};

function whyHead(data, s, metric, summary) {
  const whose = data.systems.length > 1 ? `${data.systems[s].name}, ` : '';
  return make('h3', '', make('i', `dot s${s % COLOURS}`), whose + metric, make('small', '', ` ${summary}`));
}

const SIGNS = {right: ['✓', 'in a reference'], wrong: ['✗', 'in no reference'], missed: ['○', 'not said']};

/** What a sentence says is there; `same` is how a reference puts it, where it does so in other words. */
function tupleOf(words, kind, same) {
  const [sign, meaning] = SIGNS[kind];
  const item = make('li', kind, make('span', 'sign', sign), ' ', words.join(' · '));
  if (same) item.append(make('small', '', ` = ${same.join(' · ')}`));
  item.firstChild.ariaLabel = meaning;
  item.title = meaning;
  return item;
}
