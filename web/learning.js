// learning.js: what each episode taught: the curves over the episodes of one run.

// Why a chart is not there; of a run that has just begun it is too early to say.
const tooEarly = 'Nothing to show yet.';
function missing(source, why) {
  return source.data.manifest.status === 'running' ? tooEarly : why;
}

function hasAny(rows, ...keys) {
  return rows.some((row) => keys.some((key) => present(row[key])));
}

function metricsCsv(rows, keys, constants = {}) {
  return {
    header: ['episode', ...keys, ...Object.keys(constants)],
    rows: rows.map((row) => [row.episode, ...keys.map((key) => row[key]), ...Object.values(constants)]),
  };
}

const afterEpisode = (episode) => (episode === 0 ? 'before any data' : 'after episode ' + episode);

const likelihoods = [
  ['log_likelihood', 'free-running'],
  ['log_likelihood_one_step', 'one step'],
  ['log_likelihood_paper', 'as in the paper'],
];

function likelihoodSpec(source) {
  const rows = () => source.data.metrics;
  const best = () => source.data.best_achievable;
  const visible = (selected) =>
    likelihoods.filter(([, name]) => selected[name] !== false).map(([key]) => key);
  const shown = (selected) =>
    withoutOutliers(
      visible(selected).flatMap((key) => rows().map((row) => row[key])),
      visible(selected).map((key) => (best() || {})[key]),
    );
  return {
    id: 'likelihood',
    title: 'Log-likelihood of unseen trajectories',
    selected: {'as in the paper': false},
    explain: () =>
      'How probable the model finds trajectories it never saw, in nats; higher is better.' +
      (best() ? ' Dashed: ' + bestModel(best()) + '.' : ''),
    option(context) {
      const known = likelihoods.filter(([key]) => hasAny(rows(), key));
      if (known.length === 0) return missing(source, 'No test trajectories were judged in this run.');
      const judged = rows().filter((row) => row.episode > 0 || present(row.log_likelihood));
      const episodes = judged.map((row) => row.episode);
      const {min, max} = shown(context.selected);
      return frame(context, {
        xAxis: episodeAxis(context, episodes),
        yAxis: yAxis(context, {name: 'nats', min, max}),
        tooltip: axisTooltip(
          context,
          afterEpisode,
          (value, item) => formatNumber(value) + (item.seriesId.startsWith('best') ? ' (best)' : ''),
        ),
        series: known.flatMap(([key, name], i) => [
          line({id: key, name, color: context.colors.series[i], data: columnOf(judged, key), z: 4}),
          ...(best() && present(best()[key])
            ? [
                level({
                  id: 'best-' + key,
                  name,
                  episodes,
                  value: best()[key],
                  color: context.colors.series[i],
                }),
              ]
            : []),
        ]),
      });
    },
    note(selected) {
      const {min, far} = shown(selected);
      const below = rows().filter((row) =>
        visible(selected).some((key) => present(row[key]) && far(row[key])),
      );
      return min === null
        ? null
        : 'Below the picture: episode ' + below.map((row) => row.episode).join(', ') + '; see the CSV.';
    },
    csv: () =>
      metricsCsv(
        rows(),
        likelihoods.map(([key]) => key),
        Object.fromEntries(likelihoods.map(([key]) => ['best_' + key, best() ? best()[key] : null])),
      ),
  };
}

function bestModel({transitions}) {
  return present(transitions)
    ? 'a model given ' + formatNumber(transitions) + ' uniform transitions'
    : 'the best achievable, a model given many uniform transitions';
}

// A single measure with its best achievable value.
function measureSpec(
  source,
  {id, title, explain, key, name, axisName, log, format, extra = () => [], ends = () => ({})},
) {
  const rows = () => source.data.metrics;
  const best = () => (source.data.best_achievable || {})[key];
  return {
    id,
    title,
    explain,
    option(context) {
      if (!hasAny(rows(), key)) return missing(source, 'No test trajectories were judged in this run.');
      const known = rows().filter((row) => row.episode > 0 || present(row[key]));
      const episodes = known.map((row) => row.episode);
      const data = columnOf(known, key).map(([e, value]) => [e, log && !(value > 0) ? null : value]);
      return frame(context, {
        xAxis: episodeAxis(context, episodes),
        yAxis: yAxis(context, {name: axisName, log, format, ...ends([...data.map(([, v]) => v), best()])}),
        tooltip: axisTooltip(context, afterEpisode, (value) => (format || formatNumber)(value)),
        series: [
          line({id: key, name, color: context.colors.series[0], data, z: 4}),
          ...extra(context, episodes),
          ...(present(best())
            ? [
                level({
                  id: 'best',
                  name: 'best achievable',
                  color: context.colors.series[2],
                  episodes,
                  value: best(),
                }),
              ]
            : []),
        ],
      });
    },
    csv: () => metricsCsv(rows(), [key], present(best()) ? {['best_' + key]: best()} : {}),
  };
}

function rmseSpec(source) {
  return measureSpec(source, {
    id: 'rmse',
    title: 'One-step error',
    key: 'rmse',
    name: 'RMSE',
    axisName: 'RMSE, in spreads of the change',
    log: true,
    explain:
      'On unseen random trajectories, each output in units of its spread; 1 is as good as saying ' +
      '“nothing changes”.',
  });
}

function coverageSpec(source) {
  return measureSpec(source, {
    id: 'coverage',
    title: 'Coverage of the 95 % intervals',
    key: 'coverage95',
    name: 'coverage',
    axisName: 'truths inside, %',
    format: (share) => formatPercent(share),
    ends: shareEnds,
    explain:
      'Share of unseen truths inside the model’s 95 % intervals. Below the line it is too sure of itself, ' +
      'above it too modest.',
    extra: (context, episodes) => [
      level({
        id: 'nominal',
        name: '95 %',
        color: context.colors.muted,
        episodes,
        value: 0.95,
        dash: 'dotted',
      }),
    ],
  });
}
