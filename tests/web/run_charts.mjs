// Does every chart of a run draw what the run's files say?

import assert from 'node:assert/strict';
import {test} from 'node:test';
import fs from 'node:fs';
import path from 'node:path';
import {
  close,
  folder,
  handle,
  look,
  open,
  option,
  release,
  rhc,
  run,
  seriesData,
  slideTo,
  withData,
} from './helpers.mjs';

const pendulum = () => run('pendulum');
const judged = () => pendulum().metrics.filter((row) => row.episode > 0);
const column = (rows, key) => rows.map((row) => [row.episode, row[key]]);
const drawn = async (chart, id, name = 'pendulum') => seriesData(await look(run(name).page), chart, id);

test('the task cost is the one of the metrics', async () => {
  close(await drawn('task-cost', 'cost'), column(judged(), 'task_cost'));
});

test('the cost that the model expected is the one of the metrics', async () => {
  close(await drawn('task-cost', 'predicted'), column(judged(), 'task_cost_predicted'));
});

test('the cost with feedback is the one of the metrics', async () => {
  close(await drawn('task-cost', 'closed'), column(judged(), 'task_cost_closed'));
});

test('the limit is a line through all episodes', async () => {
  close(await drawn('task-cost', 'limit'), column(judged(), 'task_cost_limit'));
});

test('the log switch of the task cost shows the excess over the limit', async () => {
  const page = await open(pendulum().page);
  await page.check('#task-cost-scale-log', {force: true});
  close(
    await seriesData(page, 'task-cost', 'excess'),
    judged().map((row) => [
      row.episode,
      row.task_cost > row.task_cost_limit ? row.task_cost - row.task_cost_limit : null,
    ]),
  );
  assert.equal((await option(page, 'task-cost')).yAxis[0].type, 'log');
  await release(page);
});

for (const key of ['log_likelihood', 'log_likelihood_one_step', 'log_likelihood_paper']) {
  test('the likelihood chart draws ' + key, async () => {
    close(await drawn('likelihood', key), column(judged(), key));
  });

  test('the likelihood chart has the best achievable ' + key, async () => {
    close(
      await drawn('likelihood', 'best-' + key),
      judged().map((row) => [row.episode, pendulum().best[key]]),
    );
  });
}

test('the error is drawn on a log axis, from before any data', async () => {
  close(await drawn('rmse', 'rmse'), column(pendulum().metrics, 'rmse'));
  assert.equal((await option(await look(pendulum().page), 'rmse')).yAxis[0].type, 'log');
});

test('the best achievable error is a line', async () => {
  close(
    await drawn('rmse', 'best'),
    pendulum().metrics.map((row) => [row.episode, pendulum().best.rmse]),
  );
});

test('the coverage is the one of the metrics', async () => {
  close(await drawn('coverage', 'coverage95'), column(judged(), 'coverage95'));
});

test('the coverage has a line at 95 %', async () => {
  close(
    await drawn('coverage', 'nominal'),
    judged().map((row) => [row.episode, 0.95]),
  );
});

for (const key of ['information_planned', 'information_gained']) {
  test('the chart of information draws ' + key, async () => {
    close(
      await drawn('information', key),
      column(
        judged().filter((row) => row.episode > 1),
        key,
      ),
    );
  });
}

test('the chart of information draws what each observation told, where they differ', async () => {
  const rows = judged().filter((row) => row.episode > 1);
  const parts = rows.map((row) => row.information_by_output);
  const names = pendulum().data.system.observation.map((o) => o.name);
  const differ = parts.some((part) => part.some((value) => value !== part[0]));
  const ids = (await option(await look(pendulum().page), 'information')).series.map((s) => s.id);
  assert.equal(ids.filter((id) => id.startsWith('gained-')).length, differ ? names.length : 0);
  if (!differ) return;
  for (const [i, name] of names.entries())
    close(
      await drawn('information', 'gained-' + name),
      rows.map((row) => [row.episode, row.information_by_output[i]]),
    );
});

for (const key of ['plan_seconds', 'fit_seconds', 'evaluate_seconds']) {
  test('the chart of time stacks ' + key, async () => {
    close(
      await drawn('time', key),
      judged().map((row) => row[key]),
    );
    const series = (await option(await look(pendulum().page), 'time')).series;
    assert.ok(series.every((bar) => bar.stack === series[0].stack));
  });
}

function decoded(map) {
  return [...Buffer.from(map.cells, 'base64')].map((byte) => map.low + ((map.high - map.low) * byte) / 255);
}

test('the entropy map is the last one of the data, row by row from below', async () => {
  const plane = pendulum().data.planes[0];
  const values = decoded(plane.maps.at(-1));
  const center = ([low, high], count, i) => low + ((high - low) * (i + 0.5)) / count;
  close(
    await drawn('plane', 'entropy'),
    values.map((value, i) => [
      center(plane.x_range, plane.columns, i % plane.columns),
      center(plane.y_range, plane.rows, Math.floor(i / plane.columns)),
      value,
    ]),
  );
});

test('the path over the map is the last episode, broken where the angle wraps', async () => {
  const {cos, sin, thetadot} = pendulum().episodes.at(-1);
  const angles = cos.map((c, i) => Math.atan2(sin[i], c));
  const coordinates = pendulum().data.coordinates;
  const plane = pendulum().data.planes[0];
  assert.deepEqual(
    [coordinates[plane.x].cosine, coordinates[plane.y].index],
    [0, 2],
    'the plane of the pendulum',
  );
  const path = angles.flatMap((angle, i) =>
    i > 0 && Math.abs(angle - angles[i - 1]) > Math.PI
      ? [
          [null, null],
          [angle, thetadot[i]],
        ]
      : [[angle, thetadot[i]]],
  );
  close(await drawn('plane', 'current'), path);
});

test('the earlier paths are those of the other episodes', async () => {
  const points = (await drawn('plane', 'earlier')).filter(([x]) => x !== null);
  const expected = pendulum()
    .episodes.slice(0, -1)
    .flatMap(({cos, sin, thetadot}) => cos.map((c, i) => [Math.atan2(sin[i], c), thetadot[i]]));
  close(points, expected);
});

for (const name of ['pendulum', 'cartpole', 'mountain-car']) {
  test('what was executed on the ' + name + ' is the last episode’s file', async () => {
    const {data, episodes} = run(name);
    for (const [i, quantity] of data.system.observation.entries()) {
      const expected = episodes.at(-1)[quantity.name].map((value, t) => [t * data.system.time_step, value]);
      close(await drawn('prediction', 'executed-' + i, name), expected, quantity.name);
    }
  });
}

test('what was expected is the prediction of the data', async () => {
  const {predictions, system} = pendulum().data;
  for (const [i, mean] of predictions.at(-1).mean.entries()) {
    close(
      await drawn('prediction', 'mean-' + i),
      mean.map((value, t) => [t * system.time_step, value]),
    );
  }
});

test('the band is 1.96 standard deviations around what was expected', async () => {
  const {predictions, system} = pendulum().data;
  const {mean, sd} = predictions.at(-1);
  for (const i of mean.keys()) {
    close(
      await drawn('prediction', 'band-' + i),
      mean[i].map((value, t) => [t * system.time_step, value - 1.96 * sd[i][t], value + 1.96 * sd[i][t]]),
    );
  }
});

test('the executed action is held for a step, as in the episode’s file', async () => {
  const actions = pendulum().episodes.at(-1).action;
  close(
    await drawn('prediction', 'action-0'),
    [...actions, actions.at(-1)].map((value, t) => [t * pendulum().data.system.time_step, value]),
  );
});

for (const key of ['test', 'next_episode']) {
  test('the calibration draws the shares of ' + key, async () => {
    const known = pendulum().data.calibration.findIndex((item) => item[key]);
    assert.ok(known >= 0);
    const page = await handle(pendulum().page);
    await slideTo(page, '#calibration-slider', known);
    const item = pendulum().data.calibration[known];
    close(
      await seriesData(page, 'calibration', key),
      item.level.map((level, i) => [level, item[key][i]]),
    );
  });
}

// In tenths of the horizon, over all episodes that were predicted.
test('the announced bands are those of the predictions, against the episodes', async () => {
  const {directory, episodes, data} = run('pendulum');
  const shares = data.system.observation.map(() => Array.from({length: 10}, () => [0, 0]));
  for (const number of [2, 3]) {
    const [header, ...rows] = fs
      .readFileSync(path.join(directory, 'predictions', String(number).padStart(4, '0') + '.csv'), 'utf8')
      .trim()
      .split('\n')
      .map((text) => text.split(','));
    for (const [i, {name}] of data.system.observation.entries()) {
      const [mean, sd] = [header.indexOf(name), header.indexOf(name + '_sd')];
      episodes[number - 1][name].forEach((value, t) => {
        if (t === 0) return;
        const bin = shares[i][Math.floor((t - 1) / 10)];
        bin[0] += Math.abs(value - Number(rows[t][mean])) <= 1.959964 * Number(rows[t][sd]) ? 1 : 0;
        bin[1] += 1;
      });
    }
  }
  for (const i of shares.keys()) {
    close(
      await drawn('bands', 'inside-' + i),
      shares[i].map(([inside, all], k) => [10 * (k + 1), inside / all]),
    );
  }
});

test('a validation that is kept has its error and its bands', async () => {
  const name = 'pendulum-2';
  const log = path.join(run('pendulum-random').directory, 'episodes/0001.csv');
  const told = JSON.parse(rhc('validate', run(name).directory, log, '--steps', '6', '--write', '--json'));
  const file = path.join(folder, 'validated.html');
  rhc('report', run(name).directory, '--out', file);
  const page = await open(file);
  for (const [i, key] of Object.keys(told.observations).entries()) {
    const {rmse, coverage, nothing_moves: still} = told.observations[key].by_step;
    close(
      await seriesData(page, 'validation-error', 'error-' + i),
      rmse.map((error, k) => [k + 1, error / still[k]]),
    );
    close(
      await seriesData(page, 'validation-coverage', 'inside-' + i),
      coverage.map((share, k) => [k + 1, share]),
    );
  }
  assert.match(await page.textContent('#validation-error .explain'), /95 forecasts from 1 log .* 300 transitions/);
  await release(page);
  assert.equal(await (await look(pendulum().page)).locator('#validation-error').count(), 0);
});

test('what is not known is a gap, not a zero', async () => {
  const page = await open(
    withData(pendulum().page, (data) => {
      Object.assign(data.metrics[2], {task_cost: null, rmse: null, log_likelihood: null, coverage95: null});
    }),
  );
  for (const [chart, id] of [
    ['task-cost', 'cost'],
    ['rmse', 'rmse'],
    ['likelihood', 'log_likelihood'],
    ['coverage', 'coverage95'],
  ]) {
    const series = (await option(page, chart)).series.find((item) => item.id === id);
    assert.deepEqual(
      series.data.find(([episode]) => episode === 2),
      [2, null],
      chart,
    );
    assert.equal(series.connectNulls, false, chart);
  }
  await release(page);
});

test('a cost a thousand times the rest does not flatten the curve', async () => {
  const page = await open(
    withData(pendulum().page, (data) => {
      const last = data.metrics.at(-1);
      data.metrics[1].task_cost = 1e7;
      for (let episode = 4; episode < 9; episode++) data.metrics.push({...last, episode});
    }),
  );
  assert.ok((await option(page, 'task-cost')).yAxis[0].max < 1e5);
  assert.match(await page.textContent('#task-cost .note'), /episode 1 \(1e7\)/);
  await release(page);
});
