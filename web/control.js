// control.js: the controller at work: what was measured, estimated and planned, and what it did.

function controlFacts(control) {
  const run = control.runs[control.runs.length - 1];
  const words = ['Run ' + run.number, run.status];
  if (present(run.steps)) words.push(formatNumber(run.steps, 7) + ' steps');
  if (present(run.missed)) words.push(formatNumber(run.missed, 7) + ' late');
  if (present(run.cost)) words.push('cost ' + formatNumber(run.cost, 5));
  return words.join(', ') + '.';
}

function controlSpec(source) {
  const control = () => source.control;
  const system = () => source.data.system;
  const panels = () => system().observation.length + system().action.length;
  const points = (values) => values.map((value, i) => [control().time[i], value]);
  const drawn = (context, i, name, color, values, more = {}) =>
    line({
      id: name + '-' + i,
      name,
      color,
      symbol: 'none',
      data: points(values),
      xAxisIndex: i,
      yAxisIndex: i,
      ...more,
    });
  const observationPanel = (context, i) => {
    const [blue, orange, green] = context.colors.series;
    const {measured, estimated, planned} = control().observations[i];
    return [
      drawn(context, i, 'measured', blue, measured, {width: 1.5}),
      drawn(context, i, 'estimated', green, estimated, {width: 1.5, z: 4}),
      drawn(context, i, 'planned', orange, planned, {dash: 'dashed', width: 1.5, z: 5}),
    ];
  };
  const rangeOf = (values) => niceEnds(lowest(values.filter(present)), highest(values.filter(present)), 4);
  const ranges = () => [
    ...control().observations.map(({measured, estimated, planned}) =>
      rangeOf([...measured, ...estimated, ...planned]),
    ),
    ...control().actions.map((values, i) => {
      const {lower, upper} = system().action_bounds;
      const ends = rangeOf(values);
      return niceEnds(lower[i] ?? ends.min, upper[i] ?? ends.max, 4);
    }),
  ];
  // At the lower edge of every action, where something went wrong.
  const troublePanel = (context, i, low) => ({
    type: 'scatter',
    id: 'trouble-' + i,
    name: 'trouble',
    color: context.colors.series[5],
    symbol: 'triangle',
    symbolSize: 7,
    xAxisIndex: i,
    yAxisIndex: i,
    data: control().trouble.map((time) => [time, low]),
    z: 6,
  });

  return {
    id: 'control',
    title: 'On the machine',
    wide: true,
    height: (width) => 48 + panelShape(width, panels()).rows * 200,
    explain: () => 'The last run of the controller. ' + controlFacts(control()),
    note: () => control().troubles.map(([time, what]) => formatNumber(time, 5) + ' s: ' + what).join('; '),
    option(context) {
      if (!control()) return missing(source, 'Nothing was controlled with this run.');
      if (control().time.length === 0) return 'The controller has not moved anything yet.';
      const {observation, action} = system();
      const ends = ranges();
      const {time} = control();
      return frame(context, {
        ...panelFrames(context, [...observation, ...action], ends, [time[0], time[time.length - 1]]),
        tooltip: axisTooltip(
          context,
          (at) => formatNumber(at, 6) + ' s',
          (value) => formatNumber(value),
        ),
        series: [
          ...observation.flatMap((unused, i) => observationPanel(context, i)),
          ...action.flatMap((unused, i) => {
            const at = observation.length + i;
            return [
              drawn(context, at, 'done', context.colors.series[0], control().actions[i], {step: 'end'}),
              troublePanel(context, at, ends[at].min),
            ];
          }),
        ],
      });
    },
    csv() {
      const {observation, action} = system();
      const {time, observations, actions} = control();
      return {
        header: [
          'time_s',
          ...observation.flatMap(({name}) => [name + '_measured', name + '_estimated', name + '_planned']),
          ...action.map(({name}) => name),
        ],
        rows: time.map((at, t) => [
          at,
          ...observations.flatMap(({measured, estimated, planned}) => [measured[t], estimated[t], planned[t]]),
          ...actions.map((values) => values[t]),
        ]),
      };
    },
  };
}
