// Does the page of a reproduction show what its runs say? In a process of its own: it makes its own runs.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {
  chromiumArguments,
  chromiumPath,
  close,
  dataOf,
  download,
  folder,
  hostile,
  look,
  open,
  option,
  pngSize,
  release,
  rhc,
  seriesData,
  troubles,
  withData,
} from './helpers.mjs';

const grid = `[grid]
system = ["pendulum"]
method = ["random", "rhc-us"]
seed = "1-3"
[settings]
episodes = 6
features = 20
evidence_starts = 2
plan_starts = 2
task_starts = 2
task_hops = 0
task_draws = 0
limit_hops = 0
test_trajectories = 20
test_steps = 3
best_achievable_transitions = 20
`;

const out = path.join(folder, 'reproduction');
fs.writeFileSync(path.join(folder, 'grid.toml'), grid);
rhc('reproduce', '--grid', path.join(folder, 'grid.toml'), '--out', out, '--jobs', '2');
const page = path.join(out, 'reproduce.html');

// The runs, wherever they lie, read without the page's help.
const runs = fs
  .readdirSync(out, {recursive: true})
  .filter((file) => path.basename(file) === 'manifest.json')
  .map((file) => {
    const directory = path.join(out, path.dirname(file));
    const text = (name) => fs.readFileSync(path.join(directory, name), 'utf8').trim();
    const metrics = text('metrics.jsonl')
      .split('\n')
      .map((line) => JSON.parse(line));
    return {directory, manifest: JSON.parse(text('manifest.json')), metrics, text};
  });
const runsOf = (method) => runs.filter((run) => run.manifest.method === method);

const sorted = (values) => [...values].sort((a, b) => a - b);
const firstDecile = ([a, b]) => a + 0.2 * (b - a); // of three sorted values
const ninthDecile = ([, b, c]) => c - 0.2 * (c - b);
const known = (data) => data.filter((point) => point[1] !== null);
const groupIndex = (method) =>
  dataOf(page).systems[0].groups.findIndex((group) => group.method === method);

test('there are the six runs of the grid', () => {
  assert.equal(runs.length, 6);
  assert.equal(dataOf(page).made.runs, 6);
});

for (const [chart, key] of [
  ['figure1-pendulum-task-cost', 'task_cost'],
  ['figure1-pendulum-likelihood', 'log_likelihood'],
])
  for (const method of ['random', 'rhc-us'])
    test('figure 1 has median and deciles of ' + key + ' of ' + method, async () => {
      const view = await look(page);
      const id = 'group-' + groupIndex(method);
      const values = [1, 2, 3, 4, 5, 6].map((e) => sorted(runsOf(method).map((run) => run.metrics[e][key])));
      close(
        known(await seriesData(view, chart, id)),
        values.map((three, i) => [i + 1, three[1]]),
      );
      close(
        known(await seriesData(view, chart, id + '-band')),
        values.map((three, i) => [i + 1, firstDecile(three), ninthDecile(three)]),
      );
    });

test('the likelihood can be that of the paper', async () => {
  const view = await open(page);
  await view.check('#figure1-pendulum-likelihood-measure input[value="log_likelihood_paper"]', {force: true});
  const drawn = await seriesData(view, 'figure1-pendulum-likelihood', 'group-' + groupIndex('rhc-us'));
  close(
    known(drawn).map(([, value]) => value),
    [1, 2, 3, 4, 5, 6].map(
      (e) => sorted(runsOf('rhc-us').map((run) => run.metrics[e].log_likelihood_paper))[1],
    ),
  );
  await release(view);
});

test('figure 1 has the lines of the best achievable and of the limit', async () => {
  const view = await look(page);
  const best = JSON.parse(runs[0].text('best_achievable.json')).log_likelihood;
  const limit = runs[0].metrics[0].task_cost_limit;
  for (const [chart, value] of [
    ['likelihood', best],
    ['task-cost', limit],
  ]) {
    const line = await seriesData(view, 'figure1-pendulum-' + chart, 'constant');
    close(line[0][1], value);
  }
});

test('the paper’s curves are dotted, in the colour of the same method', async () => {
  const view = await look(page);
  const {series} = await option(view, 'figure1-pendulum-task-cost');
  const {paper} = dataOf(page).systems[0];
  const line = (id) => series.find((item) => item.id === id);
  paper.forEach((curve, i) => assert.equal(line('paper-' + i).lineStyle.type, 'dotted'));
  for (const method of ['random', 'rhc-us']) {
    const i = paper.findIndex((curve) => curve.method === method);
    assert.equal(line('paper-' + i).lineStyle.color, line('group-' + groupIndex(method)).lineStyle.color);
  }
  const likelihood = (await option(view, 'figure1-pendulum-likelihood')).series;
  assert.ok(!likelihood.some((item) => item.id.startsWith('paper')), 'the paper published none');
});

test('figure 2 has episodes 2, 3 and 6 in the same colours', async () => {
  const view = await look(page);
  const scales = [];
  for (const episode of [2, 3, 6]) {
    const {visualMap} = await option(view, 'figure2-episode-' + episode);
    scales.push([visualMap[0].min, visualMap[0].max]);
  }
  assert.deepEqual(scales[1], scales[0]);
  assert.deepEqual(scales[2], scales[0]);
});

test('the path of figure 2 is the episode’s', async () => {
  const {figure2} = dataOf(page);
  assert.equal(figure2.method, 'rhc-us');
  const run = runs.find(({directory}) => path.basename(directory) === figure2.run);
  assert.equal(run.manifest.seed, figure2.seed);
  for (const episode of [2, 3, 6]) {
    const [header, ...rows] = run
      .text('episodes/000' + episode + '.csv')
      .split('\n')
      .map((line) => line.split(','));
    const at = (row, name) => Number(row[header.indexOf(name)]);
    const drawn = await seriesData(await look(page), 'figure2-episode-' + episode, 'current');
    const points = drawn.filter(([x]) => x !== null);
    close(
      points.map(([, y]) => y),
      rows.map((row) => at(row, 'thetadot')),
    );
    // As points on the circle: at the seam an angle may have either sign.
    close(
      points.map(([x]) => Math.cos(x)),
      rows.map((row) => at(row, 'cos')),
    );
  }
});

test('figure 2 can show the models that planned the episodes', async () => {
  const view = await open(page);
  const highest = async () => {
    const cells = await seriesData(view, 'figure2-episode-3', 'entropy');
    return Math.max(...cells.map((cell) => cell[2]));
  };
  const map = (episode) => dataOf(page).figure2.plane.maps.find((item) => item.episode === episode);
  close(await highest(), map(3).high);
  await view.check('#figure2-moment input[value="before"]', {force: true});
  close(await highest(), map(2).high);
  assert.ok((await view.textContent('#figure2-episode-3')).includes('after episode 2, which planned this'));
  await release(view);
});

test('figure 2 says why it is missing', async () => {
  const view = await open(
    withData(page, (data) => {
      data.figure2 = {missing: 'It needs 6 episodes, and the run x has 5.'};
    }),
  );
  assert.ok((await view.textContent('#figure2')).includes('It needs 6 episodes, and the run x has 5.'));
  await release(view);
});

const cellsOf = async (label) =>
  (await look(page)).$$eval('table[aria-label="' + label + '"] tbody tr', (rows) =>
    rows.map((row) => [...row.cells].map((cell) => cell.textContent)),
  );

test('the times of the runs are those of their manifests', async () => {
  const times = dataOf(page).run_times;
  for (const time of times) {
    const seconds = sorted(runsOf(time.label).map((run) => run.manifest.cpu_seconds));
    close(time.mean, (seconds[0] + seconds[1] + seconds[2]) / 3);
    close(time.median, seconds[1]);
    assert.equal(time.ratio, null, 'six episodes are not twenty');
  }
  const rows = await cellsOf('Time of a run');
  assert.deepEqual(
    rows.map((row) => [row[0], row[1], row[2], row[3], row[6], row[7]]),
    [
      ['pendulum', 'rhc-us', '3', '6', '0.8 h', '–'],
      ['', 'random', '3', '6', '0.09 h', '–'],
    ],
  );
});

test('a table says how many runs came within 1 % of the limit', async () => {
  const rows = await cellsOf('Episodes until the limit');
  assert.deepEqual(
    rows.map((row) => [row[1], row[4]]),
    ['rhc-us', 'random'].map((method) => {
      const arrived = runsOf(method).filter((run) =>
        run.metrics.some((row) => row.task_cost !== null && row.task_cost <= 1.01 * row.task_cost_limit),
      );
      return [method, arrived.length + ' of 3'];
    }),
  );
});

test('what the paper could not run is marked', async () => {
  const view = await open(
    withData(page, (data) => {
      data.run_times[0].paper = {hours: null};
      data.run_times[1].paper = null;
      data.run_times[1].ratio = 1234;
    }),
  );
  const text = await view.textContent('table[aria-label="Time of a run"]');
  for (const words of ['could not run', 'not in it', '1,234']) assert.ok(text.includes(words), words);
  await release(view);
});

test('results.md has the numbers of the page', () => {
  const text = fs.readFileSync(path.join(out, 'results.md'), 'utf8');
  const {final} = dataOf(page).systems[0].groups[groupIndex('rhc-us')];
  const cost = final.task_cost.median.toFixed(0);
  const row = text.split('\n').find((line) => /^\| pendulum +\| rhc-us +\| +3 \| +6 \|/.test(line));
  assert.ok(row.includes('| ' + cost + ' [') || row.includes(' ' + cost + ' ['), row);
});

test('it says what made the runs', async () => {
  const text = await (await look(page)).textContent('#made');
  const {rhc: version, compiler, cpu} = runs[0].manifest;
  for (const words of ['6, of which 6 are finished', version, compiler, cpu])
    assert.ok(text.includes(words), words);
});

const methods = ['rhc-evr', 'rhc-info', 'rhc-us', 'max', 'sac-ig', 'sac-pe', 'random'];
const sevenMethods = () =>
  withData(page, (data) => {
    const [system] = data.systems;
    system.groups = methods.map((label) => ({...structuredClone(system.groups[0]), label, method: label}));
    data.systems.push({...structuredClone(system), name: 'cartpole', groups: system.groups.slice(2)});
  });

test('seven methods have seven colours and signs, the same for all systems', async () => {
  const view = await open(sevenMethods());
  const colors = async (chart) =>
    new Map(
      (await option(view, chart)).series
        .filter((item) => /^group-\d+$/.test(item.id))
        .map((item) => [item.name, item.lineStyle.color + ' ' + item.symbol]),
    );
  const [first, second] = [
    await colors('figure1-pendulum-task-cost'),
    await colors('figure1-cartpole-likelihood'),
  ];
  assert.equal(new Set(first.values()).size, 7);
  assert.equal(second.size, 5);
  for (const [name, color] of second) assert.equal(color, first.get(name), name);
  await release(view);
});

for (const width of [390, 900, 1280])
  test('a long legend does not cover the chart at a width of ' + width, async () => {
    const view = await open(sevenMethods(), {width, height: 844});
    assert.equal(await view.evaluate(() => document.documentElement.scrollWidth), width);
    const [legend, chart] = await view.evaluate(() => {
      const chart = window.rhcCharts['figure1-pendulum-task-cost'];
      const box = chart.getViewOfComponentModel(chart.getModel().getComponent('legend')).group;
      const {y, height} = box.getBoundingRect();
      return [box.y + y + height, chart.getModel().getComponent('grid').coordinateSystem.getRect().y];
    });
    assert.ok(legend < chart, legend + ' and ' + chart);
    await release(view);
  });

test('an episode that failed does not flatten the picture, and the chart says so', async () => {
  const view = await open(
    withData(page, (data) => {
      data.systems[0].groups[0].curves.task_cost.decile9[3] = 1e7;
      data.systems[0].groups[1].curves.task_cost.median[4] = 1e8;
    }),
  );
  const {yAxis} = await option(view, 'figure1-pendulum-task-cost');
  assert.ok(yAxis[0].max < 1e5, 'the axis ends at ' + yAxis[0].max);
  assert.ok((await view.textContent('#figure1-pendulum-task-cost .note')).includes('outside the picture'));
  await release(view);
});

test('of many warnings some are shown, and all are there', async () => {
  const warnings = Array.from({length: 30}, (unused, i) => 'warning ' + i + ' ' + hostile);
  const view = await open(
    withData(page, (data) => {
      data.warnings = warnings;
    }),
  );
  const items = await view.$$eval('.box li', (nodes) => nodes.map((node) => node.textContent));
  assert.deepEqual(items, warnings);
  assert.ok((await view.textContent('.box summary')).includes('and 22 more'));
  await release(view);
});

test('markup in names stays text', async () => {
  const view = await open(
    withData(page, (data) => {
      data.systems[0].name = data.systems[0].groups[0].label = hostile;
      data.to_limit[0].label = data.run_times[0].label = data.figure2.run = data.made.cpus[0] = hostile;
    }),
  );
  assert.equal(await view.locator('img').count(), 0);
  assert.ok((await view.textContent('#made')).includes(hostile));
  await release(view);
});

test('a sweep that has no run yet is a page', async () => {
  const view = await open(
    withData(page, (data) => {
      Object.assign(data, {systems: [], to_limit: [], run_times: []});
      Object.assign(data.made, {runs: 0, finished: 0, seconds: 0, versions: [], compilers: [], cpus: []});
      data.figure2 = {missing: 'There is no run of the pendulum to draw it from.'};
    }),
  );
  assert.ok((await view.textContent('main')).includes('There is no run yet.'));
  await release(view);
});

test('a chart in dark colours is another one', async () => {
  const view = await open(page);
  const background = () => view.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  const lightLine = (await option(view, 'figure1-pendulum-task-cost')).series[0].lineStyle.color;
  await view.click('#theme');
  assert.notEqual(await background(), light);
  assert.notEqual((await option(view, 'figure1-pendulum-task-cost')).series[0].lineStyle.color, lightLine);
  await release(view);
});

test('a browser without a window prints every figure', () => {
  const printed = execFileSync(
    chromiumPath,
    ['--headless', ...chromiumArguments, '--dump-dom', pathToFileURL(page).href + '#png'],
    {encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'ignore']},
  );
  const pictures = JSON.parse(
    /<script type="application\/json" id="pictures">([^]*?)<\/script>/.exec(printed)[1],
  );
  assert.deepEqual(Object.keys(pictures), [
    'figure1-pendulum-likelihood',
    'figure1-pendulum-task-cost',
    'figure2-episode-2',
    'figure2-episode-3',
    'figure2-episode-6',
  ]);
  for (const [name, url] of Object.entries(pictures)) {
    const bytes = Buffer.from(url.replace(/^data:image\/png;base64,/, ''), 'base64');
    assert.deepEqual(pngSize(bytes), [1800, 1040], name);
  }
});

test('the CSV of a map has every cell and every step until then', async () => {
  const {name, bytes} = await download(await look(page), '#figure2-episode-3-csv');
  assert.equal(name, 'reproduce-figure2-episode-3.csv');
  const lines = bytes.toString('utf8').trimEnd().split('\n');
  const {plane, episodes} = dataOf(page).figure2;
  const steps = episodes.slice(0, 3).reduce((sum, {observations}) => sum + observations[0].length, 0);
  assert.equal(lines.filter((line) => line.startsWith('entropy,')).length, plane.columns * plane.rows);
  assert.equal(lines.filter((line) => line.startsWith('path,')).length, steps);
});

test('no page had an error, a warning or a dialog', () => {
  assert.deepEqual(troubles, []);
});
