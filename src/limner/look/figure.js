// A picture with its boxes, the words for them, and how both are highlighted.

const COLOURS = 6;

function mentionOf(image, [text, ...boxes]) {
  const mention = make('mark', boxes.length ? 'mention' : 'mention nowhere', text);
  if (!boxes.length) {
    mention.title = 'no box';
    return mention;
  }
  mention.dataset.boxes = boxes.join(' ');
  mention.tabIndex = -1;
  const colours = [...new Set(boxes.map(box => image.b[box][5]))];
  mention.classList.add(...colourClasses(colours[0]));
  if (colours.length > 1) {
    const step = 100 / colours.length;
    const stripes = colours.map((c, i) => `var(--c${c % COLOURS}) ${i * step}% ${(i + 1) * step}%`);
    mention.style.borderImage = `linear-gradient(to right, ${stripes.join(', ')}) 1`;
  }
  return mention;
}

/** Six colours; beyond them the same again, dashed, then dotted. */
function colourClasses(colour) {
  if (colour < 0) return ['unsaid'];
  return [`c${colour % COLOURS}`, ['solid', 'dashed', 'dotted'][Math.floor(colour / COLOURS) % 3]];
}

function figureOf(data, image) {
  const figure = make('figure', image.p ? 'picture' : 'picture layout');
  figure.setAttribute('role', 'img');
  figure.setAttribute('aria-label', describe(data, image));
  if (!image.w) {
    figure.append(make('p', 'none', 'no picture and no boxes'));
    return figure;
  }
  figure.style.setProperty('--ratio', Math.min(4, Math.max(0.25, image.w / image.h)));
  const frame = make('div', 'frame');
  figure.append(frame);
  if (image.p) frame.append(pictureOf(image));
  const area = box => (box[2] - box[0]) * (box[3] - box[1]);
  // Large boxes lie below small ones, so that each can be pointed at.
  const order = image.b.map((_, i) => i).sort((a, b) => area(image.b[b]) - area(image.b[a]));
  frame.append(...order.map(i => boxOf(data, image, i)));
  return figure;
}

/** The figure in words, for screen readers. */
function describe(data, image) {
  const labels = countsOf(image.b, box => [data.labels[box[4]]]).slice(0, 20);
  const counted = labels.map(([label, n]) => n > 1 ? `${n} × ${label}` : label).join(', ');
  return `${image.p ? 'Picture' : 'Layout'} with ${plural(image.b.length, 'box', 'boxes')}: ${counted}`;
}

function pictureOf(image) {
  const picture = new Image();
  picture.alt = '';
  picture.decoding = 'async';
  picture.draggable = false;
  if (typeof image.p === 'string') {
    picture.src = image.p;
  } else {
    // Pictures come after the program in the file, so one may not be there yet.
    picture.dataset.waiting = image.n;
    develop(picture);
  }
  return picture;
}

/** Give a picture its data, once the browser has read that far into the file. */
function develop(picture) {
  const script = document.getElementById(`picture-${picture.dataset.waiting}`);
  if (!script) return;
  picture.src = `data:${script.type};base64,${script.textContent}`;
  delete picture.dataset.waiting;
}

function boxOf(data, image, i) {
  const [x0, y0, x1, y1, label, colour, types = [], notes = [], owner] = image.b[i];
  const box = make('div', 'box');
  box.classList.add(...colourClasses(colour));
  box.dataset.boxes = i;
  const {style} = box;
  style.left = `${100 * x0 / image.w}%`;
  style.top = `${100 * y0 / image.h}%`;
  style.width = `${100 * (x1 - x0) / image.w}%`;
  style.height = `${100 * (y1 - y0) / image.h}%`;
  // A label that does not fit its box stands above or below it, and never leaves the picture on the right.
  box.classList.toggle('far', x0 > 0.7 * image.w);
  box.classList.toggle('high', y0 < 0.08 * image.h);
  box.classList.toggle('tiny', x1 - x0 < 0.08 * image.w || y1 - y0 < 0.08 * image.h);
  const said = make('span', 'label', data.labels[label]);
  const more = [...types.map(type => data.types[type]), ...notes];
  if (owner !== undefined) {
    box.classList.add('owned');
    more.push(data.sources[owner].title);
  }
  if (more.length) said.append(make('small', '', ' ' + more.join(', ')));
  box.append(said);
  return box;
}

/** Highlight boxes of a card and the words for them, and veil the rest; without boxes, remove the highlight. */
function light(card, image, boxes) {
  const lit = new Set(boxes), named = new Set();
  card.classList.toggle('lit', lit.size > 0);
  for (const element of card.querySelectorAll('[data-boxes]')) {
    const box = boxesOf(element).find(box => lit.has(box));
    element.classList.toggle('on', box !== undefined);
    if (box === undefined) continue;
    const [, , , , label, colour] = image.b[box];
    element.style.setProperty('--lit', colour < 0 ? 'var(--unsaid)' : `var(--c${colour % COLOURS})`);
    // One label is enough for a heap of small boxes.
    element.classList.toggle('named', named.has(label));
    if (element.matches('.box')) named.add(label);
  }
  for (const veil of card.querySelectorAll('.veil')) veil.remove();
  if (!lit.size || !image.p) return;
  // A card may show its picture several times, each time with other boxes.
  card.querySelectorAll('.frame').forEach((frame, k) => {
    const drawn = [...frame.querySelectorAll('.box')].flatMap(boxesOf);
    frame.append(veilOf(image, drawn.filter(box => lit.has(box)), k));
  });
}

const boxesOf = element => element.dataset.boxes.split(' ').map(Number);

/** A shadow over the picture with holes where the boxes are. */
function veilOf(image, lit, k) {
  const size = {width: image.w, height: image.h};
  const holes = lit.map(i => image.b[i]).map(([x, y, x1, y1]) =>
    svg('rect', {x, y, width: x1 - x, height: y1 - y, fill: '#000'}));
  const id = `veil-${image.n}-${k}`;
  const mask = svg('mask', {id}, svg('rect', {...size, fill: '#fff'}), ...holes);
  const shadow = svg('rect', {...size, mask: `url(#${id})`});
  return svg('svg', {class: 'veil', viewBox: `0 0 ${image.w} ${image.h}`, preserveAspectRatio: 'none'}, mask, shadow);
}
