// Finding words and putting images in order. Nothing here touches the page.

/** The text of a caption, which comes in pieces. */
const textOf = pieces => pieces.map(piece => typeof piece === 'string' ? piece : piece[0]).join('');

/** Words in small letters, without accents or punctuation, one space between two. */
function fold(text) {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** A search's terms: words match by their beginning, phrases in quotation marks exactly. */
function termsOf(query) {
  return [...query.matchAll(/"([^"]*)("|$)|[^\s"]+/g)].map(([all, phrase, end]) => {
    const words = fold(phrase ?? all);
    return {id: (phrase ?? all).toLowerCase(), words: words && ' ' + words + (end === '"' ? ' ' : '')};
  }).filter(term => term.id);
}

/** One test for each term of a query; `foldedOf` gives an image's words, folded, between spaces. */
function queryTests(query, foldedOf) {
  return termsOf(query).map(term => image =>
    (term.words && foldedOf(image).includes(term.words)) || image.i.toLowerCase().includes(term.id));
}

/** Whether a score is within bounds that are numbers as they were typed, or empty. */
function rangeTest(from, to, scoreOf) {
  const low = from === '' ? -Infinity : Number(from) - 1e-6, high = to === '' ? Infinity : Number(to) + 1e-6;
  return image => {
    const score = scoreOf(image);
    return score >= low && score <= high;
  };
}

/** The images sorted by a key, those without one last; ties keep their order. */
function ordered(images, key, descending) {
  const sign = descending ? -1 : 1;
  const keyed = images.map(image => [key(image), image]);
  keyed.sort(([a, first], [b, second]) =>
    (a === undefined) - (b === undefined) || (a === b || a === undefined ? first.n - second.n : a < b ? -sign : sign));
  return keyed.map(([, image]) => image);
}

/** The rank of each image by its id, where 9 comes before 10. */
function ranksById(images) {
  const {compare} = new Intl.Collator('en', {numeric: true}), ranks = [];
  [...images].sort((a, b) => compare(a.i, b.i)).forEach((image, rank) => { ranks[image.n] = rank; });
  return ranks;
}

/** The numbers of the labels that a filter means: the label itself, or else all that contain it. */
function labelsLike(data, wanted) {
  const exact = data.labels.indexOf(wanted);
  if (exact >= 0) return new Set([exact]);
  const text = wanted.toLowerCase();
  return new Set(data.labels.flatMap((label, i) => label.toLowerCase().includes(text) ? [i] : []));
}

/** Whether an image has a box of a label like that. */
function labelTest(data, wanted) {
  const labels = labelsLike(data, wanted);
  return image => image.b.some(box => labels.has(box[4]));
}

/** Whether a fact, its name and value as JSON, is true of an image. */
function factTest(wanted) {
  const [name, value] = JSON.parse(wanted);
  return image => image.f?.[name] === value;
}

/** How many of the items have each value, most frequent first. */
function countsOf(items, valuesOf) {
  const counts = new Map();
  for (const item of items) {
    for (const value of new Set(valuesOf(item))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}
