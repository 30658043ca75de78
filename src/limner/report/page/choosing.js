'use strict';
// Which images are shown and in which order: searching, filtering, sorting, means. Nothing here touches the page.

const BOUNDS = ['human', 'oracle'];

/** Adds to the data what choosing needs: names of sources, and each image's number, words and scores. */
function prepare(data) {
  const short = data.sources.map(source => source.name.replace(/^(system|person):/, ''));
  data.sources.forEach((source, i) => {
    const alone = short.indexOf(short[i]) === short.lastIndexOf(short[i]) && !BOUNDS.includes(short[i]);
    source.title = alone ? short[i] : source.name;
  });
  data.scorers = data.sources.filter(source => source.scored).map(source => source.name);
  if (data.images.some(image => image.oracle)) data.scorers.push(...BOUNDS);
  data.images.forEach((image, n) => {
    image.n = n;
    image.c ??= [];
    image.folded = ' ' + fold([...image.c.map(textOf), ...Object.values(image.f ?? {})].join(' ')) + ' ';
    image.id = image.i.toLowerCase();
    image.scores = scoresOf(image, data.sources);
  });
  return data;
}

/** The text of a caption, which comes in pieces. */
function textOf([, pieces]) {
  return pieces.map(piece => typeof piece === 'string' ? piece : piece[0]).join('');
}

/** Words in small letters, without accents or punctuation, one space between two. */
function fold(text) {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** [P, R, F] by scorer: a source with several captions of the image scores their mean. */
function scoresOf(image, sources) {
  const scores = {};
  for (const bound of BOUNDS) if (image[bound]) scores[bound] = image[bound];
  sources.forEach((source, s) => {
    const own = source.scored ? image.c.filter(caption => caption[0] === s && caption[2]) : [];
    if (own.length) scores[source.name] = [0, 1, 2].map(k => own.reduce((sum, c) => sum + c[2][k], 0) / own.length);
  });
  return scores;
}

/** A search's terms: words are found by their beginning, phrases in quotation marks as they stand. */
function termsOf(query) {
  return [...query.matchAll(/"([^"]*)("|$)|[^\s"]+/g)].map(([all, phrase, end]) => {
    const words = fold(phrase ?? all);
    return {id: (phrase ?? all).toLowerCase(), words: words && ' ' + words + (end === '"' ? ' ' : '')};
  }).filter(term => term.id);
}

/** F of a scorer, or how far it is above its rival's; undefined where there is none. */
function scoreOf(image, scorer, rival) {
  const own = image.scores[scorer]?.[2], other = rival ? image.scores[rival]?.[2] : 0;
  return own === undefined || other === undefined ? undefined : own - other;
}

/** The images that are wanted, in the wanted order. */
function choose(data, wanted) {
  const tests = testsOf(data, wanted);
  const chosen = data.images.filter(image => tests.every(test => test(image)));
  if (wanted.sort === 'n') return wanted.descending ? chosen.reverse() : chosen;
  const key = keyOf(data, wanted), sign = wanted.descending ? -1 : 1;
  const keyed = chosen.map(image => [key(image), image]);
  keyed.sort(([a, one], [b, other]) =>
    (a === undefined) - (b === undefined) || (a === b || a === undefined ? one.n - other.n : a < b ? -sign : sign));
  return keyed.map(([, image]) => image);
}

function testsOf(data, wanted) {
  const tests = termsOf(wanted.query).map(term => image =>
    (term.words && image.folded.includes(term.words)) || image.id.includes(term.id));
  if (wanted.label) {
    const labels = labelsLike(data, wanted.label);
    tests.push(image => image.b.some(box => labels.has(box[4])));
  }
  if (wanted.type) {
    const type = data.types.indexOf(wanted.type);
    tests.push(image => image.b.some(box => box[6]?.includes(type)));
  }
  if (wanted.source) {
    const there = wanted.source[0] === '+', source = Number(wanted.source.slice(1));
    tests.push(image => image.c.some(caption => caption[0] === source) === there);
  }
  if (wanted.fact) {
    const [name, value] = JSON.parse(wanted.fact);
    tests.push(image => image.f?.[name] === value);
  }
  if (wanted.from !== '' || wanted.to !== '') {
    const from = wanted.from === '' ? -Infinity : Number(wanted.from) - 1e-6;
    const to = wanted.to === '' ? Infinity : Number(wanted.to) + 1e-6;
    tests.push(image => {
      const score = scoreOf(image, wanted.scorer, wanted.rival);
      return score >= from && score <= to;
    });
  }
  return tests;
}

/** The numbers of the labels that a filter means: that very one, or else all that contain it. */
function labelsLike(data, wanted) {
  const exact = data.labels.indexOf(wanted);
  if (exact >= 0) return new Set([exact]);
  const part = wanted.toLowerCase();
  return new Set(data.labels.flatMap((label, i) => label.toLowerCase().includes(part) ? [i] : []));
}

function keyOf(data, wanted) {
  if (wanted.sort === 'boxes') return image => image.b.length;
  if (wanted.sort === 'score') return image => scoreOf(image, wanted.scorer, wanted.rival);
  if (!data.ranks) {
    const {compare} = new Intl.Collator('en', {numeric: true});
    data.ranks = [];
    [...data.images].sort((a, b) => compare(a.i, b.i)).forEach((image, rank) => { data.ranks[image.n] = rank; });
  }
  return image => data.ranks[image.n];
}

/** Mean [P, R, F] of a scorer over those of the images that it has a score for, and their number. */
function meansOf(images, scorer) {
  const scores = images.map(image => image.scores[scorer]).filter(Boolean);
  return {n: scores.length, means: [0, 1, 2].map(k => scores.reduce((sum, s) => sum + s[k], 0) / scores.length)};
}

/** How many of the items have each value, most frequent first. */
function countsOf(items, valuesOf) {
  const counts = new Map();
  for (const item of items) {
    for (const value of new Set(valuesOf(item))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}
