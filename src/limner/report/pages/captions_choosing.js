// Which images are shown and in which order. Nothing here touches the page.

/** Adds to the data what choosing and drawing need: numbers, names, and how far the bars of each metric reach. */
function prepare(data) {
  data.images.forEach((image, n) => { image.n = n; });
  data.columns.forEach((column, k) => {
    column.k = k;
    column.top = 0;
    for (const scores of data.scores) for (const value of scores[k] ?? []) if (value > column.top) column.top = value;
    column.top ||= 1;
  });
  data.subsetImages = data.subsets.map(({subsets}) => subsets.map(subset => new Set(subset.images)));
  return data;
}

const piecesOf = said => typeof said === 'string' ? [said] : said;
const plainOf = said => typeof said === 'string' ? said : textOf(said);

/** The words of an image, folded when they are first looked for. */
function foldedOf(image) {
  image.folded ??= ' ' + fold([...image.c.filter(Boolean), ...image.r].map(plainOf)
    .concat(Object.values(image.f ?? {})).join(' ')) + ' ';
  return image.folded;
}

/** An image's own value of a column by a system; undefined where there is none. */
const valueOf = (data, image, s, k) => data.scores[s][k]?.[image.n] ?? undefined;

/** What the form means by "score": a metric, whose, and whose is taken away from it, if any. */
function meantBy(data, wanted) {
  const rival = wanted.rival === '' || wanted.rival === wanted.scorer ? null : Number(wanted.rival);
  return {column: data.columns[Number(wanted.column || 0)], scorer: Number(wanted.scorer || 0), rival};
}

/** The score of an image, or how far it is above its rival's; undefined where there is none. */
function scoreOf(data, image, {column, scorer, rival}) {
  const score = valueOf(data, image, scorer, column.k);
  if (score === undefined || rival === null) return score;
  const rivalScore = valueOf(data, image, rival, column.k);
  return rivalScore === undefined ? undefined : score - rivalScore;
}

/** The images that are wanted, in the wanted order. */
function choose(data, wanted) {
  const tests = testsOf(data, wanted);
  const chosen = data.images.filter(image => tests.every(test => test(image)));
  if (wanted.sort === 'n') return wanted.descending ? chosen.reverse() : chosen;
  return ordered(chosen, keyOf(data, wanted), wanted.descending);
}

function keyOf(data, wanted) {
  const meant = meantBy(data, wanted);
  if (wanted.sort === 'score') return image => scoreOf(data, image, meant);
  if (wanted.sort === 'length') return ({c}) => c[meant.scorer] ? plainOf(c[meant.scorer]).length : undefined;
  if (wanted.sort === 'apart') {
    return image => {
      const score = scoreOf(data, image, meant);
      return score === undefined ? undefined : -Math.abs(score);
    };
  }
  data.ranks ??= ranksById(data.images);
  return image => data.ranks[image.n];
}

function testsOf(data, wanted) {
  const tests = queryTests(wanted.query, foldedOf);
  if (wanted.label) tests.push(labelTest(data, wanted.label));
  if (wanted.fact) tests.push(factTest(wanted.fact));
  if (wanted.subset) {
    const [key, subset] = wanted.subset.split(' ');
    tests.push(image => data.subsetImages[key][subset].has(image.n));
  }
  if (wanted.which) {
    const [which, s] = wanted.which.split(' ');
    tests.push(image => WHICH[which](image, Number(s)));
  }
  if (wanted.from !== '' || wanted.to !== '') {
    const meant = meantBy(data, wanted);
    tests.push(rangeTest(wanted.from, wanted.to, image => scoreOf(data, image, meant)));
  }
  return tests;
}

/** Kinds of captions to ask for: of system s, or of all. */
const WHICH = {
  same: image => new Set(image.c.map(said => said && plainOf(said))).size === 1,
  different: image => !WHICH.same(image),
  hallucinating: (image, s) => hallucinatedIn(image.c[s]).length > 0,
  sound: (image, s) => Boolean(image.c[s]) && !hallucinatedIn(image.c[s]).length,
  lacking: (image, s) => !image.c[s] || !plainOf(image.c[s]).trim(),
};

const markOf = piece => typeof piece === 'string' ? undefined : piece.find(part => typeof part === 'object');

/** The words of a caption for objects that are not there, and their classes. */
function hallucinatedIn(said) {
  if (!said || typeof said === 'string') return [];
  return said.filter(piece => markOf(piece)?.h).map(piece => [piece[0], markOf(piece).h]);
}
