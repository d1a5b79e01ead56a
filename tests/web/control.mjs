// Does a run's page show what the controller did, and does it follow the controller?

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {look, open, release, rhc, run, runDirectory, runsFolder, serve, seriesData} from './helpers.mjs';

// A copy of a run, so that the other tests' page has no controller.
function controlled(name) {
  const directory = path.join(runsFolder, name);
  fs.cpSync(run('pendulum').directory, directory, {recursive: true});
  rhc('control', directory, '--seconds', '4');
  return directory;
}

function table(file) {
  const [header, ...rows] = fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return Object.fromEntries(header.map((name, i) => [name, rows.map((row) => row[i])]));
}

test('a run that nobody controlled has no card of the controller', async () => {
  assert.ok(await (await look(run('pendulum').page)).isHidden('#control'));
});

test('the controller is shown as its log has it', async () => {
  const directory = controlled('controlled');
  rhc('report', directory);
  const page = await open(path.join(directory, 'report.html'));
  const log = table(path.join(directory, 'control/0001.csv'));
  for (const [series, column] of [
    ['measured-2', 'thetadot'],
    ['estimated-2', 'thetadot_estimated'],
    ['planned-0', 'cos_planned'],
    ['done-3', 'action'],
  ]) {
    const drawn = await seriesData(page, 'control', series);
    assert.equal(drawn.length, log.time.length, series);
    drawn.forEach(([time, value], t) => {
      assert.ok(Math.abs(time - Number(log.time[t])) < 1e-5, series);
      if (log[column][t] === '') assert.equal(value, null);
      else assert.ok(Math.abs(value - Number(log[column][t])) < 1e-4 * (1 + Math.abs(value)), series);
    });
  }
  const words = await page.textContent('#control .explain');
  assert.ok(words.includes('Run 1') && words.includes('done') && words.includes(log.time.length + ' steps'), words);
  await release(page);
});

test('a served page follows the next run of the controller', async () => {
  const directory = controlled('controlled-live');
  const server = await serve();
  const page = await open(server.url + 'run/controlled-live/');
  assert.ok((await page.textContent('#control .explain')).includes('Run 1'));
  rhc('control', directory, '--seconds', '2');
  const log = table(path.join(directory, 'control/0002.csv'));
  // The page may have looked while the log was still written.
  await page.waitForFunction(
    (steps) =>
      document.querySelector('#control .explain').textContent.includes('Run 2') &&
      window.rhcCharts.control.getOption().series.find(({id}) => id === 'done-3').data.length === steps,
    log.time.length,
  );
  await release(page);
  server.stop();
});
