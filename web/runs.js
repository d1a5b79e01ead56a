// runs.js: the index of all runs in a folder.

const runColumns = [
  {title: 'run', value: (run) => run.path},
  {title: 'system', value: (run) => run.system},
  {title: 'method', value: (run) => run.method},
  {title: 'seed', value: (run) => run.seed},
  {title: 'status', value: (run) => run.status},
  {title: 'episodes', value: (run) => run.episodes_done},
  {title: 'task cost', value: (run) => run.task_cost},
  {
    title: 'above the limit',
    value: (run) =>
      present(run.task_cost) && present(run.task_cost_limit)
        ? (run.task_cost - run.task_cost_limit) / Math.abs(run.task_cost_limit)
        : null,
  },
  {title: 'log-likelihood', value: (run) => run.log_likelihood},
  {title: 'started', value: (run) => run.started},
];

// Unknown values come last, whichever way the list is sorted.
function compareValues(a, b, down) {
  const unknown = (value) => value === null || value === undefined || value === '';
  if (unknown(a) || unknown(b)) return Number(unknown(a)) - Number(unknown(b));
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), 'en', {numeric: true});
  return down ? -order : order;
}

function runLink(path) {
  return 'run/' + path.split('/').map(encodeURIComponent).join('/') + '/';
}

function runRow(run) {
  const excess = runColumns[7].value(run);
  return el(
    'tr',
    {},
    el('td', {}, el('a', {href: runLink(run.path)}, run.path)),
    el('td', {}, run.system || '–'),
    el('td', {}, run.method || '–'),
    el('td', {}, String(run.seed ?? '–')),
    el('td', {}, statusPill(run.status)),
    el(
      'td',
      {},
      el('progress', {
        max: Math.max(1, run.episodes || 0),
        value: run.episodes_done || 0,
        'aria-label': 'Episodes done',
      }),
      (run.episodes_done ?? '–') + ' of ' + (run.episodes ?? '–'),
    ),
    el('td', {}, formatNumber(run.task_cost, 5)),
    el('td', {}, excess === null ? '–' : Math.abs(excess) < 5e-5 ? '0\u00a0%' : formatPercent(excess, 2)),
    el('td', {}, formatNumber(run.log_likelihood)),
    el('td', {}, formatDate(run.started)),
  );
}

function runsPage(data) {
  let current = data;
  let sorted = {column: 9, down: true};
  const problems = el('div');
  const body = el('div', {id: 'runs'});
  const count = el('div', {class: 'facts'});

  const header = (focused) =>
    runColumns.map(({title}, i) => {
      const active = sorted.column === i;
      const button = el(
        'button',
        {
          type: 'button',
          class: 'sort',
          id: 'sort-' + i,
          onclick: () => {
            sorted = {column: i, down: active ? !sorted.down : false};
            show(i);
          },
        },
        title + (active ? (sorted.down ? ' ↓' : ' ↑') : ''),
      );
      if (focused === i) setTimeout(() => button.focus());
      return el(
        'th',
        {scope: 'col', 'aria-sort': active ? (sorted.down ? 'descending' : 'ascending') : null},
        button,
      );
    });

  const show = (focused) => {
    replaceChildren(problems, messageBox('bad', 'Something is wrong in this folder', current.problems));
    count.textContent =
      (current.runs.length === 1 ? '1 run' : current.runs.length + ' runs') + ' in ' + current.folder;
    if (current.runs.length === 0) {
      return replaceChildren(
        body,
        el(
          'section',
          {class: 'card'},
          el('p', {}, 'There is no run in this folder yet. Make one:'),
          el(
            'div',
            {class: 'command'},
            el('pre', {}, el('code', {}, 'rhc explore pendulum --episodes 10')),
            copyButton('rhc explore pendulum --episodes 10'),
          ),
        ),
      );
    }
    const {value} = runColumns[sorted.column];
    const runs = [...current.runs].sort((a, b) => compareValues(value(a), value(b), sorted.down));
    return replaceChildren(
      body,
      el(
        'section',
        {class: 'card'},
        table(header(focused), runs.map(runRow), {class: 'runs', 'aria-label': 'Runs'}),
      ),
    );
  };

  document
    .getElementById('page')
    .append(
      el(
        'header',
        {class: 'top'},
        el('div', {}, el('p', {class: 'brand'}, 'rhc'), el('h1', {}, 'Runs'), count),
        theme.button(),
      ),
      problems,
      el('main', {}, body),
      el('footer', {}, 'rhc ' + data.version + '.'),
    );
  show();
  if (data.live) {
    poll(data.live, (newer) => {
      current = newer;
      const focus = document.activeElement && /^sort-(\d+)$/.exec(document.activeElement.id);
      show(focus ? Number(focus[1]) : undefined);
    });
  }
}

pages.runs = runsPage;
