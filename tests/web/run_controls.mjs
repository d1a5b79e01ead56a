// Do sliders, buttons, legends, keys and themes of a run's page work?

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  close,
  handle,
  open,
  option,
  pixels,
  release,
  run,
  seriesData,
  slideTo,
  withData,
} from './helpers.mjs';

const pendulum = () => run('pendulum');

async function afterFrames(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

test('the slider of the map changes the map that is drawn', async () => {
  const page = await handle(pendulum().page);
  await slideTo(page, '#plane-slider', 0);
  const first = pendulum().data.planes[0].maps[0];
  const values = [...Buffer.from(first.cells, 'base64')].map(
    (b) => first.low + ((first.high - first.low) * b) / 255,
  );
  close(
    (await seriesData(page, 'plane', 'entropy')).map((cell) => cell[2]),
    values,
  );
});

test('the slider of the map changes the picture', async () => {
  const page = await handle(pendulum().page);
  await slideTo(page, '#plane-slider', 1000);
  await afterFrames(page);
  const before = await pixels(page, '#plane-chart');
  await slideTo(page, '#plane-slider', 0);
  await afterFrames(page);
  assert.notEqual(await pixels(page, '#plane-chart'), before);
});

test('at the first map only the first episode is drawn', async () => {
  const page = await handle(pendulum().page);
  await slideTo(page, '#plane-slider', 0);
  assert.deepEqual(await seriesData(page, 'plane', 'earlier'), []);
  const speeds = (await seriesData(page, 'plane', 'current')).filter(([x]) => x !== null).map(([, y]) => y);
  close(speeds, pendulum().episodes[0].thetadot);
});

test('playing the maps goes on by itself, to the end', async () => {
  const page = await handle(pendulum().page);
  await slideTo(page, '#plane-slider', 1000);
  await page.click('#plane-play');
  const last = pendulum().data.planes[0].maps.length - 1;
  assert.ok(Number(await page.inputValue('#plane-slider')) < last);
  await page.waitForFunction(
    (end) =>
      document.getElementById('plane-slider').value === String(end) &&
      document.getElementById('plane-play').textContent === 'Play',
    last,
  );
});

test('the select shows another plane', async () => {
  const {page: file, data} = run('cartpole');
  assert.ok(data.planes.length > 1);
  const page = await handle(file);
  await page.selectOption('#plane-select', '1');
  const name = data.coordinates[data.planes[1].x].name;
  assert.ok((await option(page, 'plane')).xAxis[0].name.startsWith(name));
});

test('the slider of the predictions shows another episode', async () => {
  const page = await handle(pendulum().page);
  await slideTo(page, '#prediction-slider', 0);
  const {episode} = pendulum().data.predictions[0];
  const values = (await seriesData(page, 'prediction', 'executed-2')).map(([, value]) => value);
  close(values, pendulum().episodes[episode - 1].thetadot);
});

test('arrow keys move a slider', async () => {
  const page = await handle(pendulum().page);
  await slideTo(page, '#plane-slider', 1000);
  await page.focus('#plane-slider');
  await page.keyboard.press('ArrowLeft');
  const maps = pendulum().data.planes[0].maps;
  assert.ok((await page.textContent('#plane-value')).startsWith('episode ' + maps.at(-2).episode));
});

test('the legend switches a series off', async () => {
  const page = await open(pendulum().page);
  await page.evaluate(() =>
    window.rhcCharts['task-cost'].dispatchAction({type: 'legendToggleSelect', name: 'limit'}),
  );
  assert.equal((await option(page, 'task-cost')).legend[0].selected.limit, false);
  await release(page);
});

test('every control has a name', async () => {
  const page = await open(pendulum().page);
  await page.$$eval('details', (nodes) =>
    nodes.forEach((node) => {
      node.open = true;
    }),
  );
  const nameless = await page.$$eval('button, input, select', (nodes) =>
    nodes
      .filter(
        (node) =>
          !(
            node.getAttribute('aria-label') ||
            node.textContent.trim() ||
            (node.labels && [...node.labels].some((label) => label.textContent.trim()))
          ),
      )
      .map((node) => node.outerHTML),
  );
  assert.deepEqual(nameless, []);
  await release(page);
});

const colorsOf = async (page) => ({
  background: await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
  text: (await option(page, 'task-cost')).legend[0].textStyle.color,
  picture: await pixels(page, '#rmse-chart'),
});

function allDiffer(a, b) {
  for (const key of Object.keys(a)) assert.notEqual(a[key], b[key], key);
}

test('a device with dark colours gets a dark page and dark charts', async () => {
  const page = await open(pendulum().page);
  const light = await colorsOf(page);
  await page.emulateMedia({colorScheme: 'dark'});
  await afterFrames(page);
  allDiffer(light, await colorsOf(page));
  await release(page);
});

test('the switch changes page and charts to dark', async () => {
  const page = await open(pendulum().page);
  const light = await colorsOf(page);
  await page.click('#theme');
  await afterFrames(page);
  allDiffer(light, await colorsOf(page));
  await release(page);
});

for (const name of ['pendulum', 'cartpole']) {
  test('on a phone nothing of the page of the ' + name + ' scrolls sideways', async () => {
    const page = await open(run(name).page, {width: 390, height: 844});
    await page.$$eval('details', (nodes) =>
      nodes.forEach((node) => {
        node.open = true;
      }),
    );
    await afterFrames(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const wide = await page.$$eval('.card, .number, details, .box, canvas', (nodes) =>
      nodes
        .filter((node) => node.getBoundingClientRect().right > 390.5)
        .map((node) => node.id || node.className),
    );
    assert.deepEqual(wide, []);
    await release(page);
  });
}

test('a phone shows one card below the other', async () => {
  const page = await open(pendulum().page, {width: 390, height: 844});
  const lefts = await page.$$eval('.card', (nodes) => nodes.map((node) => node.getBoundingClientRect().left));
  assert.equal(new Set(lefts).size, 1);
  await release(page);
});

test('a chart follows the width of the window', async () => {
  const page = await open(pendulum().page);
  await page.setViewportSize({width: 700, height: 900});
  await page.waitForFunction(
    () =>
      Math.abs(
        window.rhcCharts['task-cost'].getWidth() - document.getElementById('task-cost-chart').clientWidth,
      ) < 2 && window.rhcCharts['task-cost'].getWidth() > 600,
  );
  await release(page);
});

test('a long run of 400 episodes is drawn', async () => {
  const page = await open(
    withData(pendulum().page, (data) => {
      const last = data.metrics.at(-1);
      for (let episode = data.metrics.length; episode <= 400; episode++)
        data.metrics.push({...last, episode});
    }),
  );
  assert.equal((await seriesData(page, 'rmse', 'rmse')).length, 401);
  await release(page);
});
