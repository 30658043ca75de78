// One caption as a card: its words, people's boxes beside each system's, and what became of each phrase.

// Style classes of the sources of error, in the order of the data.
const SOURCE_CLASSES = ['right', 'partly', 'no-answer', 'other', 'no-proposal', 'poor', 'background'];
const SOURCE_TITLES = ['right', 'partly right', 'no answer', 'another phrase’s box', 'no proposal', 'poor overlap', 'background'];

/** Everything in the card of a caption; `wanted` tells which phrases are asked for. */
function cardParts(data, image, wanted) {
  const right = image.m.filter(mention => mention.s[wanted.system].e === 0).length;
  const parts = [headOf(image, [`${right} of ${plural(image.m.length, 'phrase')} right`])];
  const views = [['people', image.m.flatMap(mention => mention.g)],
    ...data.systems.map((system, s) => [system.name, image.m.flatMap(mention => mention.s[s].a)])];
  parts.push(sentenceOf(data, image, wanted));
  for (const [title, boxes] of views) parts.push(make('section', 'view', make('h3', '', title), viewOf(data, image, boxes)));
  parts.push(make('ul', 'outcomes', ...image.m.map((mention, m) => outcomeOf(data, image, m, wanted))));
  return parts;
}

/** The picture with some of the boxes. */
function viewOf(data, image, boxes) {
  const figure = figureOf(data, {...image, n: image.g, b: []});
  figure.setAttribute('aria-label', describe(data, {...image, b: boxes.map(box => image.b[box])}));
  const area = ([x0, y0, x1, y1]) => (x1 - x0) * (y1 - y0);
  const order = [...boxes].sort((a, b) => area(image.b[b]) - area(image.b[a]));
  figure.querySelector('.frame')?.append(...order.map(box => boxOf(data, image, box)));
  return figure;
}

/** All boxes of a phrase, gold's and the answers'. */
const boxesOfMention = mention => [...mention.g, ...mention.s.flatMap(outcome => outcome.a)];

const isAsked = (data, mention, {type, error, system}) =>
  (type === '' || mention.t.some(t => data.types[t] === type)) && (error === '' || mention.s[system].e === Number(error));

function sentenceOf(data, image, wanted) {
  const item = make('li', '', ...image.c.map(piece => {
    if (typeof piece === 'string') return piece;
    const mention = image.m[piece[1]];
    const element = mentionOf(image, [piece[0], ...boxesOfMention(mention)]);
    element.classList.toggle('faint', !isAsked(data, mention, wanted));
    element.classList.toggle('wrong', mention.s[wanted.system].e !== 0);
    return element;
  }));
  return make('ul', 'said', item);
}

/** What became of a phrase: for each system whether its box is right, and if not, why. */
function outcomeOf(data, image, m, wanted) {
  const mention = image.m[m], words = image.c.find(piece => piece[1] === m && typeof piece !== 'string')[0];
  const head = make('p', '', make('b', '', words), make('span', 'types', mention.t.map(t => data.types[t]).join(', ')));
  const item = make('li', '', head);
  item.classList.add(...colourClasses(m));
  item.classList.toggle('faint', !isAsked(data, mention, wanted));
  item.dataset.boxes = boxesOfMention(mention).join(' ');
  mention.s.forEach((outcome, s) => {
    const verdict = make('span', `verdict ${SOURCE_CLASSES[outcome.e]}`, SOURCE_TITLES[outcome.e]);
    const row = make('p', '', ...(data.systems.length > 1 ? [make('small', '', data.systems[s].name)] : []), verdict);
    if (outcome.o) row.append(make('span', '', `(${outcome.o})`));
    const more = [];
    if (outcome.v !== undefined) more.push(`IoU ${decimals(outcome.v, 2)}`);
    if (outcome.e !== 0 && outcome.r) more.push(`right at rank ${outcome.r}`);
    if (more.length) row.append(make('small', '', more.join(', ')));
    item.append(row);
    if (outcome.x) {
      const cues = Object.entries(outcome.x).map(([name, value]) => make('span', '', `${name} ${decimals(value, 2)}`));
      item.append(make('div', 'cues', ...cues));
    }
  });
  return item;
}
