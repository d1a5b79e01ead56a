// Is a page safe to open, whatever a run is called? Comes last: it looks back at all pages opened before.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import {test} from 'node:test';
import {hostile, look, open, release, requests, run, troubles, withData} from './helpers.mjs';

test('a run whose directory is called like markup keeps its name as text', async () => {
  const page = await look(run(hostile).page);
  assert.equal(await page.textContent('h1'), hostile);
  assert.equal(await page.locator('img').count(), 0);
});

test('the title of such a page is text, too', async () => {
  assert.ok((await (await look(run(hostile).page)).title()).includes(hostile));
});

test('markup in settings, status, problems and names of quantities stays text', async () => {
  const page = await open(
    withData(run('pendulum').page, (data) => {
      data.problems = [hostile];
      data.manifest.status = 'failed: ' + hostile;
      data.manifest.method = data.manifest.cpu = data.reproduce = data.system.title = hostile;
      data.settings.forEach((setting) =>
        Object.assign(setting, {value: hostile, help: hostile, unit: hostile}),
      );
      for (const quantity of [...data.system.observation, ...data.system.action, ...data.coordinates]) {
        quantity.name = quantity.unit = hostile;
      }
    }),
  );
  await page.$$eval('details', (nodes) =>
    nodes.forEach((node) => {
      node.open = true;
    }),
  );
  for (const [chart, series] of [
    ['plane', 'entropy'],
    ['plane', 'current'],
    ['prediction', 'mean-0'],
    ['rmse', 'rmse'],
  ]) {
    await page.evaluate(
      ([id, seriesId]) => {
        const index = window.rhcCharts[id].getOption().series.findIndex((item) => item.id === seriesId);
        window.rhcCharts[id].dispatchAction({type: 'showTip', seriesIndex: index, dataIndex: 1});
      },
      [chart, series],
    );
  }
  await page.waitForSelector('#plane .tip', {state: 'attached'});
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.textContent('#plane .tip')).includes(hostile));
  assert.equal(await page.textContent('#status'), 'failed: ' + hostile);
  await release(page);
});

test('the page forbids itself to load anything', async () => {
  const html = fs.readFileSync(run('pendulum').page, 'utf8');
  assert.match(html, /http-equiv="Content-Security-Policy" content="default-src 'none'/);
});

test('no page opened from a file asked for anything but itself', () => {
  const files = requests.filter(({page}) => page.startsWith('file:'));
  assert.ok(files.length > 20);
  assert.deepEqual(
    files.filter(({page, asked}) => asked !== page),
    [],
  );
});

test('no served page asked another server', () => {
  const served = requests.filter(({page}) => page.startsWith('http:'));
  assert.deepEqual(
    served.filter(({page, asked}) => new URL(asked).origin !== new URL(page).origin),
    [],
  );
});

test('no page of this suite had an error, a warning or a dialog', () => {
  assert.deepEqual(troubles, []);
});
