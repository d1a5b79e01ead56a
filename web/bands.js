// bands.js: do free-running forecasts hold, so many steps ahead?

// Shares of so many lines, a line an observation, with one at 95 %.
function sharesOption(context, steps, names, shares, tooltipOf) {
  const percent = (value) => formatNumber(100 * value, 3) + ' %';
  const lowestShare = lowest(shares.flat().filter(present));
  const interval = lowestShare >= 0.8 ? 0.05 : lowestShare >= 0.5 ? 0.1 : 0.2;
  const low = Math.min(0.8, interval * Math.floor(lowestShare / interval + 1e-9));
  return frame(context, {
    xAxis: axis(context, {
      name: 'steps ahead',
      min: 0,
      max: highest(steps),
      axisPointer: {snap: true},
      splitLine: {show: false},
    }),
    yAxis: yAxis(context, {
      name: 'inside the 95 % band',
      min: Number(low.toFixed(2)),
      max: 1,
      interval,
      format: percent,
    }),
    tooltip: axisTooltip(context, tooltipOf, percent),
    series: [
      ...names.map((name, i) =>
        line({
          id: 'inside-' + i,
          name,
          color: context.colors.series[i % context.colors.series.length],
          data: steps.map((step, k) => [step, shares[i][k]]),
        }),
      ),
      line({
        id: 'nominal',
        name: 'honest',
        color: context.colors.muted,
        dash: 'dotted',
        width: 1.5,
        symbol: 'none',
        tooltip: {show: false},
        data: [
          [0, 0.95],
          [highest(steps), 0.95],
        ],
      }),
    ],
  });
}

function bandsSpec(source) {
  const bands = () => source.data.bands;
  const names = () => source.data.system.observation.map(({name}) => name);
  const spanOf = (step) => {
    const at = bands().steps.indexOf(step);
    return 'steps ' + (at > 0 ? bands().steps[at - 1] + 1 : 1) + ' to ' + step;
  };
  return {
    id: 'bands',
    title: 'Announced and come',
    explain:
      'Of what was measured so many steps after the start of an episode, how much was inside the 95 % band ' +
      'that had been announced? Over all episodes with a forecast.',
    option(context) {
      if (!bands()) return missing(source, 'No episode of this run was predicted.');
      return sharesOption(context, bands().steps, names(), bands().inside, spanOf);
    },
    csv: () => ({
      header: ['last_step', 'points', ...names().map((name) => name + '_inside')],
      rows: (bands() ? bands().steps : []).map((step, k) => [
        step,
        bands().points[k],
        ...bands().inside.map((row) => row[k]),
      ]),
    }),
  };
}

const validated = (validation) =>
  formatNumber(validation.points) +
  ' forecasts from ' +
  formatNumber(validation.logs) +
  (validation.logs === 1 ? ' log' : ' logs') +
  ' (rhc validate), by a model of ' +
  formatNumber(validation.transitions) +
  ' transitions.';

function validationCsv(validation) {
  const columns = ['rmse', 'nothing_moves', 'coverage'];
  return {
    header: ['step', ...validation.observations.flatMap((name) => columns.map((key) => name + '_' + key))],
    rows: validation.steps.map((step, k) => [
      step,
      ...validation.observations.flatMap((unused, i) => columns.map((key) => validation[key][i][k])),
    ]),
  };
}

function validationErrorSpec(source) {
  const kept = () => source.data.validation;
  const relative = (i, k) => kept().rmse[i][k] / kept().nothing_moves[i][k];
  return {
    id: 'validation-error',
    title: 'Error on other logs',
    explain: () =>
      'Error of the forecast, as a share of the error of saying that nothing moves. ' +
      (kept() ? validated(kept()) : ''),
    option(context) {
      if (!kept()) return missing(source, 'No log was validated.');
      return frame(context, {
        xAxis: axis(context, {
          name: 'steps ahead',
          min: 0,
          max: highest(kept().steps),
          axisPointer: {snap: true},
          splitLine: {show: false},
        }),
        yAxis: yAxis(context, {name: 'error, relative', min: 0}),
        tooltip: axisTooltip(
          context,
          (step) => step + ' steps ahead',
          (value) => formatNumber(value, 3),
        ),
        series: kept().observations.map((name, i) =>
          line({
            id: 'error-' + i,
            name,
            color: context.colors.series[i % context.colors.series.length],
            data: kept().steps.map((step, k) => [
              step,
              Number.isFinite(relative(i, k)) ? relative(i, k) : null,
            ]),
          }),
        ),
      });
    },
    csv: () => validationCsv(kept()),
  };
}

function validationCoverageSpec(source) {
  const kept = () => source.data.validation;
  return {
    id: 'validation-coverage',
    title: 'Bands on other logs',
    explain: () =>
      'Of what was measured so many steps after a forecast began, how much was inside its 95 % band? ' +
      (kept() ? validated(kept()) : ''),
    option(context) {
      if (!kept()) return missing(source, 'No log was validated.');
      return sharesOption(
        context,
        kept().steps,
        kept().observations,
        kept().coverage,
        (step) => step + ' steps ahead',
      );
    },
    csv: () => validationCsv(kept()),
  };
}
