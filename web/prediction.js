// prediction.js: what the model expected of an episode, and what happened: a panel for each variable.

// A prediction that runs away must not squeeze what happened into a line.
function panelRange(executed, mean, sd) {
  const [low, high] = [lowest(executed), highest(executed)];
  const spread = Math.max(high - low, 1e-9);
  const ends = mean.flatMap((m, i) => [m - 1.96 * sd[i], m + 1.96 * sd[i]]).filter(present);
  const clampedLow = Math.max(Math.min(low, lowest(ends)), low - 0.5 * spread);
  const clampedHigh = Math.min(Math.max(high, highest(ends)), high + 0.5 * spread);
  return niceEnds(clampedLow, clampedHigh, 4);
}

function panelShape(width, count) {
  const most = width >= 1100 ? 4 : width >= 800 ? 3 : width >= 540 ? 2 : 1;
  const rows = Math.ceil(count / most);
  return {rows, columns: Math.ceil(count / rows)};
}

function panelGrid(context, count) {
  const {rows, columns} = panelShape(context.width, count);
  const {top, edge, width, height} = context;
  const [gapX, gapY, head, foot] = [22, 18, 34, 12];
  const cellWidth = (width - 2 * edge - (columns - 1) * gapX) / columns;
  const cellHeight = (height - top - head - foot - edge - (rows - 1) * gapY) / rows;
  return range(count, (i) => ({
    left: edge + (i % columns) * (cellWidth + gapX),
    width: cellWidth - 8,
    top: top + head + Math.floor(i / columns) * (cellHeight + gapY),
    height: cellHeight,
    outerBoundsMode: 'same',
    outerBoundsContain: 'all',
  }));
}

// Time below, a quantity above each.
function panelFrames(context, quantities, ranges, [begin, end]) {
  const lastRow = quantities.length - panelShape(context.width, quantities.length).columns;
  return {
    grid: panelGrid(context, quantities.length),
    xAxis: quantities.map((unused, i) =>
      axis(context, {
        name: i < lastRow ? '' : 'time, s',
        gridIndex: i,
        min: begin,
        max: end,
        nameGap: 22,
        splitNumber: 4,
        splitLine: {show: false},
        axisPointer: {snap: true},
      }),
    ),
    yAxis: quantities.map(({name, unit}, i) =>
      yAxis(context, {
        name: withUnit(name, unit),
        gridIndex: i,
        ...ranges[i],
        nameGap: 8,
        nameTextStyle: {color: context.colors.text, fontSize: 12, fontWeight: 600, align: 'left'},
      }),
    ),
  };
}

function predictionSpec(source) {
  const data = () => source.data;
  const slider = stepper({
    id: 'prediction',
    label: 'Predicted episode',
    what: 'episode',
    onchange: () => source.redraw('prediction'),
  });
  const executedOf = (episode) => data().episodes.find((e) => e.episode === episode);
  const known = () => data().predictions.filter((p) => executedOf(p.episode));
  const current = () => known().find((p) => p.episode === slider.value());
  const panels = () => data().system.observation.length + data().system.action.length;
  const timeOf = (i) => Number((i * data().system.time_step).toPrecision(12));
  const points = (values) => values.map((value, i) => [timeOf(i), value]);

  const observationPanel = (context, i) => {
    const prediction = current();
    const executed = executedOf(prediction.episode).observations[i];
    const place = {xAxisIndex: i, yAxisIndex: i};
    const [blue, orange] = context.colors.series;
    const [mean, sd] = [prediction.mean[i], prediction.sd[i]];
    return [
      line({
        id: 'executed-' + i,
        name: 'executed',
        color: blue,
        width: 2.5,
        symbol: 'none',
        data: points(executed),
        ...place,
      }),
      line({
        id: 'mean-' + i,
        name: 'expected',
        color: orange,
        dash: 'dashed',
        width: 1.5,
        symbol: 'none',
        data: points(mean),
        ...place,
        z: 4,
      }),
      band({
        id: 'band-' + i,
        name: '95 % band',
        color: orange,
        ...place,
        data: mean.map((m, t) =>
          present(m) && present(sd[t])
            ? [timeOf(t), m - 1.96 * sd[t], m + 1.96 * sd[t]]
            : [timeOf(t), null, null],
        ),
      }),
    ];
  };

  const actionPanel = (context, i) => {
    const prediction = current();
    const index = data().system.observation.length + i;
    const place = {xAxisIndex: index, yAxisIndex: index, step: 'end'};
    const [blue, orange] = context.colors.series;
    const held = (values) => points([...values, values[values.length - 1]]);
    const executed = executedOf(prediction.episode).actions[i];
    return [
      prediction.planned
        ? line({
            id: 'planned-action-' + i,
            name: 'expected',
            color: orange,
            dash: 'dashed',
            width: 1.5,
            symbol: 'none',
            z: 4,
            data: held(prediction.actions[i]),
            ...place,
          })
        : null,
      line({
        id: 'action-' + i,
        name: 'executed',
        color: blue,
        symbol: 'none',
        width: 2.5,
        data: held(executed),
        ...place,
      }),
    ].filter(Boolean);
  };

  return {
    id: 'prediction',
    title: 'Expected and executed',
    wide: true,
    controls: [slider.node],
    height: (width) => 48 + panelShape(width, panels()).rows * 220,
    explain: () =>
      current() && !current().planned
        ? 'What the model expected of the executed actions, before it saw the episode; band: 95 %.'
        : 'What the model expected of its plan before the episode, and what then happened; band: 95 %.',
    option(context) {
      if (known().length === 0) return missing(source, 'No episode of this run was predicted.');
      slider.setValues(known().map((p) => p.episode));
      const {observation, action, action_bounds: bounds} = data().system;
      const executed = executedOf(slider.value());
      const end = timeOf(Math.max(current().mean[0].length, executed.observations[0].length) - 1);
      const ranges = [
        ...observation.map((unused, i) =>
          panelRange(executed.observations[i], current().mean[i], current().sd[i]),
        ),
        ...action.map((unused, i) => {
          const all = [...executed.actions[i], ...current().actions[i]].filter(present);
          return niceEnds(bounds.lower[i] ?? lowest(all), bounds.upper[i] ?? highest(all), 4);
        }),
      ];
      return frame(context, {
        ...panelFrames(context, [...observation, ...action], ranges, [0, end]),
        tooltip: axisTooltip(
          context,
          (time) => formatNumber(time) + ' s',
          (value) => formatNumber(value),
        ),
        series: [
          ...observation.flatMap((unused, i) => observationPanel(context, i)),
          ...action.flatMap((unused, i) => actionPanel(context, i)),
        ],
      });
    },
    csv() {
      const prediction = current();
      const executed = executedOf(prediction.episode);
      const {observation, action} = data().system;
      const steps = Math.max(prediction.mean[0].length, executed.observations[0].length);
      return {
        header: [
          'episode',
          'step',
          'time_s',
          ...observation.flatMap(({name}) => [name + '_expected', name + '_sd', name + '_executed']),
          ...action.flatMap(({name}) => [name + '_expected', name + '_executed']),
        ],
        rows: range(steps, (t) => [
          prediction.episode,
          t,
          timeOf(t),
          ...observation.flatMap((unused, i) => [
            prediction.mean[i][t],
            prediction.sd[i][t],
            executed.observations[i][t],
          ]),
          ...action.flatMap((unused, i) => [prediction.actions[i][t], executed.actions[i][t]]),
        ]),
      };
    },
  };
}
