// reproduce.js: the paper's experiments made again: its figures and tables, with ours beside them.

const mostWarnings = 8;

function figure1Section(data, cardsBySystem) {
  return el(
    'section',
    {'aria-label': 'Figure 1'},
    el('h2', {}, 'Figure 1: how fast the models get good'),
    el(
      'p',
      {class: 'explain'},
      'Lines: medians over the runs; shaded: first to ninth decile. A method has one colour in all charts; ' +
        'dotted: what the paper published, which is the task cost of pendulum and cart-pole only.',
    ),
    data.systems.map((system, i) =>
      el(
        'section',
        {'aria-label': system.name},
        el('h3', {class: 'row-title'}, system.name),
        el(
          'div',
          {class: 'cards'},
          cardsBySystem[i].map((card) => card.node),
        ),
      ),
    ),
  );
}

function figure2Section(figure, moment, cards) {
  const title = el('h2', {}, 'Figure 2: where it is curious');
  if (figure.missing)
    return el(
      'section',
      {'aria-label': 'Figure 2', id: 'figure2'},
      title,
      el('p', {class: 'explain'}, 'This figure is missing. ' + figure.missing),
    );
  return el(
    'section',
    {'aria-label': 'Figure 2', id: 'figure2'},
    title,
    el(
      'p',
      {class: 'explain'},
      'Episodes of the pendulum by ' +
        figure.method +
        ' (run ' +
        figure.run +
        ', seed ' +
        figure.seed +
        '). Colour: entropy of the model’s prediction at zero action, on one scale for all three; ' +
        'ring: where the episode began. The paper does not say whether its models had learned from the episode.',
    ),
    el('div', {class: 'above'}, moment.node),
    el(
      'div',
      {class: 'cards three'},
      cards.map((card) => card.node),
    ),
  );
}

// A row a group; a system is named where it begins.
function groupRows(groups, cells) {
  return groups.map((group, i) => [
    i > 0 && groups[i - 1].system === group.system ? '' : group.system,
    group.label,
    ...cells(group),
  ]);
}

function toLimitTable(groups) {
  const episode = (group, key) => (present(group[key]) ? formatNumber(group[key]) : '> ' + group.episodes);
  return table(
    ['system', 'method', 'episodes', 'deciles', 'runs that came there'],
    groupRows(groups, (group) => [
      el('b', {}, episode(group, 'median')),
      [...new Set([episode(group, 'decile1'), episode(group, 'decile9')])].join(' to '),
      group.arrived + ' of ' + group.runs,
    ]),
    {class: 'figures grouped', 'aria-label': 'Episodes until the limit'},
  );
}

function runTimeTable(times) {
  const paper = (time) =>
    !time.paper ? 'not in it' : present(time.paper.hours) ? time.paper.hours + ' h' : 'could not run';
  return table(
    ['system', 'method', 'runs', 'episodes', 'mean', 'median', 'paper', 'ratio'],
    groupRows(times, (time) => [
      time.runs,
      time.episodes ?? 'differ',
      el('b', {}, formatSeconds(time.mean)),
      formatSeconds(time.median),
      paper(time),
      formatNumber(time.ratio, 3),
    ]),
    {class: 'figures grouped', 'aria-label': 'Time of a run'},
  );
}

function tableCard({title, explain, wide}, content) {
  return el(
    'section',
    {class: 'card' + (wide ? ' wide' : ''), 'aria-label': title},
    el('h3', {}, title),
    el('p', {class: 'explain'}, explain),
    content,
  );
}

function tablesSection(data) {
  return el(
    'section',
    {'aria-label': 'Tables'},
    el('h2', {}, 'Tables'),
    el(
      'div',
      {class: 'cards'},
      data.to_limit.length
        ? tableCard(
            {
              title: 'Episodes until the task cost is within 1 % of the limit',
              explain:
                'Medians over the runs. How many more a run needs that did not come there nobody knows: ' +
                'it counts as later than all.',
            },
            toLimitTable(data.to_limit),
          )
        : null,
      data.run_times.length
        ? tableCard(
            {
              title: 'Time of a run',
              explain:
                'Of finished runs, processor time. Paper: its Table 1, means on the wall of runs of ' +
                data.made.paper_episodes +
                ' episodes with their evaluation, on an ' +
                data.made.paper_cpu +
                '; ratio: theirs to our mean, where ours are as long and evaluated, too.',
            },
            runTimeTable(data.run_times),
          )
        : null,
      data.systems.map((system) =>
        tableCard(
          {
            title: 'Final numbers: ' + system.name,
            explain:
              'Medians; below, from the first to the ninth decile.' +
              (present(system.limit)
                ? ' Limit of the task cost: ' + formatNumber(system.limit, 5) + '.'
                : ''),
            wide: true,
          },
          finalTable(system),
        ),
      ),
    ),
  );
}

// A sweep that was cut short has as many warnings as runs.
function warningsBox(warnings) {
  const box = messageBox('warn', 'Mind', warnings.slice(0, mostWarnings));
  if (box && warnings.length > mostWarnings)
    box.append(
      el(
        'details',
        {},
        el('summary', {}, 'and ' + (warnings.length - mostWarnings) + ' more'),
        el(
          'ul',
          {},
          warnings.slice(mostWarnings).map((warning) => el('li', {}, warning)),
        ),
      ),
    );
  return box;
}

function madeSection({made}) {
  return el(
    'section',
    {'aria-label': 'How it was made', id: 'made'},
    el('h2', {}, 'How it was made'),
    el(
      'div',
      {class: 'card'},
      table(
        ['', ''],
        [
          ['runs', made.runs + ', of which ' + made.finished + ' are finished'],
          ['work', formatSeconds(made.seconds) + ' in all'],
          ['rhc', made.versions.join(', ')],
          ['compiler', made.compilers.join(', ')],
          ['CPU', made.cpus.join(', ')],
        ],
        {class: 'made', 'aria-label': 'How it was made'},
      ),
    ),
  );
}

function reproducePage(data) {
  const charts = [];
  const render = (id) => charts.find((card) => card.spec.id === id).render();
  const labels = [...new Set(data.systems.flatMap((system) => system.groups.map((group) => group.label)))];
  const source = {data, labels, prefix: 'figure1-', redraw: render};
  const card = (spec) => {
    charts.push(new ChartCard(spec, () => 'reproduce'));
    return charts[charts.length - 1];
  };
  const curves = ['likelihood', 'task-cost'].map((id) => comparedCurves.find((curve) => curve.id === id));
  const figure1 = data.systems.map((system, i) =>
    curves.map((curve) => {
      const spec = compareSpec(source, i, curve);
      // On a phone the legend of seven methods and the paper's four takes much of it.
      const height = (width) => (width < 480 ? 460 : 380);
      return card({...spec, title: spec.title + ', ' + system.name, height, legendRows: 8});
    }),
  );
  const shown = data.figure2.missing ? [] : data.figure2.shown;
  const moment = figure2Moment(() => figure2.forEach((item) => item.render()));
  const figure2 = shown.map((episode) => card(figure2Spec(data.figure2, episode, moment)));
  if (location.hash === '#png') return leavePictures(charts);
  document.getElementById('page').append(
    el(
      'header',
      {class: 'top'},
      el(
        'div',
        {},
        el('p', {class: 'brand'}, 'rhc'),
        el('h1', {}, 'Receding Horizon Curiosity, reproduced'),
        el(
          'div',
          {class: 'facts'},
          el('span', {}, data.made.runs === 1 ? '1 run' : data.made.runs + ' runs'),
          data.systems.map((system) => el('span', {}, system.name)),
        ),
      ),
      theme.button(),
    ),
    el(
      'main',
      {},
      data.systems.length ? figure1Section(data, figure1) : el('p', {}, 'There is no run yet.'),
      figure2Section(data.figure2, moment, figure2),
      tablesSection(data),
      warningsBox(data.warnings),
      madeSection(data),
    ),
    el('footer', {}, 'rhc ' + data.version + '.'),
  );
  charts.forEach((item) => item.render());
  return undefined;
}

pages.reproduce = reproducePage;
