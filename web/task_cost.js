// task_cost.js: what the task costs with the model learned so far.

function taskCostSpec(source) {
  const rows = () => source.data.metrics;
  const limit = () =>
    rows()
      .map((row) => row.task_cost_limit)
      .find(present) ?? null;
  const scale = choice({
    id: 'task-cost-scale',
    label: 'Scale of the task cost',
    options: [
      ['linear', 'cost'],
      ['log', 'excess over the limit, log'],
    ],
    onchange: () => source.redraw('task-cost'),
  });
  const logarithmic = () => scale.value() === 'log' && limit() !== null;
  const shown = () =>
    withoutOutliers(
      rows().map((row) => row.task_cost),
      [limit()],
    );
  return {
    id: 'task-cost',
    title: 'Task cost',
    controls: [scale.node],
    explain:
      'A task planned with the model, carried out in the true system without feedback. ' +
      'With feedback: the same under the run’s noise, with state estimation, feedback and replanning. ' +
      'Limit: without feedback, with the true dynamics.',
    option(context) {
      if (!hasAny(rows(), 'task_cost')) return missing(source, 'No task was judged in this run.');
      scale.node.hidden = limit() === null;
      const [blue, orange, green] = context.colors.series;
      const judged = rows().filter((row) => row.episode > 0);
      const episodes = judged.map((row) => row.episode);
      const excess = columnOf(judged, 'task_cost').map(([e, cost]) => [
        e,
        present(cost) && cost > limit() ? cost - limit() : null,
      ]);
      const series = logarithmic()
        ? [line({id: 'excess', name: 'excess over the limit', color: blue, data: excess})]
        : [
            line({id: 'cost', name: 'task cost', color: blue, data: columnOf(judged, 'task_cost'), z: 4}),
            hasAny(judged, 'task_cost_closed')
              ? line({
                  id: 'closed',
                  name: 'with feedback',
                  color: green,
                  data: columnOf(judged, 'task_cost_closed'),
                })
              : null,
            line({
              id: 'predicted',
              name: 'expected by the model',
              color: orange,
              dash: 'dotted',
              width: 1.5,
              data: columnOf(judged, 'task_cost_predicted'),
            }),
            limit() === null
              ? null
              : level({id: 'limit', name: 'limit', color: context.colors.muted, episodes, value: limit()}),
          ];
      return frame(context, {
        xAxis: episodeAxis(context, episodes),
        yAxis: yAxis(
          context,
          logarithmic() ? {name: 'task cost − limit', log: true} : {name: 'task cost', max: shown().max},
        ),
        tooltip: axisTooltip(context, afterEpisode, (value) => formatNumber(value, 5)),
        series: series.filter(Boolean),
      });
    },
    note() {
      const list = (match) =>
        rows()
          .filter(match)
          .map((row) => row.episode);
      if (logarithmic()) {
        const below = list((row) => present(row.task_cost) && row.task_cost <= limit());
        return below.length
          ? 'At or below the limit, so not on a log axis: episode ' + below.join(', ') + '.'
          : null;
      }
      const {max, far} = shown();
      const above = max === null ? [] : rows().filter((row) => present(row.task_cost) && far(row.task_cost));
      return above.length
        ? 'Above the picture: ' +
            above
              .map((row) => 'episode ' + row.episode + ' (' + formatNumber(row.task_cost) + ')')
              .join(', ') +
            '.'
        : null;
    },
    csv: () => metricsCsv(rows(), [
        'task_cost',
        'task_cost_predicted',
        'task_cost_limit',
        'task_cost_closed',
        'task_cost_closed_limit',
      ]),
  };
}
