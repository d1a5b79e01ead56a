// calibration.js: are intervals as often right as they claim?

function calibrationSpec(source) {
  const slider = stepper({
    id: 'calibration',
    label: 'Episode of the calibration',
    what: 'episode',
    onchange: () => source.redraw('calibration'),
  });
  const kinds = [
    ['test', 'unseen trajectories'],
    ['next_episode', 'next episode'],
  ];
  const known = () => (source.data.calibration || []).filter((c) => kinds.some(([key]) => c[key]));
  const current = () => known().find((c) => c.episode === slider.value());
  return {
    id: 'calibration',
    title: 'Calibration',
    controls: [slider.node],
    explain:
      'Of all intervals that claim to hold the truth so often, how many do? On the diagonal the model is ' +
      'honest, below it too sure.',
    option(context) {
      if (known().length === 0) return missing(source, 'No calibration was measured in this run.');
      slider.setValues(known().map((c) => c.episode));
      const percent = (value) => formatNumber(100 * value, 3) + ' %';
      const ends = {min: 0, max: 1, format: percent, splitNumber: 5};
      const shown = kinds.filter(([key]) => current()[key]);
      return frame(context, {
        xAxis: axis(context, {name: 'claimed', ...ends, axisPointer: {snap: true}, splitLine: {show: false}}),
        yAxis: yAxis(context, {name: 'observed', ...ends}),
        tooltip: axisTooltip(context, (level) => 'claimed ' + percent(level), percent),
        series: [
          ...shown.map(([key, name]) =>
            line({
              id: key,
              name,
              color: context.colors.series[key === 'test' ? 0 : 1],
              dash: key === 'test' ? 'solid' : 'dashed',
              data: current().level.map((l, i) => [l, current()[key][i]]),
            }),
          ),
          line({
            id: 'diagonal',
            name: 'honest',
            color: context.colors.muted,
            dash: 'dotted',
            width: 1.5,
            symbol: 'none',
            tooltip: {show: false},
            data: [
              [0, 0],
              [1, 1],
            ],
          }),
        ],
      });
    },
    csv: () => ({
      header: ['episode', 'level', 'test', 'next_episode'],
      rows: known().flatMap((c) =>
        c.level.map((l, i) => [
          c.episode,
          l,
          c.test ? c.test[i] : null,
          c.next_episode ? c.next_episode[i] : null,
        ]),
      ),
    }),
  };
}
