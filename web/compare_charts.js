// compare_charts.js: the curves of groups of runs: medians and deciles.

const comparedCurves = [
  {
    key: 'task_cost',
    id: 'task-cost',
    title: 'Task cost',
    axisName: 'task cost',
    explain:
      'A task planned with the model, carried out in the true system. Lines: medians; shaded: ' +
      'first to ninth decile.',
  },
  {
    key: 'log_likelihood',
    id: 'likelihood',
    title: 'Log-likelihood of unseen trajectories',
    axisName: 'nats',
    explain: 'Free-running; higher is better. Lines: medians; shaded: first to ninth decile.',
  },
  {
    key: 'rmse',
    id: 'rmse',
    title: 'One-step error',
    axisName: 'RMSE, in spreads of the change',
    log: true,
    explain: 'Each output in units of its spread. Lines: medians; shaded: first to ninth decile.',
  },
  {
    key: 'coverage95',
    id: 'coverage',
    title: 'Coverage of the 95 % intervals',
    axisName: 'truths inside, %',
    format: (share) => formatPercent(share),
    ends: shareEnds,
    nominal: 0.95,
    explain:
      'Share of unseen truths inside the 95 % intervals. Lines: medians; shaded: first to ninth decile.',
  },
];

// One entry of the legend for the bands of all curves of the paper: the legend would fill the chart.
const paperBands = 'deciles of the paper';

function slug(text) {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function countOf(list, one, many) {
  return list.length + ' ' + (list.length === 1 ? one : many);
}

// The line of a curve and the band between its deciles; `shift` maps a value to what is drawn. On a log axis
// a first decile at the limit has no place: there the band begins at `floor`, the lowest value drawn.
function curveSeries({id, name, bandName, color, curve, shift, floor, ...style}) {
  const column = (key) =>
    curve.episode.map((e, i) => [e, present(curve[key][i]) ? shift(curve[key][i]) : null]);
  const [low, high] = [column('decile1'), column('decile9')];
  return [
    line({id, name, color, data: column('median'), z: 4, ...style}),
    band({
      id: id + '-band',
      name: bandName || name,
      color,
      data: low.map(([e, value], i) => [e, value ?? (high[i][1] === null ? null : floor), high[i][1]]),
    }),
  ];
}

// So is the legend's order: first the lines, then what can be shaded.
function bandsLast(series) {
  const shaded = (item) => item.type === 'custom';
  return [...series.filter((item) => !shaded(item)), ...series.filter(shaded)];
}

function compareSpec(source, index, curve) {
  const system = () => source.data.systems[index];
  const id = slug(system().name) + '-' + curve.id;
  const scale =
    curve.id !== 'task-cost'
      ? null
      : choice({
          id: id + '-scale',
          label: 'Scale of the task cost',
          options: [
            ['linear', 'cost'],
            ['log', 'excess over the limit, log'],
          ],
          onchange: () => source.redraw(id),
        });
  const limit = () => system().limit;
  const logarithmic = () => scale !== null && scale.value() === 'log' && present(limit());
  const groups = () =>
    system().groups.filter(
      (group) => group.curves[curve.key] && group.curves[curve.key].median.some(present),
    );
  const papers = () => (curve.key === 'task_cost' ? system().paper || [] : []);
  const format = curve.format || ((value) => formatNumber(value, 5));
  const constant = () =>
    curve.key === 'task_cost'
      ? ['limit', limit()]
      : ['best achievable', (system().best_achievable || {})[curve.key]];

  return {
    id,
    title: curve.title,
    explain: curve.explain,
    controls: scale ? [scale.node] : [],
    selected: {[paperBands]: false},
    option(context) {
      if (groups().length === 0) return 'None of these runs has this measure.';
      if (scale) scale.node.hidden = !present(limit());
      const {colors} = context;
      const shift = logarithmic()
        ? (value) => (value > limit() ? value - limit() : null)
        : curve.log
          ? (value) => (value > 0 ? value : null)
          : (value) => value;
      const drawn = groups().map((group) => {
        // By its place among all groups: a group has the same colour in every chart.
        const i = system().groups.indexOf(group);
        const color = colors.series[i % colors.series.length];
        return {id: 'group-' + i, name: group.label, color, curve: group.curves[curve.key], shift};
      });
      const quoted = papers().map((paper, i) => ({
        id: 'paper-' + i,
        name: paper.label,
        bandName: paperBands,
        color: [colors.text, colors.series[4], colors.series[5], colors.series[6]][i % 4],
        curve: paper,
        shift,
        dash: ['dotted', 'dashed', [8, 3, 2, 3], [3, 3]][i % 4],
        width: 1.5,
        symbol: 'none',
        z: 3,
      }));
      const all = [...drawn, ...quoted];
      const episodes = [...new Set(all.flatMap((item) => item.curve.episode))].sort((a, b) => a - b);
      const [name, value] = constant();
      const lines = [
        ...(present(value) && !logarithmic()
          ? [level({id: 'constant', name, color: colors.muted, episodes, value})]
          : []),
        ...(curve.nominal
          ? [
              level({
                id: 'nominal',
                name: '95 %',
                color: colors.muted,
                episodes,
                value: curve.nominal,
                dash: 'dotted',
              }),
            ]
          : []),
      ];
      const values = (...keys) => all.flatMap((item) => keys.flatMap((key) => item.curve[key]));
      const ends = curve.ends
        ? curve.ends([...values('decile1', 'median'), value])
        : logarithmic() || curve.log
          ? {}
          : endsWithoutOutliers(values('median', 'decile1', 'decile9'), [value]);
      const floor = lowest(values('median', 'decile9').filter(present).map(shift).filter(present));
      return frame(context, {
        xAxis: episodeAxis(context, episodes),
        yAxis: yAxis(context, {
          name: logarithmic() ? 'task cost − limit' : curve.axisName,
          log: logarithmic() || curve.log,
          format: curve.format,
          ...ends,
        }),
        tooltip: axisTooltip(context, afterEpisodes, format),
        series: bandsLast([...all.flatMap((item) => curveSeries({...item, floor})), ...lines]),
      });
    },
    csv() {
      const rows = (label, c) =>
        c.episode.map((e, i) => [
          label,
          e,
          c.median[i],
          c.decile1[i],
          c.decile9[i],
          c.count ? c.count[i] : null,
          constant()[1],
        ]);
      return {
        header: ['group', 'episode', 'median', 'decile1', 'decile9', 'runs', constant()[0].replace(' ', '_')],
        rows: [
          ...groups().flatMap((group) => rows(group.label, group.curves[curve.key])),
          ...papers().flatMap((paper) => rows(paper.label, paper)),
        ],
      };
    },
  };
}

function afterEpisodes(episode) {
  return episode === 0 ? 'before any data' : 'after episode ' + episode;
}
