// compare_charts.js: the curves of groups of runs: medians and deciles.

const comparedCurves = [
  {
    key: 'task_cost',
    id: 'task-cost',
    title: 'Task cost',
    axisName: 'task cost',
    lowerIsBetter: true,
    explain:
      'A task planned with the model, carried out in the true system. Lines: medians; shaded: ' +
      'first to ninth decile.',
  },
  {
    key: 'log_likelihood',
    id: 'likelihood',
    title: 'Log-likelihood of unseen trajectories',
    axisName: 'nats',
    measures: [
      ['log_likelihood', 'free-running'],
      ['log_likelihood_paper', 'as in the paper'],
    ],
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

// Ends of an axis that shows every curve where it begins and where it is best; what goes more than half of
// that beyond, a decile or a failed episode, leaves the picture instead of flattening it.
function endsAroundMedians(curves, constant, lowerIsBetter) {
  const {far} = withoutOutliers(
    curves.flatMap((curve) => curve.median),
    [constant],
  );
  const kept = [
    constant,
    ...curves.flatMap(({median: values}) => {
      const known = values.filter((value) => present(value) && !far(value));
      return known.length ? [known[0], lowerIsBetter ? lowest(known) : highest(known)] : [];
    }),
  ].filter(present);
  const drawn = [
    constant,
    ...curves.flatMap((curve) => [...curve.median, ...curve.decile1, ...curve.decile9]),
  ].filter(present);
  const margin = (highest(kept) - lowest(kept)) / 2;
  if (!(margin > 0)) return endsWithoutOutliers(drawn, [constant]);
  const [low, high] = [lowest(kept) - margin, highest(kept) + margin];
  const {min, max} = niceEnds(Math.max(low, lowest(drawn)), Math.min(high, highest(drawn)), 4);
  return {min: lowest(drawn) < low ? min : null, max: highest(drawn) > high ? max : null};
}

// A second sign besides the colour, where methods are many.
const groupSymbols = [
  'circle',
  'triangle',
  'rect',
  'diamond',
  'path://M4 0h3v4h4v3H7v4H4V7H0V4h4z',
  'path://M0 0h11L5.5 10z',
  'path://M2 0l3.5 3.5L9 0l2 2-3.5 3.5L11 9l-2 2-3.5-3.5L2 11 0 9l3.5-3.5L0 2z',
];

// So is the legend's order: first the lines, then what can be shaded.
function bandsLast(series) {
  const shaded = (item) => item.type === 'custom';
  return [...series.filter((item) => !shaded(item)), ...series.filter(shaded)];
}

// `source.labels`, where it is there, says which labels have which colours in all charts; without it a system
// has its own. `source.prefix` begins the charts' names.
function compareSpec(source, index, curve) {
  const system = () => source.data.systems[index];
  const id = (source.prefix || '') + slug(system().name) + '-' + curve.id;
  const measure = curve.measures
    ? choice({
        id: id + '-measure',
        label: 'Which log-likelihood',
        options: curve.measures,
        onchange: () => source.redraw(id),
      })
    : null;
  const key = () => (measure ? measure.value() : curve.key);
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
      (group) => group.curves[key()] && group.curves[key()].median.some(present),
    );
  const papers = () => (curve.key === 'task_cost' ? system().paper || [] : []);
  const format = curve.format || ((value) => formatNumber(value, 5));
  const constant = () =>
    curve.key === 'task_cost'
      ? ['limit', limit()]
      : ['best achievable', (system().best_achievable || {})[key()]];
  // Where the axis does not reach as far as the curves.
  const cut = () =>
    logarithmic() || curve.log || curve.ends
      ? {}
      : endsAroundMedians(
          // The paper's deciles are not shown until they are asked for.
          [
            ...groups().map((group) => group.curves[key()]),
            ...papers().map((paper) => ({...paper, decile1: [], decile9: []})),
          ],
          constant()[1],
          curve.lowerIsBetter,
        );
  // By its place among all groups: a group has the same colour in every chart.
  const place = (group) =>
    source.labels ? source.labels.indexOf(group.label) : system().groups.indexOf(group);

  return {
    id,
    title: curve.title,
    explain: curve.explain,
    controls: [scale, measure].filter(Boolean).map((control) => control.node),
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
      const colorOf = (group) => colors.series[place(group) % colors.series.length];
      const drawn = groups().map((group) => ({
        id: 'group-' + system().groups.indexOf(group),
        name: group.label,
        color: colorOf(group),
        curve: group.curves[key()],
        shift,
        ...(source.labels ? {symbol: groupSymbols[place(group) % groupSymbols.length], symbolSize: 7} : {}),
      }));
      const quoted = papers().map((paper, i) => {
        const ours = source.labels && groups().find((group) => group.method === paper.method);
        return {
          id: 'paper-' + i,
          name: paper.label,
          bandName: paperBands,
          // Where colours stand for methods, a method of the paper has that of ours.
          color: ours
            ? colorOf(ours)
            : [colors.text, colors.series[4], colors.series[5], colors.series[6]][i % 4],
          curve: paper,
          shift,
          dash: source.labels ? 'dotted' : ['dotted', 'dashed', [8, 3, 2, 3], [3, 3]][i % 4],
          width: 1.5,
          symbol: 'none',
          z: 3,
        };
      });
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
      const ends = curve.ends ? curve.ends([...values('decile1', 'median'), value]) : cut();
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
    note() {
      const {min, max} = cut();
      return present(min) || present(max) ? 'Some values lie outside the picture; the CSV has all.' : null;
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
          ...groups().flatMap((group) => rows(group.label, group.curves[key()])),
          ...papers().flatMap((paper) => rows(paper.label, paper)),
        ],
      };
    },
  };
}

function afterEpisodes(episode) {
  return episode === 0 ? 'before any data' : 'after episode ' + episode;
}
