// One image as a card: picture and boxes, sentences, scores.

/** Everything in the card of an image; `shown` tells which sources are. */
function cardParts(data, image, shown) {
  const facts = Object.entries(image.f ?? {}).filter(([name]) => !data.common.has(name));
  const shownFacts = [plural(image.b.length, 'box', 'boxes'), ...facts.map(fact => fact.join(': '))];
  const parts = [headOf(image, shownFacts), figureOf(data, image)];
  const groups = data.sources.map((source, s) => [source, image.c.filter(caption => caption[0] === s)]);
  const sections = groups.map(([source, captions]) =>
    make('section', '', ...scored(source.title, image.scores[source.name]), sentences(image, captions)));
  const others = sections.filter((_, s) => s > 0 && shown.has(s));
  const bounds = BOUNDS.filter(bound => image[bound])
    .map(bound => make('section', 'bound', ...scored(bound, image[bound])));
  const columns = [shown.has(0) ? [sections[0]] : [], others].filter(column => column.length);
  if (columns.length) columns.at(-1).push(...bounds);
  return [...parts, ...columns.map(column => make('div', 'said', ...column))];
}

/** The heading of a section: whose it is, and its score as numbers and as a bar. */
function scored(title, score) {
  const head = make('h3', '', make('span', '', title));
  if (!score) return [head];
  const meter = make('div', 'meter', make('i', ''));
  meter.firstChild.style.width = `${100 * score[2]}%`;
  head.append(prf(score));
  return [head, meter];
}

function prf([p, r, f]) {
  const shown = make('span', 'prf', `P ${decimals(p, 2)}  R ${decimals(r, 2)}  `, make('b', '', `F ${decimals(f, 2)}`));
  shown.title = `precision ${decimals(p, 4)}, recall ${decimals(r, 4)}, F ${decimals(f, 4)}`;
  return shown;
}

/** A piece of a sentence: a mention, the name of a class in the colour of its domain, or both. */
function markedOf(image, piece) {
  const mark = piece.find(part => typeof part === 'object');
  if (!mark) return mentionOf(image, piece);
  const [text, ...boxes] = piece.filter(part => part !== mark);
  const name = domainName(mark.d, text);
  if (!boxes.length) return name;
  const mention = mentionOf(image, ['', ...boxes]);
  mention.append(name);
  return mention;
}

function domainName(domain, text) {
  const name = make('span', `domain d${domain}`, text);
  name.title = data.domains[domain];
  return name;
}

function sentences(image, captions) {
  if (!captions.length) return make('p', 'none', 'no caption');
  const list = make('ul', '');
  for (const caption of captions) {
    const pieces = caption[1].map(piece => typeof piece === 'string' ? piece : markedOf(image, piece));
    const item = make('li', '', ...pieces);
    if (captions.length > 1 && caption[2] && captions.some(other => other[2]?.[2] !== caption[2][2])) {
      item.append(' ', prf(caption[2]));
    }
    list.append(item);
  }
  return list;
}
