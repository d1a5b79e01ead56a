// Do the words and tables of a run's page say what is so?

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {hostile, look, open, option, release, run, withData} from './helpers.mjs';

const pendulum = () => run('pendulum');
const text = async (selector) => (await look(pendulum().page)).textContent(selector);

test('the header names system, method, seed and status', async () => {
  const header = await text('header');
  for (const word of ['pendulum', 'rhc-evr', 'seed 1', 'finished']) assert.ok(header.includes(word), word);
});

test('the key number of the task cost says how far above the limit it is', async () => {
  const {task_cost: cost, task_cost_limit: limit} = pendulum().metrics.at(-1);
  const number = await text('#number-task-cost');
  assert.ok(number.includes(Math.round(cost).toLocaleString('en-US')), number);
  // The limit of this small run is a good plan, not the best: a cost may be below it.
  const [, digits, side] = /([\d.]+)\s% (above|below)/.exec(await text('#number-task-cost .aside'));
  const percent = Number(digits) * (side === 'above' ? 1 : -1);
  assert.ok(Math.abs(percent - (100 * (cost - limit)) / limit) < 0.06 * Math.abs(percent), number);
});

test('the key number of the coverage is the last one', async () => {
  const share = 100 * pendulum().metrics.at(-1).coverage95;
  assert.ok(Math.abs(parseFloat(await text('#number-coverage .value')) - share) < 0.1);
});

test('the total time is the sum of all parts', async () => {
  const keys = ['plan_seconds', 'fit_seconds', 'evaluate_seconds'];
  const sum = pendulum().metrics.reduce(
    (total, row) => total + keys.reduce((part, key) => part + row[key], 0),
    0,
  );
  const [, value, unit] = /([\d.]+)\s(ms|s)/.exec(await text('#number-time .value'));
  assert.ok(Math.abs(Number(value) * (unit === 'ms' ? 1e-3 : 1) - sum) < 0.05 * sum);
});

test('the episodes until within 1 % of the limit are counted', async () => {
  const page = await open(
    withData(pendulum().page, (data) => {
      data.metrics.forEach((row) =>
        Object.assign(row, {task_cost_limit: 100, task_cost: row.episode === 2 ? 100.9 : 200}),
      );
    }),
  );
  assert.equal(await page.textContent('#number-near .value'), '2');
  await release(page);
});

test('episodes that left the limits or ended early are counted and noted', async () => {
  const words = 'left the limits at step 15: speed = 8.3';
  const page = await open(
    withData(pendulum().page, (data) => {
      data.metrics.forEach((row) => Object.assign(row, {trouble: row.episode === 2 ? words : null}));
    }),
  );
  const episodes = pendulum().metrics.length - 1;
  assert.equal(await page.textContent('#number-noted .value'), '1 of ' + episodes);
  assert.equal(await page.textContent('#number-noted .aside'), 'last, in episode 2: ' + words);
  await page.click('#metrics summary');
  await page.waitForSelector('#metrics tbody');
  const notes = await page.locator('#metrics tbody td:nth-child(3)').allTextContents();
  assert.deepEqual(
    notes,
    pendulum().metrics.map((row) => (row.episode === 2 ? words : '')),
  );
  await release(page);
});

test('a run without such episodes does not speak of them', async () => {
  assert.equal(await (await look(pendulum().page)).locator('#number-noted').count(), 0);
});

test('the table of all numbers has a row for each row of the metrics', async () => {
  const page = await open(pendulum().page);
  assert.equal(await page.isVisible('#metrics table'), false);
  await page.click('#metrics summary');
  await page.waitForSelector('#metrics tbody');
  assert.equal(await page.locator('#metrics tbody tr').count(), pendulum().metrics.length);
  await release(page);
});

test('settings that differ from the default are marked, and only those', async () => {
  const page = await look(pendulum().page);
  const marked = await page.$$eval('#settings tr.changed code', (nodes) =>
    nodes.map((node) => node.textContent),
  );
  const expected = pendulum()
    .data.settings.filter((s) => s.value !== s.default)
    .flatMap((s) => [s.key, s.value, s.default]);
  assert.deepEqual(marked, expected);
  assert.ok(expected.includes('features'));
});

test('the command that repeats the run is there, with a button that copies it', async () => {
  const page = await open(pendulum().page);
  assert.equal(await page.textContent('#reproduce code'), pendulum().data.reproduce);
  await page.click('#reproduce button');
  await page.waitForFunction(() =>
    /Copied|Selected/.test(document.querySelector('#reproduce button').textContent),
  );
  await release(page);
});

test('problems stand at the top', async () => {
  const page = await open(
    withData(pendulum().page, (data) => {
      data.problems = ['episodes/0002.csv is cut off'];
    }),
  );
  assert.ok((await page.textContent('.box.bad')).includes('episodes/0002.csv is cut off'));
  assert.ok((await page.locator('.box.bad').boundingBox()).y < 300);
  await release(page);
});

test('no box of problems where there is none', async () => {
  assert.equal(await (await look(pendulum().page)).locator('.box').filter({visible: true}).count(), 0);
});

test('a run that was not judged has no card that says so', async () => {
  const page = await look(run(hostile).page);
  for (const id of ['task-cost', 'likelihood', 'rmse', 'coverage'])
    assert.equal(await page.isVisible('#' + id), false, id);
  assert.ok(await page.isVisible('#information'));
});

test('a run that has just begun has all its cards', async () => {
  const page = await open(
    withData(run(hostile).page, (data) => {
      data.manifest.status = 'running';
    }),
  );
  assert.equal(await page.textContent('#task-cost .reason'), 'Nothing to show yet.');
  await release(page);
});

test('a run that took no time says nothing of it', async () => {
  assert.ok(await (await look(pendulum().page)).isVisible('#number-time'));
  const page = await open(
    withData(pendulum().page, (data) => {
      for (const row of data.metrics) row.plan_seconds = row.fit_seconds = row.evaluate_seconds = 0;
    }),
  );
  assert.equal(await page.locator('#number-time').count(), 0);
  await release(page);
});

test('a run without predictions, maps and calibration draws no empty chart', async () => {
  const page = await open(
    withData(pendulum().page, (data) => {
      Object.assign(data, {
        predictions: [],
        planes: [],
        calibration: [],
        tasks: [],
        episodes: [],
        best_achievable: null,
      });
    }),
  );
  for (const id of ['plane', 'prediction', 'calibration']) {
    assert.equal(await page.isVisible('#' + id), false, id);
  }
  assert.equal(await page.isVisible('text=What it expected'), false);
  assert.equal(await page.isVisible('#animation-canvas'), false);
  await release(page);
});

test('hovering over a chart shows the value', async () => {
  const page = await open(pendulum().page);
  const [x, y] = await page.evaluate((cost) => {
    const chart = window.rhcCharts['task-cost'];
    const box = chart.getDom().getBoundingClientRect();
    const [px, py] = chart.convertToPixel({seriesId: 'cost'}, [2, cost]);
    return [box.left + px, box.top + py];
  }, pendulum().metrics[2].task_cost);
  await page.mouse.move(x, y);
  await page.waitForSelector('#task-cost .tip');
  const words = await page.textContent('#task-cost .tip');
  assert.ok(words.includes('episode 2'), words);
  assert.ok(words.includes(Math.round(pendulum().metrics[2].task_cost).toLocaleString('en-US')), words);
  await release(page);
});

test('axes have names with units', async () => {
  const page = await look(run('cartpole').page);
  const names = (await option(page, 'prediction')).yAxis.map((axis) => axis.name);
  const {observation, action} = run('cartpole').data.system;
  assert.deepEqual(
    names,
    [...observation, ...action].map(({name, unit}) => (unit ? name + ', ' + unit : name)),
  );
});
