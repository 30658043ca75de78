// Which images are shown and in which order, and their means. Nothing here touches the page.

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
    const said = image.c.map(([, pieces]) => textOf(pieces));
    image.folded = ' ' + fold([...said, ...Object.values(image.f ?? {})].join(' ')) + ' ';
    image.scores = scoresOf(image, data.sources);
  });
  return data;
}

/** [P, R, F] by scorer: a source with several captions of the image scores their mean. */
function scoresOf(image, sources) {
  const scores = {};
  for (const bound of BOUNDS) if (image[bound]) scores[bound] = image[bound];
  sources.forEach((source, s) => {
    const scored = source.scored ? image.c.filter(caption => caption[0] === s && caption[2]) : [];
    const mean = k => scored.reduce((sum, caption) => sum + caption[2][k], 0) / scored.length;
    if (scored.length) scores[source.name] = [0, 1, 2].map(mean);
  });
  return scores;
}

/** F of a scorer, or how far it is above its rival's; undefined where there is none. */
function scoreOf(image, scorer, rival) {
  const score = image.scores[scorer]?.[2], rivalScore = rival ? image.scores[rival]?.[2] : 0;
  return score === undefined || rivalScore === undefined ? undefined : score - rivalScore;
}

/** The images that are wanted, in the wanted order. */
function choose(data, wanted) {
  const tests = testsOf(data, wanted);
  const chosen = data.images.filter(image => tests.every(test => test(image)));
  if (wanted.sort === 'n') return wanted.descending ? chosen.reverse() : chosen;
  return ordered(chosen, keyOf(data, wanted), wanted.descending);
}

function testsOf(data, wanted) {
  const tests = queryTests(wanted.query, image => image.folded);
  if (wanted.label) tests.push(labelTest(data, wanted.label));
  if (wanted.type) {
    const type = data.types.indexOf(wanted.type);
    tests.push(image => image.b.some(box => box[6]?.includes(type)));
  }
  if (wanted.source) {
    const isWanted = wanted.source[0] === '+', source = Number(wanted.source.slice(1));
    tests.push(image => image.c.some(caption => caption[0] === source) === isWanted);
  }
  if (wanted.fact) tests.push(factTest(wanted.fact));
  if (wanted.from !== '' || wanted.to !== '') {
    tests.push(rangeTest(wanted.from, wanted.to, image => scoreOf(image, wanted.scorer, wanted.rival)));
  }
  return tests;
}

function keyOf(data, wanted) {
  if (wanted.sort === 'boxes') return image => image.b.length;
  if (wanted.sort === 'score') return image => scoreOf(image, wanted.scorer, wanted.rival);
  data.ranks ??= ranksById(data.images);
  return image => data.ranks[image.n];
}

/** Mean [P, R, F] of a scorer over those of the images that it has a score for, and their number. */
function meansOf(images, scorer) {
  const scores = images.map(image => image.scores[scorer]).filter(Boolean);
  return {n: scores.length, means: [0, 1, 2].map(k => scores.reduce((sum, s) => sum + s[k], 0) / scores.length)};
}
