// details.js: the tables of a run, and the command that repeats it.

const metricTitles = [
  ['episode', 'episode'],
  ['steps', 'steps'],
  ['trouble', 'note'],
  ['transitions', 'transitions'],
  ['task_cost', 'task cost'],
  ['task_cost_predicted', 'expected cost'],
  ['information_planned', 'planned, nats'],
  ['information_gained', 'gained, nats'],
  ['rmse', 'RMSE'],
  ['log_likelihood', 'log-lik.'],
  ['log_likelihood_one_step', 'one step'],
  ['log_likelihood_paper', 'paper’s'],
  ['coverage95', 'coverage'],
  ['evidence', 'evidence'],
  ['plan_status', 'plan status'],
  ['plan_seconds', 'plan'],
  ['fit_seconds', 'fit'],
  ['evaluate_seconds', 'evaluate'],
];
const mostRows = 1000;

function metricCell(key, value) {
  if (key.endsWith('_seconds')) return formatSeconds(value);
  if (key === 'coverage95') return formatPercent(value);
  if (key === 'trouble') return value || '';
  return typeof value === 'string' ? value : formatNumber(value, 5);
}

function metricsTable(source) {
  const body = el('div');
  const csv = el(
    'button',
    {
      type: 'button',
      id: 'metrics-csv',
      'aria-label': 'All numbers: save the data as CSV',
      onclick: () => {
        const keys = Object.keys(source.data.metrics[0] || {});
        saveCsv(source.fileStem() + '-metrics.csv', {
          header: keys,
          rows: source.data.metrics.map((row) => keys.map((key) => row[key])),
        });
      },
    },
    'CSV',
  );
  const node = el('details', {id: 'metrics'}, el('summary', {}, 'All numbers, a row an episode'), csv, body);
  const fill = () => {
    if (!node.open) return;
    const rows = source.data.metrics;
    const parts = gainedByOutput(source.data);
    replaceChildren(
      body,
      rows.length > mostRows
        ? el(
            'p',
            {class: 'explain'},
            'The first ' +
              formatNumber(mostRows) +
              ' rows; the CSV has all ' +
              formatNumber(rows.length) +
              '.',
          )
        : null,
      table(
        [...metricTitles.map(([, title]) => title), ...parts.map(({name}) => 'gained of ' + name)],
        rows
          .slice(0, mostRows)
          .map((row) => [
            ...metricTitles.map(([key]) => metricCell(key, row[key])),
            ...parts.map(({of}) => formatNumber(of(row), 5)),
          ]),
        {class: 'figures', 'aria-label': 'All numbers'},
      ),
    );
  };
  node.addEventListener('toggle', fill);
  return {node, update: fill};
}

function settingsTable(source) {
  const chips = el('p', {class: 'explain'});
  const body = el('div');
  const node = el('details', {id: 'settings'}, el('summary', {}, 'All settings'), body);
  const update = () => {
    const settings = source.data.settings || [];
    const differs = (s) => s.value !== s.default;
    const changed = settings.filter(differs);
    chips.textContent =
      changed.length === 0
        ? 'All settings have their default.'
        : 'Different from the default: ' + changed.map((s) => s.key + ' = ' + s.value).join('; ') + '.';
    replaceChildren(
      body,
      table(
        ['setting', 'value', 'default', 'unit', 'meaning'],
        settings.map((s) =>
          el(
            'tr',
            {class: differs(s) ? 'changed' : null},
            el('td', {}, el('code', {}, s.key), differs(s) ? el('span', {class: 'tag'}, 'changed') : null),
            el('td', {}, el('code', {}, s.value)),
            el('td', {}, el('code', {}, s.default)),
            el('td', {}, s.unit || ''),
            el('td', {}, s.help || '', s.range ? ' (' + s.range + ')' : ''),
          ),
        ),
        {class: 'settings', 'aria-label': 'All settings'},
      ),
    );
  };
  return {node: el('div', {}, chips, node), update};
}

function reproduceBox(source) {
  const node = el('div', {id: 'reproduce'});
  const update = () => {
    const command = source.data.reproduce || '';
    node.hidden = command === '';
    replaceChildren(
      node,
      el('h3', {}, 'The same run again'),
      el('div', {class: 'command'}, el('pre', {}, el('code', {}, command)), copyButton(command)),
    );
  };
  return {node, update};
}
