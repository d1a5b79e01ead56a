// dom.js: makes elements out of data, and files to save.
'use strict';

// Which function builds which kind of page; start.js calls it.
const pages = {};

// Children become text nodes or elements, never markup: names and settings of a run are not to be trusted.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

function replaceChildren(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
}

function save(fileName, blob) {
  const url = URL.createObjectURL(blob);
  const link = el('a', {href: url, download: fileName.replace(/[^\w.-]+/g, '-')});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function csvText(header, rows) {
  const field = (value) => {
    if (value === null || value === undefined) return '';
    const text = Array.isArray(value) ? value.join(' ') : String(value);
    return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return [header, ...rows].map((row) => row.map(field).join(',') + '\n').join('');
}

function saveCsv(fileName, {header, rows}) {
  save(fileName, new Blob([csvText(header, rows)], {type: 'text/csv'}));
}

function dataUrlBlob(url) {
  const bytes = atob(url.slice(url.indexOf(',') + 1));
  return new Blob([Uint8Array.from(bytes, (c) => c.charCodeAt(0))], {type: 'image/png'});
}

function table(header, rows, attributes = {}) {
  const cell = (tag) => (value) => (value instanceof Node ? el(tag, {}, value) : el(tag, {}, String(value)));
  return el(
    'div',
    {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': attributes['aria-label']},
    el(
      'table',
      attributes,
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          header.map((name) => (name instanceof Node ? name : el('th', {scope: 'col'}, name))),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map((row) => (row instanceof Node ? row : el('tr', {}, row.map(cell('td'))))),
      ),
    ),
  );
}

function messageBox(kind, title, lines) {
  if (!lines || lines.length === 0) return null;
  return el(
    'div',
    {class: 'box ' + kind, role: 'alert'},
    el('strong', {}, title),
    el(
      'ul',
      {},
      lines.map((line) => el('li', {}, line)),
    ),
  );
}

function statusPill(status) {
  const kinds = {finished: 'good', running: '', interrupted: 'warn', killed: 'warn', stopped: 'warn'};
  const kind = kinds[(status || '').split(':')[0]];
  return el(
    'span',
    {class: 'pill ' + (kind === undefined ? 'bad' : kind), id: 'status'},
    status || 'unknown',
  );
}

function copyButton(text) {
  const button = el('button', {type: 'button', 'aria-label': 'Copy the command'}, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch (error) {
      // The clipboard is closed to some pages: then leave the text selected for the keyboard.
      const range = document.createRange();
      range.selectNodeContents(button.parentNode.querySelector('code'));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}
