// Runs, pages and a browser that all tests share.

import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {after} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(here, '../../web/package.json'));
const {chromium} = require('playwright-core');

export const chromiumPath = process.env.CHROMIUM || '/usr/bin/chromium';
export const chromiumArguments = process.getuid && process.getuid() === 0 ? ['--no-sandbox'] : [];
const rhcPath = path.resolve(process.env.RHC || path.join(here, '../../build/bin/rhc'));

export const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rhc-web-'));
export const hostile = '<img src=x onerror=alert(1)>';

export function rhc(...words) {
  return execFileSync(rhcPath, words, {encoding: 'utf8', cwd: folder});
}

const small = [
  'features=40',
  'forecast_features=60',
  'test_trajectories=200',
  'plan_starts=4',
  'evidence_starts=4',
  'task_starts=4',
  'task_hops=0',
  'task_draws=0',
  'limit_hops=0',
  'best_achievable_transitions=200',
];

const recipes = {
  pendulum: ['pendulum', ...small],
  cartpole: ['cartpole', ...small],
  'mountain-car': ['mountain-car', ...small],
  'pendulum-2': ['pendulum', '--seed', '2', ...small],
  'pendulum-random': ['pendulum', '--method', 'random', ...small],
  [hostile]: ['pendulum', '--no-evaluation', 'features=40'],
};

export const runsFolder = path.join(folder, 'runs');
export const runDirectory = (name) => path.join(runsFolder, name);

export function explore(name, episodes, words) {
  rhc('explore', ...words, '--episodes', String(episodes), '--quiet', '--out', runDirectory(name));
}

// What the files of a run say, read without the page's help.
const made = new Map();
export function run(name) {
  if (!made.has(name)) {
    fs.mkdirSync(runsFolder, {recursive: true});
    explore(name, 3, recipes[name]);
    rhc('report', runDirectory(name));
    made.set(name, readRun(name));
  }
  return made.get(name);
}

function readRun(name) {
  const directory = runDirectory(name);
  const text = (file) => fs.readFileSync(path.join(directory, file), 'utf8');
  const metrics = text('metrics.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const episodes = fs
    .readdirSync(path.join(directory, 'episodes'))
    .sort()
    .map((file) => {
      const [header, ...rows] = text('episodes/' + file)
        .trim()
        .split('\n')
        .map((line) => line.split(','));
      return Object.fromEntries(
        header.map((key, i) => [
          key,
          rows
            .map((row) => row[i])
            .filter((value) => value !== '')
            .map(Number),
        ]),
      );
    });
  const best = fs.existsSync(path.join(directory, 'best_achievable.json'))
    ? JSON.parse(text('best_achievable.json'))
    : null;
  const page = path.join(directory, 'report.html');
  return {directory, page, metrics, episodes, best, data: dataOf(page)};
}

const dataPattern = /(<script type="application\/json" id="data">)([^]*?)(<\/script>)/;

export function dataOf(page) {
  return JSON.parse(dataPattern.exec(fs.readFileSync(page, 'utf8'))[2]);
}

// The same page with other data: for what a short run does not show.
let changed = 0;
export function withData(page, change) {
  return withDataOf(fs.readFileSync(page, 'utf8'), change);
}

export function withDataOf(html, change) {
  const file = path.join(folder, 'changed-' + ++changed + '.html');
  fs.writeFileSync(
    file,
    html.replace(dataPattern, (all, head, json, tail) => {
      const data = JSON.parse(json);
      change(data);
      return head + JSON.stringify(data).replaceAll('<', '\\u003c') + tail;
    }),
  );
  return file;
}

let comparison = null;
export function comparePage() {
  if (comparison === null) {
    const names = ['pendulum', 'pendulum-2', 'pendulum-random', 'mountain-car'];
    names.forEach(run);
    comparison = path.join(folder, 'compare.html');
    rhc('compare', ...names.map(runDirectory), '--out', comparison);
  }
  return comparison;
}

// Serves the runs folder; gives the address, and what ends the server.
export async function serve() {
  const child = spawn(rhcPath, ['serve', runsFolder, '--port', '0'], {stdio: ['ignore', 'pipe', 'inherit']});
  servers.add(child);
  const first = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
      if (text.includes('\n')) resolve(text);
    });
    child.on('exit', () => reject(new Error('the server ended: ' + text)));
  });
  return {url: /http:\/\/\S+/.exec(first)[0], stop: () => child.kill()};
}

let browser = null;
let context = null;
const servers = new Set();
export const troubles = [];
export const requests = [];

// Pages are used again: a new one costs more than most tests.
const idle = [];
const visits = new Map();

async function freshPage() {
  browser ??= await chromium.launch({executablePath: chromiumPath, args: chromiumArguments});
  context ??= await browser.newContext({acceptDownloads: true});
  const page = await context.newPage();
  // A busy machine is slow, and that is no failure.
  page.setDefaultTimeout(180_000);
  const visit = {url: '', watched: true};
  visits.set(page, visit);
  const trouble = (text) => visit.watched && troubles.push(visit.url + ': ' + text);
  page.on('console', (message) => trouble(message.type() + ': ' + message.text()));
  page.on('pageerror', (error) => trouble(error.stack));
  page.on('dialog', (dialog) => {
    trouble('dialog: ' + dialog.message());
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!/^(data|blob|about):/.test(request.url())) requests.push({page: visit.url, asked: request.url()});
  });
  return page;
}

// A page of its own for a test, which gives it back with `release`. `watched: false` where trouble is what
// the test makes.
export async function open(file, {width = 1280, height = 900, watched = true, reducedMotion = null} = {}) {
  const page = idle.pop() ?? (await freshPage());
  await page.setViewportSize({width, height});
  await page.emulateMedia({colorScheme: 'light', reducedMotion});
  const url = file.startsWith('http') ? file : pathToFileURL(file).href;
  Object.assign(visits.get(page), {url, watched});
  await page.bringToFront();
  await page.goto(url);
  return page;
}

export async function release(page) {
  await page.evaluate(() => localStorage.clear());
  await page.goto('about:blank');
  idle.push(page);
}

// One page for all tests that only look; another for those that begin by setting what they need.
const looked = new Map();
export const handle = (file) => look(file, 'handled ' + file);
export async function look(file, key = file) {
  if (!looked.has(key)) looked.set(key, await open(file));
  // A browser draws little for pages behind others.
  await looked.get(key).bringToFront();
  return looked.get(key);
}

after(async () => {
  if (browser) await browser.close();
  servers.forEach((server) => server.kill());
  fs.rmSync(folder, {recursive: true, force: true});
});

export function option(page, chart) {
  return page.evaluate((id) => JSON.parse(JSON.stringify(window.rhcCharts[id].getOption())), chart);
}

export async function seriesData(page, chart, id) {
  const found = (await option(page, chart)).series.find((series) => series.id === id);
  assert.ok(found, 'no series ' + id + ' in ' + chart);
  return found.data;
}

export function pixels(page, selector) {
  return page.$eval(selector, (node) => {
    const canvases = node.tagName === 'CANVAS' ? [node] : [...node.querySelectorAll('canvas')];
    return canvases.map((canvas) => canvas.toDataURL()).join();
  });
}

export async function slideTo(page, selector, index) {
  await page.$eval(
    selector,
    (input, value) => {
      input.value = value;
      input.dispatchEvent(new Event('input', {bubbles: true}));
      input.dispatchEvent(new Event('change', {bubbles: true}));
    },
    String(index),
  );
}

// Equal but for rounding in the page's data; null equals only null.
export function close(actual, expected, what = '') {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), what + ': not a list');
    assert.equal(actual.length, expected.length, what + ': length');
    expected.forEach((value, i) => close(actual[i], value, what + '[' + i + ']'));
  } else if (expected === null || typeof expected !== 'number') {
    assert.equal(actual, expected, what);
  } else {
    assert.equal(typeof actual, 'number', what);
    const error = Math.abs(actual - expected);
    assert.ok(
      error <= 1e-5 * Math.max(1e-3, Math.abs(expected)),
      what + ': ' + actual + ' is not ' + expected,
    );
  }
}

export async function download(page, selector) {
  // Chromium drops what is more than ten downloads a second.
  await page.waitForTimeout(120);
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
  return {name: file.suggestedFilename(), bytes: fs.readFileSync(await file.path())};
}

export function pngSize(bytes) {
  assert.equal(bytes.subarray(0, 8).toString('hex'), '89504e470d0a1a0a', 'not a PNG');
  assert.equal(bytes.subarray(-8, -4).toString('latin1'), 'IEND', 'a PNG that is cut off');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
