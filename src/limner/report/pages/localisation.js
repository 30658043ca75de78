// The page of localisation scores: which captions are shown, in which order.

const data = takeData();
// A card is a caption.
data.noun = 'caption';
data.images.forEach((image, n) => {
  image.n = n;
  image.folded = ' ' + fold(textOf(image.c)) + ' ';
});

const asked = () => ({type: byId('type').value, error: byId('error').value, system: Number(byId('system').value || 0)});

const explorer = new Explorer(data, {
  fill: image => cardParts(data, image, asked()),
  guess: heightsFor,
  filters: ['type', 'error'],
  choose,
  arranged: () => explorer?.list.redraw(),
  keys: {b: () => byId('show-boxes').click(), l: () => byId('show-labels').click()},
});

/** The captions that have what is searched for and a phrase that is asked for, in the order that is asked for. */
function choose({query, sort, descending}) {
  const wanted = asked(), tests = queryTests(query, image => image.folded);
  const chosen = data.images.filter(image =>
    tests.every(test => test(image)) && image.m.some(mention => isAsked(data, mention, wanted)));
  data.ranks ??= ranksById(data.images);
  const share = image => image.m.filter(mention => mention.s[wanted.system].e === 0).length / image.m.length;
  const keys = {n: image => image.n, id: image => data.ranks[image.n], right: share, phrases: image => image.m.length};
  return ordered(chosen, keys[sort] ?? keys.n, descending);
}

function heightsFor() {
  const width = Math.min(window.innerWidth, 1320) - 80, views = window.innerWidth > 700 ? 1 + data.systems.length : 1;
  return image => {
    const figure = image.w ? Math.min(width / views * image.h / image.w, 400) : 40;
    return 190 + figure * (window.innerWidth > 700 ? 1 : 1 + data.systems.length) + 34 * Math.ceil(image.m.length / 3);
  };
}

function offer() {
  for (const type of data.byType) offerOption('type', type, type, data.systems[0].types[type][0]);
  data.sources.forEach((_, e) => {
    const n = data.systems[0].errors[e];
    if (data.systems.some(system => system.errors[e])) offerOption('error', e, SOURCE_TITLES[e], n);
  });
  data.systems.forEach((system, s) => offerOption('system', s, system.name));
  byId('system').closest('label').hidden = data.systems.length < 2;
  hideUnused('type', 'error');
  byId('list').style.setProperty('--n-views', 1 + data.systems.length);
}

/** Choose what a part of a figure stands for. */
document.querySelector('.figures').addEventListener('click', event => {
  const part = event.target.closest('[data-error], [data-type]');
  if (!part) return;
  if (part.dataset.type !== undefined) byId('type').value = part.dataset.type;
  if (part.dataset.error !== undefined) byId('error').value = part.dataset.error;
  if (part.dataset.system !== undefined) byId('system').value = part.dataset.system;
  explorer.rearrange();
  explorer.toBeginning();
});

offer();
introduce(data);
explorer.start();
