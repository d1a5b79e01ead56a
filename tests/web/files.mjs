// Are the pictures and tables that the pages give away right?

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {
  chromiumArguments,
  chromiumPath,
  close,
  comparePage,
  download,
  look,
  pngSize,
  run,
} from './helpers.mjs';

const charts = [
  'task-cost',
  'likelihood',
  'rmse',
  'coverage',
  'information',
  'plane',
  'prediction',
  'calibration',
  'bands',
  'time',
];

function parse(bytes) {
  const [header, ...rows] = bytes
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  return {header, rows: rows.map((row) => row.map((field) => (field === '' ? null : Number(field))))};
}

const csvOf = async (chart) =>
  parse((await download(await look(run('pendulum').page), '#' + chart + '-csv')).bytes);

for (const chart of charts) {
  test('the PNG of ' + chart + ' is a picture of 1800 by 1040', async () => {
    const {name, bytes} = await download(await look(run('pendulum').page), '#' + chart + '-png');
    assert.deepEqual(pngSize(bytes), [1800, 1040]);
    assert.equal(name, 'pendulum-' + chart + '.png');
  });
}

for (const [chart, keys] of [
  ['task-cost', ['task_cost', 'task_cost_predicted', 'task_cost_limit', 'task_cost_closed', 'task_cost_closed_limit']],
  ['likelihood', ['log_likelihood', 'log_likelihood_one_step', 'log_likelihood_paper']],
  ['rmse', ['rmse']],
  ['coverage', ['coverage95']],
  ['information', ['information_planned', 'information_gained']],
  ['time', ['plan_seconds', 'fit_seconds', 'evaluate_seconds']],
]) {
  test('the CSV of ' + chart + ' has the numbers of the metrics', async () => {
    const {header, rows} = await csvOf(chart);
    assert.deepEqual(header.slice(0, keys.length + 1), ['episode', ...keys]);
    const all = run('pendulum').metrics.filter((row) => row.episode > 0 || chart !== 'time');
    close(
      rows.map((row) => row.slice(0, keys.length + 1)),
      all.map((row) => [row.episode, ...keys.map((key) => row[key] ?? null)]),
    );
  });
}

test('the CSV of the plane has every cell of the map and every step of the episodes', async () => {
  const {bytes} = await download(await look(run('pendulum').page), '#plane-csv');
  const lines = bytes.toString('utf8').trimEnd().split('\n');
  const plane = run('pendulum').data.planes[0];
  const steps = run('pendulum').episodes.reduce((sum, episode) => sum + episode.step.length, 0);
  assert.equal(lines.filter((line) => line.startsWith('entropy,')).length, plane.columns * plane.rows);
  assert.equal(lines.filter((line) => line.startsWith('path,')).length, steps);
});

test('the CSV of the prediction has what was expected and what happened', async () => {
  const {header, rows} = await csvOf('prediction');
  const {episodes, data} = run('pendulum');
  const column = (name) => rows.map((row) => row[header.indexOf(name)]);
  close(column('thetadot_executed'), episodes.at(-1).thetadot);
  close(column('thetadot_expected'), data.predictions.at(-1).mean[2]);
  close(column('thetadot_sd'), data.predictions.at(-1).sd[2]);
});

test('the CSV of the calibration has all episodes', async () => {
  const {rows} = await csvOf('calibration');
  const expected = run('pendulum').data.calibration.flatMap((item) =>
    item.level.map((level, i) => [
      item.episode,
      level,
      item.test ? item.test[i] : null,
      item.next_episode ? item.next_episode[i] : null,
    ]),
  );
  close(rows, expected);
});

function picturesOf(page) {
  const printed = execFileSync(
    chromiumPath,
    ['--headless', ...chromiumArguments, '--dump-dom', pathToFileURL(page).href + '#png'],
    {encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'ignore']},
  );
  return JSON.parse(/<script type="application\/json" id="pictures">([^]*?)<\/script>/.exec(printed)[1]);
}

const bytesOf = (url) => Buffer.from(url.replace(/^data:image\/png;base64,/, ''), 'base64');

test('a browser without a window prints all pictures of a run', () => {
  const pictures = picturesOf(run('pendulum').page);
  assert.deepEqual(Object.keys(pictures).sort(), [...charts].sort());
  for (const [name, url] of Object.entries(pictures))
    assert.deepEqual(pngSize(bytesOf(url)), [1800, 1040], name);
});

test('a browser without a window prints all pictures of a comparison', () => {
  const names = ['pendulum', 'mountain-car'].flatMap((system) =>
    ['task-cost', 'likelihood', 'rmse', 'coverage'].map((chart) => system + '-' + chart),
  );
  assert.deepEqual(Object.keys(picturesOf(comparePage())).sort(), names.sort());
});

for (const name of ['pendulum', 'cartpole', 'mountain-car']) {
  test('the page of the ' + name + ' is under 3 MB', () => {
    assert.ok(fs.statSync(run(name).page).size < 3e6);
  });
}
