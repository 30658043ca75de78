'use strict';
// Elements and numbers. All text is set as text, never as HTML.

const byId = id => document.getElementById(id);

/** A new element; strings among its children become plain text. */
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** A new element of a drawing. */
function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function button(className, text) {
  const element = make('button', className, text);
  element.type = 'button';
  return element;
}

const decimals = (value, places) => value.toFixed(places).replace(/^(-?)0\./, '$1.');
const plural = (n, singular, many = singular + 's') => `${n.toLocaleString('en')} ${n === 1 ? singular : many}`;

/** An option of a select or list of suggestions, with how many there are of it. */
function offerOption(select, value, text, n) {
  byId(select).append(new Option(n ? `${text} (${n.toLocaleString('en')})` : text, value));
}

/** Hide the filters, with their labels, that offer nothing. */
function hideUnused(...ids) {
  for (const field of ids.map(byId)) {
    field.closest('label').hidden = field.list ? !field.list.children.length : field.options.length <= 1;
  }
}

/** The page's data. */
function takeData() {
  const data = JSON.parse(byId('data').textContent);
  byId('data').remove();
  // Facts that hold for every image are shown once, at the top.
  data.common = new Set(Object.entries(data.images[0].f ?? {})
    .filter(([name, value]) => data.images.every(image => image.f?.[name] === value)).map(([name]) => name));
  return data;
}

let fading;
/** Show a message at the foot of the window for a while. */
function say(text, className = '') {
  const toast = byId('toast');
  toast.textContent = text;
  toast.className = `toast shown ${className}`;
  clearTimeout(fading);
  fading = setTimeout(() => toast.classList.remove('shown'), 1800);
}

/** Copy a text and say so; `otherwise` is called where copying is not allowed. */
async function copyText(text, said, otherwise) {
  try {
    await navigator.clipboard.writeText(text);
    say(said);
  } catch {
    otherwise();
  }
}
