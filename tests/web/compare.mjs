// Does the page of a comparison draw what the runs say?

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  close,
  comparePage,
  dataOf,
  hostile,
  look,
  open,
  option,
  release,
  run,
  seriesData,
  withData,
} from './helpers.mjs';

const middle = (a, b) => (a === null || b === null ? (a ?? b) : (a + b) / 2);

for (const [key, chart] of [
  ['task_cost', 'task-cost'],
  ['log_likelihood', 'likelihood'],
  ['rmse', 'rmse'],
  ['coverage95', 'coverage'],
]) {
  test('the median of ' + key + ' is that of the two runs', async () => {
    const page = await look(comparePage());
    const {groups} = dataOf(comparePage()).systems.find((system) => system.name === 'pendulum');
    const index = groups.findIndex((group) => group.method === 'rhc-evr');
    const [one, two] = [run('pendulum').metrics, run('pendulum-2').metrics];
    const drawn = await seriesData(page, 'pendulum-' + chart, 'group-' + index);
    const expected = drawn.map(([episode]) => [episode, middle(one[episode][key], two[episode][key])]);
    assert.ok(drawn.some(([episode]) => episode === 3));
    close(drawn, expected);
  });
}

test('the band lies between the deciles', async () => {
  const page = await look(comparePage());
  const {groups} = dataOf(comparePage()).systems.find((system) => system.name === 'pendulum');
  for (const [i, group] of groups.entries()) {
    const {episode, decile1, decile9} = group.curves.task_cost;
    close(
      await seriesData(page, 'pendulum-task-cost', 'group-' + i + '-band'),
      episode.map((e, t) => [e, decile1[t], decile9[t]]),
    );
  }
});

test('the paper’s curve is dotted, and its band is off until it is asked for', async () => {
  const page = await look(comparePage());
  const [paper] = dataOf(comparePage()).systems.find((system) => system.name === 'pendulum').paper;
  const {series, legend} = await option(page, 'pendulum-task-cost');
  const line = series.find((item) => item.id === 'paper-0');
  close(
    line.data,
    paper.episode.map((e, i) => [e, paper.median[i]]),
  );
  assert.equal(line.lineStyle.type, 'dotted');
  assert.equal(legend[0].selected[series.find((item) => item.id === 'paper-0-band').name], false);
});

test('the limit is a line of the comparison', async () => {
  const values = await seriesData(await look(comparePage()), 'pendulum-task-cost', 'constant');
  close(
    values.map(([, value]) => value),
    values.map(() => run('pendulum').metrics[0].task_cost_limit),
  );
});

test('each group has a row of final numbers', async () => {
  const page = await look(comparePage());
  const labels = await page.$$eval('section[aria-label="pendulum"] tbody tr', (rows) =>
    rows.map((row) => row.cells[0].textContent),
  );
  assert.deepEqual(
    labels,
    dataOf(comparePage())
      .systems.find((s) => s.name === 'pendulum')
      .groups.map((g) => g.label),
  );
});

test('warnings stand at the top of a comparison', async () => {
  const page = await open(
    withData(comparePage(), (data) => {
      data.warnings = ['these runs differ in ' + hostile];
    }),
  );
  assert.ok((await page.textContent('.box')).includes('these runs differ in ' + hostile));
  await release(page);
});

test('on a phone nothing of a comparison scrolls sideways', async () => {
  const page = await open(comparePage(), {width: 390, height: 844});
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await release(page);
});

test('a hostile label of a group stays text', async () => {
  const page = await open(
    withData(comparePage(), (data) => {
      for (const group of data.systems[0].groups) {
        group.label = hostile;
        group.runs[0].name = hostile;
      }
    }),
  );
  const system = dataOf(comparePage()).systems[0].name;
  await page.evaluate(
    (id) => window.rhcCharts[id].dispatchAction({type: 'showTip', seriesIndex: 0, dataIndex: 2}),
    system + '-task-cost',
  );
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.textContent('table')).includes(hostile));
  await release(page);
});
