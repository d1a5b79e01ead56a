// effort.js: what an episode promised and taught, and what it took.

// What each observation's model gained; none where all share one posterior, and in earlier runs.
function gainedByOutput(data) {
  const lists = data.metrics.map((row) => row.information_by_output).filter(Array.isArray);
  if (lists.every((list) => list.every((value) => value === list[0]))) return [];
  return data.system.observation.map(({name}, i) => ({
    name,
    of: (row) => (Array.isArray(row.information_by_output) ? row.information_by_output[i] : null),
  }));
}

function informationSpec(source) {
  const rows = () => source.data.metrics;
  const keys = [
    ['information_planned', 'planned'],
    ['information_gained', 'gained'],
  ];
  return {
    id: 'information',
    title: 'Information planned and gained',
    explain: 'What the plan promised to teach and what the episode taught about the model’s parameters, in all and of each observation.',
    option(context) {
      const known = rows().filter((row) => keys.some(([key]) => present(row[key])));
      if (known.length === 0) return missing(source, 'No information was planned or measured in this run.');
      const parts = gainedByOutput(source.data);
      const values = known
        .flatMap((row) => [...keys.map(([key]) => row[key]), ...parts.map(({of}) => of(row))])
        .filter(present);
      const log = values.every((value) => value > 0) && highest(values) > 20 * lowest(values);
      const first = known[0].episode;
      const shown = rows().filter((row) => row.episode >= first);
      return frame(context, {
        xAxis: episodeAxis(
          context,
          shown.map((row) => row.episode),
        ),
        yAxis: yAxis(context, {name: 'nats', log}),
        tooltip: axisTooltip(
          context,
          (episode) => 'episode ' + episode,
          (value) => formatNumber(value),
        ),
        series: keys
          .filter(([key]) => hasAny(rows(), key))
          .map(([key, name]) =>
            key === 'information_planned'
              ? line({
                  id: key,
                  name,
                  color: context.colors.series[1],
                  dash: 'dashed',
                  z: 4,
                  data: columnOf(shown, key),
                })
              : line({id: key, name, color: context.colors.series[0], width: 3, data: columnOf(shown, key)}),
          )
          .concat(
            parts.map(({name, of}, i) =>
              line({
                id: 'gained-' + name,
                name: 'of ' + name,
                color: context.colors.series[(2 + i) % context.colors.series.length],
                width: 1,
                data: shown.map((row) => [row.episode, of(row)]),
              }),
            ),
          ),
      });
    },
    csv: () => {
      const csv = metricsCsv(
        rows(),
        keys.map(([key]) => key),
      );
      const parts = gainedByOutput(source.data);
      return {
        header: [...csv.header, ...parts.map(({name}) => 'gained_' + name)],
        rows: csv.rows.map((cells, r) => [...cells, ...parts.map(({of}) => of(rows()[r]))]),
      };
    },
  };
}

function timeSpec(source) {
  const rows = () => source.data.metrics.filter((row) => row.episode > 0);
  const parts = [
    ['plan_seconds', 'plan'],
    ['fit_seconds', 'fit'],
    ['evaluate_seconds', 'evaluate'],
  ];
  return {
    id: 'time',
    title: 'Where the time went',
    height: 240,
    explain: 'Planning the episode, fitting the model and judging it.',
    option(context) {
      if (!hasAny(rows(), ...parts.map(([key]) => key))) return 'No episode has ended yet.';
      return frame(context, {
        xAxis: {
          ...axis(context, {name: 'episode', format: String}),
          type: 'category',
          data: rows().map((row) => row.episode),
        },
        yAxis: yAxis(context, {name: 'time, s', scale: false}),
        tooltip: tooltip(context, {
          trigger: 'axis',
          axisPointer: {type: 'shadow'},
          formatter(items) {
            const total = items.reduce((sum, item) => sum + (item.value || 0), 0);
            return tip('episode ' + items[0].name, [
              ...items.map((item) => ({
                color: item.color,
                name: item.seriesName,
                text: formatSeconds(item.value),
              })),
              {name: 'total', text: formatSeconds(total)},
            ]);
          },
        }),
        series: parts.map(([key, name], i) => ({
          type: 'bar',
          id: key,
          name,
          stack: 'time',
          barMaxWidth: 36,
          itemStyle: {color: context.colors.series[i]},
          emphasis: {disabled: true},
          data: rows().map((row) => (present(row[key]) ? row[key] : null)),
        })),
      });
    },
    csv: () =>
      metricsCsv(
        rows(),
        parts.map(([key]) => key),
      ),
  };
}
