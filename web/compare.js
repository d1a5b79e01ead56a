// compare.js: groups of runs side by side, system by system.

function finalTable(system) {
  const spread = (value, format) => {
    if (!value || !present(value.median)) return '–';
    const ends =
      present(value.decile1) && present(value.decile9) && value.decile1 !== value.decile9
        ? el('small', {}, format(value.decile1) + ' to ' + format(value.decile9))
        : null;
    return el('span', {class: 'spread'}, el('b', {}, format(value.median)), ends);
  };
  const number = (value) => formatNumber(value, 5);
  return table(
    [
      'group',
      'runs',
      'episodes',
      'task cost',
      'until within 1 %',
      'log-likelihood',
      'RMSE',
      'coverage',
      'time',
    ],
    system.groups.map(({label, runs, final}) => [
      label,
      runs.length,
      final.episode,
      spread(final.task_cost, number),
      final.episodes_to_1_percent ?? '–',
      spread(final.log_likelihood, (v) => formatNumber(v)),
      spread(final.rmse, (v) => formatNumber(v, 3)),
      spread(final.coverage95, (v) => formatPercent(v)),
      formatSeconds(final.seconds),
    ]),
    {class: 'figures', 'aria-label': 'Final numbers of the ' + system.name},
  );
}

function systemSection(system, cards) {
  const facts = [
    countOf(system.groups, 'group', 'groups'),
    countOf(
      system.groups.flatMap((group) => group.runs),
      'run',
      'runs',
    ),
    present(system.limit) ? 'limit of the task cost ' + formatNumber(system.limit, 5) : null,
  ].filter(Boolean);
  return el(
    'section',
    {'aria-label': system.name},
    el('h2', {}, system.name),
    el('p', {class: 'explain'}, facts.join(', ') + '.'),
    el(
      'div',
      {class: 'cards'},
      cards.map((card) => card.node),
      el(
        'section',
        {class: 'card wide'},
        el('h3', {}, 'Final numbers'),
        el('p', {class: 'explain'}, 'Medians; below, from the first to the ninth decile.'),
        finalTable(system),
        el(
          'details',
          {},
          el('summary', {}, 'Runs of each group'),
          system.groups.map((group) =>
            el(
              'p',
              {class: 'explain'},
              el('b', {}, group.label),
              ': ',
              group.runs.map((run) => run.name + ' (seed ' + run.seed + ')').join(', '),
            ),
          ),
        ),
      ),
    ),
  );
}

function comparePage(data) {
  const cards = [];
  const source = {data, redraw: (id) => cards.find((card) => card.spec.id === id).render()};
  const bySystem = data.systems.map((system, index) => {
    const own = comparedCurves.map(
      (curve) => new ChartCard(compareSpec(source, index, curve), () => 'compare'),
    );
    cards.push(...own);
    return own;
  });
  if (location.hash === '#png') return leavePictures(cards);
  document.getElementById('page').append(
    el(
      'header',
      {class: 'top'},
      el(
        'div',
        {},
        el('p', {class: 'brand'}, 'rhc'),
        el('h1', {}, 'Comparison of runs'),
        el(
          'div',
          {class: 'facts'},
          data.systems.map((system) => el('span', {}, system.name)),
        ),
      ),
      theme.button(),
    ),
    el('div', {}, messageBox('warn', 'Mind when you compare', data.warnings)),
    el(
      'main',
      {},
      data.systems.length
        ? data.systems.map((system, i) => systemSection(system, bySystem[i]))
        : el('p', {}, 'There is no run to compare.'),
    ),
    el('footer', {}, 'rhc ' + data.version + '.'),
  );
  cards.forEach((card) => card.render());
  return undefined;
}

pages.compare = comparePage;
