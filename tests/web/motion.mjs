// Does the animation move, and show what was recorded?

import assert from 'node:assert/strict';
import {test} from 'node:test';
import {handle, open, pixels, release, run, slideTo, withData} from './helpers.mjs';

const canvas = '#animation-canvas';
const time = async (page) => Number(await page.inputValue('#animation-time'));

// Pages are shared: every test begins at the start of the last episode, at rest.
async function atRest(page) {
  if ((await page.textContent('#animation-play')) === 'Pause') await page.click('#animation-play');
  await page.selectOption('#animation-kind', 'episode');
  await slideTo(page, '#animation-episode-slider', 1000);
  await slideTo(page, '#animation-time', 0);
  return page;
}

const pendulum = async () => atRest(await handle(run('pendulum').page));

async function movesWhenPlayed(page) {
  const before = await pixels(page, canvas);
  await page.click('#animation-play');
  await page.waitForFunction(() => Number(document.getElementById('animation-time').value) > 3);
  assert.notEqual(await pixels(page, canvas), before);
}

for (const name of ['pendulum', 'cartpole', 'mountain-car']) {
  test('the ' + name + ' moves when played', async () => {
    await movesWhenPlayed(await atRest(await handle(run(name).page)));
  });
}

test('a system without a drawing of its own moves along its curves', async () => {
  const page = await open(withData(run('pendulum').page, (data) => (data.system.name = 'my-own')));
  await movesWhenPlayed(page);
  await release(page);
});

// A rod of length 1 and a rail that does not move, in the place of the pendulum's own drawing.
function asShapes(data) {
  data.system.name = 'my-own';
  data.system.shapes = [
    {radius: 0.05, round: true, place: [-1, -1, 1, -1]},
    {radius: 0.05, round: true, place: null},
  ];
  for (const item of [...data.episodes, ...data.tasks]) {
    const [cos, sin] = item.observations;
    item.poses = [cos.map(() => 0), cos.map(() => 0), sin, cos];
  }
}

test('a system that is described by shapes is drawn from them, and moves', async () => {
  const drawn = await open(withData(run('pendulum').page, asShapes));
  const series = await open(withData(run('pendulum').page, (data) => (data.system.name = 'my-own')));
  assert.notEqual(await pixels(drawn, canvas), await pixels(series, canvas));
  await movesWhenPlayed(drawn);
  await release(drawn);
  await release(series);
});

test('the drawings of the three systems differ', async () => {
  const pictures = new Set();
  for (const name of ['pendulum', 'cartpole', 'mountain-car']) {
    pictures.add(await pixels(await atRest(await handle(run(name).page)), canvas));
  }
  assert.equal(pictures.size, 3);
});

// The colour where the bob must be: upright at angle zero, clockwise from there.
async function colorOfBob(page, cosine, sine) {
  return page.$eval(
    canvas,
    (node, [c, s]) => {
      const [width, height, ratio] = [node.clientWidth, node.clientHeight, devicePixelRatio];
      const length = 0.38 * Math.min(width, height);
      const [x, y] = [width / 2 + length * s, height / 2 + 8 - length * c];
      const copy = Object.assign(document.createElement('canvas'), {width: 1, height: 1});
      const pen = copy.getContext('2d', {willReadFrequently: true});
      pen.drawImage(node, -Math.round(x * ratio), -Math.round(y * ratio));
      return [...pen.getImageData(0, 0, 1, 1).data];
    },
    [cosine, sine],
  );
}

const blue = [0x2f, 0x6d, 0xb5, 255];

test('the bob is where the episode’s file says', async () => {
  const page = await pendulum();
  const {cos, sin} = run('pendulum').episodes.at(-1);
  for (const step of [0, 20, 50, 100]) {
    await slideTo(page, '#animation-time', step);
    assert.deepEqual(await colorOfBob(page, cos[step], sin[step]), blue, 'step ' + step);
  }
});

test('the bob of the task solution is where the task says', async () => {
  const page = await pendulum();
  await page.selectOption('#animation-kind', 'task');
  const [cos, sin] = run('pendulum').data.tasks.at(-1).observations;
  for (const step of [20, 50, 90]) {
    await slideTo(page, '#animation-time', step);
    assert.deepEqual(await colorOfBob(page, cos[step], sin[step]), blue, 'step ' + step);
  }
});

test('the bob of an earlier episode is where its file says', async () => {
  const page = await pendulum();
  await slideTo(page, '#animation-episode-slider', 0);
  await slideTo(page, '#animation-time', 50);
  const {cos, sin} = run('pendulum').episodes[0];
  assert.deepEqual(await colorOfBob(page, cos[50], sin[50]), blue);
});

test('nothing moves before play is pressed', async () => {
  const page = await open(run('pendulum').page, {reducedMotion: 'reduce'});
  await page.waitForTimeout(200);
  assert.equal(await time(page), 0);
  await release(page);
});

test('pause stops the motion', async () => {
  const page = await pendulum();
  await page.click('#animation-play');
  await page.waitForFunction(() => Number(document.getElementById('animation-time').value) > 1);
  await page.click('#animation-play');
  const before = await time(page);
  await page.waitForTimeout(150);
  assert.equal(await time(page), before);
});

test('the motion stops at the end', async () => {
  const page = await pendulum();
  await slideTo(page, '#animation-time', 98);
  await page.click('#animation-play');
  await page.waitForFunction(() => document.getElementById('animation-play').textContent === 'Play');
  assert.equal(await time(page), 100);
});

test('the clock says time and step', async () => {
  const page = await pendulum();
  await slideTo(page, '#animation-time', 50);
  assert.equal(await page.textContent('#animation-clock'), '4.00 s, step 50 of 100');
});

test('a faster speed covers the episode in less time', async () => {
  const page = await pendulum();
  await page.selectOption('#animation-speed', '32');
  const begin = Date.now();
  await page.click('#animation-play');
  await page.waitForFunction(() => document.getElementById('animation-play').textContent === 'Play');
  await page.selectOption('#animation-speed', '1');
  assert.ok(Date.now() - begin < 8000, 'eight seconds at speed 1');
});
