// How a caption's words were matched with a reference's: a drawing of two rows of words with lines between them or,
// where the rows are too long for the page, of two columns.

const MATCHES = ['exact', 'stem', 'synonym', 'paraphrase'];
const WORD = {font: '15px system-ui, "DejaVu Sans", sans-serif', height: 22, space: 12, gap: 46, margin: 4};

const ruler = new OffscreenCanvas(1, 1).getContext('2d');
function widthOf(word) {
  ruler.font = WORD.font;
  return ruler.measureText(word).width;
}

/** `said` and `reference` are words; a match is [start, length, start in the reference, length, kind]. */
function drawAlignment({said, reference, matches}, width) {
  const rows = [said, reference].map(words => placedInRow(words));
  const across = Math.max(...rows.map(row => row.end)) <= width;
  const columns = across ? null : placedInColumns(said, reference, width);
  const [top, bottom] = across ? rows : columns;
  const [w, h] = across ? [Math.max(top.end, bottom.end), 2 * WORD.height + WORD.gap]
    : [width, Math.max(said.length, reference.length) * WORD.height + 2 * WORD.margin];
  const drawing = svg('svg', {class: 'alignment', width: w, height: h, viewBox: `0 0 ${w} ${h}`, role: 'img',
    'aria-label': alignmentInWords(said, reference, matches)});
  const matched = [new Set(), new Set()];
  for (const [a, n, b, m, kind] of matches) {
    for (let i = a; i < a + n; i++) matched[0].add(i);
    for (let i = b; i < b + m; i++) matched[1].add(i);
    drawing.append(across ? lineDown(top.positions, bottom.positions, a, n, b, m, kind)
      : lineAcross(top.positions, bottom.positions, a, n, b, m, kind));
  }
  const rowsDown = across ? WORD.height + WORD.gap : 0;
  [[said, top.positions, 0], [reference, bottom.positions, rowsDown]].forEach(([words, positions, y], r) => {
    drawing.append(...words.map((word, i) => svg('text', {
      x: positions[i].x, y: y + (positions[i].y ?? 0) + 16, class: matched[r].has(i) ? 'matched' : 'unmatched',
    }, word)));
  });
  return drawing;
}

function placedInRow(words) {
  let x = WORD.margin;
  const positions = words.map(word => {
    const position = {x, width: widthOf(word)};
    x += position.width + WORD.space;
    return position;
  });
  return {positions, end: x - WORD.space + WORD.margin};
}

function placedInColumns(said, reference, width) {
  const widest = Math.max(0, ...said.map(widthOf)), right = Math.min(width * 0.6, Math.max(widest + 60, width * 0.4));
  const column = (words, x) => ({positions: words.map((word, i) => (
    {x, y: WORD.margin + i * WORD.height, width: Math.min(widthOf(word), right - 24)}))});
  return [column(said, WORD.margin), column(reference, right)];
}

function lineDown(top, bottom, a, n, b, m, kind) {
  const ends = (row, from, n) => [row[from].x, row[from + n - 1].x + row[from + n - 1].width];
  const [[left, right], [low, high]] = [ends(top, a, n), ends(bottom, b, m)];
  const [x, u] = [(left + right) / 2, (low + high) / 2], y = WORD.height, v = y + WORD.gap - 1;
  // Matched words are underlined above and overlined below, so that one sees which words the line is for.
  return svg('g', {class: `match ${MATCHES[kind]}`}, svg('path', {d: `M${left} ${y}H${right}`}),
    svg('path', {d: `M${low} ${v}H${high}`}),
    svg('path', {d: `M${x} ${y}C${x} ${y + WORD.gap / 2} ${u} ${v - WORD.gap / 2} ${u} ${v}`}));
}

function lineAcross(left, right, a, n, b, m, kind) {
  const x = Math.max(...left.slice(a, a + n).map(position => position.x + position.width)) + 5, u = right[b].x - 5;
  const y = (left[a].y + left[a + n - 1].y + WORD.height) / 2, v = (right[b].y + right[b + m - 1].y + WORD.height) / 2;
  const bend = Math.max(12, (u - x) / 2);
  return svg('g', {class: `match ${MATCHES[kind]}`},
    svg('path', {d: `M${x} ${y}C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}`}),
    ...(n > 1 ? [svg('path', {d: `M${x} ${left[a].y + 3}V${left[a + n - 1].y + WORD.height - 3}`})] : []),
    ...(m > 1 ? [svg('path', {d: `M${u} ${right[b].y + 3}V${right[b + m - 1].y + WORD.height - 3}`})] : []));
}

/** The drawing in words, for screen readers. */
function alignmentInWords(said, reference, matches) {
  const phrases = matches.map(([a, n, b, m, kind]) => {
    const [words, matched] = [said.slice(a, a + n).join(' '), reference.slice(b, b + m).join(' ')];
    return words === matched ? words : `${words} – ${matched} (${MATCHES[kind]})`;
  });
  return `${plural(phrases.length, 'match', 'matches')}: ${phrases.join(', ')}`;
}

/** The kinds of matches that a drawing has, each with its line. */
function legendOf(matches) {
  const kinds = [...new Set(matches.map(match => match[4]))].sort();
  return make('p', 'legend', ...kinds.map(kind => {
    const sample = svg('svg', {class: 'alignment', width: 26, height: 8},
      svg('g', {class: `match ${MATCHES[kind]}`}, svg('path', {d: 'M0 4H26'})));
    return make('span', '', sample, ` ${MATCHES[kind]}`);
  }));
}
