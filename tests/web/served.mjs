// Do served pages follow a run that goes on?

import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import {test} from 'node:test';
import {
  dataOf,
  open,
  option,
  release,
  run,
  seriesData,
  serve,
  slideTo,
  withData,
  withDataOf,
} from './helpers.mjs';

// A server whose answers a test decides: data.json as it is now, with a tag that tells versions apart.
async function liveServer(name) {
  const full = dataOf(run(name).page);
  const state = {data: null, version: 0, broken: false, statuses: []};
  const upTo = (episodes) => {
    const part = (list) => list.filter((item) => item.episode <= episodes);
    state.data = {
      ...full,
      live: 'data.json',
      metrics: part(full.metrics),
      episodes: part(full.episodes),
      predictions: part(full.predictions),
      tasks: part(full.tasks),
      calibration: part(full.calibration),
      planes: full.planes.map((plane) => ({...plane, maps: part(plane.maps)})),
      manifest: {...full.manifest, episodes_done: episodes, status: episodes < 3 ? 'running' : 'finished'},
    };
    state.version++;
  };
  const file = () =>
    withData(run(name).page, (data) => {
      Object.keys(data).forEach((key) => delete data[key]);
      Object.assign(data, state.data);
    });
  const server = http.createServer((request, response) => {
    if (request.url !== '/data.json') return response.end(fs.readFileSync(file()));
    const tag = '"' + state.version + '"';
    const status = state.broken ? 500 : request.headers['if-none-match'] === tag ? 304 : 200;
    state.statuses.push(status);
    response.writeHead(status, {ETag: tag, 'Content-Type': 'application/json'});
    return response.end(status === 200 ? JSON.stringify(state.data) : '');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    state,
    upTo,
    url: 'http://127.0.0.1:' + server.address().port + '/',
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('a page that is served follows the run, and what was chosen stays', async (t) => {
  const live = await liveServer('pendulum');
  live.upTo(2);
  const page = await open(live.url);
  const points = async () => (await seriesData(page, 'rmse', 'rmse')).length;
  await slideTo(page, '#calibration-slider', 0);
  await page.click('#theme');
  await page.evaluate(() =>
    window.rhcCharts.rmse.dispatchAction({type: 'legendToggleSelect', name: 'best achievable'}),
  );
  assert.equal(await points(), 3);
  live.upTo(3);
  await page.waitForFunction(() => window.rhcCharts.rmse.getOption().series[0].data.length === 4);

  await t.test('the status is the new one', async () => {
    assert.equal(await page.textContent('#status'), 'finished');
  });
  await t.test('a slider at the end stays at the end', async () => {
    assert.ok((await page.textContent('#plane-value')).startsWith('episode 3'));
  });
  await t.test('a slider elsewhere stays where it was', async () => {
    assert.ok((await page.textContent('#calibration-value')).startsWith('episode 1'));
  });
  await t.test('the theme stays', async () => {
    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
  });
  await t.test('the legend stays', async () => {
    assert.equal((await option(page, 'rmse')).legend[0].selected['best achievable'], false);
  });
  await t.test('what has not changed is not sent again', async () => {
    const until = Date.now() + 8000;
    while (!live.state.statuses.includes(304) && Date.now() < until) await page.waitForTimeout(100);
    assert.ok(live.state.statuses.includes(304));
  });
  await release(page);
  live.stop();
});

test('a lost connection is said, and forgotten when it is back', async () => {
  const live = await liveServer('pendulum');
  live.upTo(3);
  const page = await open(live.url, {watched: false});
  live.state.broken = true;
  await page.waitForSelector('#connection', {state: 'visible'});
  assert.match(await page.textContent('#connection'), /^Connection lost, retrying/);
  live.state.broken = false;
  await page.waitForSelector('#connection', {state: 'hidden'});
  await release(page);
  live.stop();
});

test('the index of runs', async (t) => {
  run('pendulum');
  run('cartpole');
  const server = await serve();
  const page = await open(server.url);
  const names = () => page.$$eval('#runs tbody tr', (rows) => rows.map((row) => row.cells[0].textContent));

  await t.test('lists the runs of the folder', async () => {
    const listed = await names();
    for (const name of ['pendulum', 'cartpole']) assert.ok(listed.includes(name), name);
  });
  await t.test('is sorted by a click on a header, and back by another', async () => {
    await page.click('#sort-0');
    const up = await names();
    await page.click('#sort-0');
    assert.deepEqual(await names(), [...up].reverse());
  });
  await t.test('leads to the page of a run', async () => {
    await page.click('#runs a:text-is("cartpole")');
    await page.waitForFunction(() => window.rhcCharts && window.rhcCharts.rmse);
    assert.equal(await page.textContent('h1'), 'cartpole');
  });
  await t.test('does not scroll sideways on a phone', async () => {
    const phone = await open(server.url, {width: 390, height: 844});
    assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth), 390);
    await release(phone);
  });
  await t.test('says how to make a run where there is none', async () => {
    const html = await (await fetch(server.url)).text();
    const bare = await open(withDataOf(html, (data) => Object.assign(data, {runs: [], live: null})));
    assert.match(await bare.textContent('#runs'), /no run in this folder yet.*rhc explore/s);
    await release(bare);
  });
  await release(page);
  server.stop();
});
