// run.js: the page of one run.

function runHeader(data) {
  const {manifest, system} = data;
  const fact = (name, value) => el('span', {}, name + ' ', el('b', {}, String(value)));
  const done =
    manifest.episodes_done === manifest.episodes
      ? String(manifest.episodes)
      : manifest.episodes_done + ' of ' + manifest.episodes;
  return [
    el('p', {class: 'brand'}, 'rhc run'),
    el('h1', {}, data.name),
    el(
      'div',
      {class: 'facts'},
      statusPill(manifest.status),
      fact('system', manifest.system),
      fact('method', manifest.method),
      fact('seed', manifest.seed),
      fact('episodes', done),
      el('span', {}, 'started ' + formatDate(manifest.started)),
    ),
    el('p', {class: 'explain'}, system.title),
  ];
}

function lastKnown(rows, key) {
  return rows
    .map((row) => row[key])
    .filter(present)
    .pop();
}

// How far above the limit, for people: nobody reads 0.000123 %.
function excessText(cost, limit) {
  const excess = (cost - limit) / Math.abs(limit);
  if (Math.abs(excess) < 5e-5) return 'at the limit, ' + formatNumber(limit, 5);
  return formatPercent(Math.abs(excess), 2) + (excess > 0 ? ' above' : ' below') + ' the limit';
}

function keyNumbers(data) {
  const rows = data.metrics;
  const best = data.best_achievable || {};
  const bestText = (key, format) => (present(best[key]) ? 'best achievable ' + format(best[key]) : '');
  const numbers = [];
  const add = (id, label, value, aside) =>
    numbers.push(
      el(
        'div',
        {class: 'number', id: 'number-' + id},
        el('div', {class: 'label'}, label),
        el('div', {class: 'value'}, value),
        el('div', {class: 'aside'}, aside),
      ),
    );

  const [cost, limit] = [lastKnown(rows, 'task_cost'), lastKnown(rows, 'task_cost_limit')];
  if (present(cost)) {
    add('task-cost', 'Task cost', formatNumber(cost, 5), present(limit) ? excessText(cost, limit) : '');
    if (present(limit)) {
      const near = rows.find(
        (row) => present(row.task_cost) && row.task_cost - limit <= 0.01 * Math.abs(limit),
      );
      add(
        'near',
        'Episodes needed',
        near ? String(near.episode) : 'not yet',
        'to within 1\u00a0% of the limit',
      );
    }
  }
  const likelihood = lastKnown(rows, 'log_likelihood');
  if (present(likelihood)) {
    add(
      'likelihood',
      'Log-likelihood',
      formatNumber(likelihood),
      bestText('log_likelihood', (v) => formatNumber(v)),
    );
  }
  const rmse = lastKnown(rows, 'rmse');
  if (present(rmse))
    add(
      'rmse',
      'One-step error',
      formatNumber(rmse, 3),
      bestText('rmse', (v) => formatNumber(v, 3)),
    );
  const coverage = lastKnown(rows, 'coverage95');
  if (present(coverage)) {
    add('coverage', 'Coverage at 95\u00a0%', formatPercent(coverage), bestText('coverage95', formatPercent));
  }
  const noted = rows.filter((row) => row.trouble);
  if (noted.length > 0) {
    add(
      'noted',
      'Noted episodes',
      noted.length + ' of ' + rows.filter((row) => row.episode > 0).length,
      'last, in episode ' + noted[noted.length - 1].episode + ': ' + noted[noted.length - 1].trouble,
    );
  }
  const total = (key) => rows.reduce((sum, row) => sum + (row[key] || 0), 0);
  const [plan, fit, evaluate] = ['plan_seconds', 'fit_seconds', 'evaluate_seconds'].map(total);
  if (plan + fit + evaluate > 0) {
    add(
      'time',
      'Total time',
      formatSeconds(plan + fit + evaluate),
      'plan ' + formatSeconds(plan) + ', fit ' + formatSeconds(fit) + ', evaluate ' + formatSeconds(evaluate),
    );
  }
  return numbers;
}

function runPage(data) {
  const source = {
    data,
    control: data.control,
    fileStem: () => source.data.name,
    redraw: (id) => cards.find((c) => c.spec.id === id).render(),
  };
  const card = (spec) => new ChartCard({...spec, optional: true}, source.fileStem);
  const learning = [taskCostSpec, likelihoodSpec, rmseSpec, informationSpec].map((spec) =>
    card(spec(source)),
  );
  const plane = card(planeSpec(source));
  const prediction = card(predictionSpec(source));
  // Logs are validated by few; the others need not be told that they did not.
  const ofLogs = data.validation ? [validationErrorSpec, validationCoverageSpec] : [];
  const honesty = [coverageSpec, calibrationSpec, bandsSpec, ...ofLogs].map((spec) => card(spec(source)));
  const control = card(controlSpec(source));
  const time = card(timeSpec(source));
  const cards = [...learning, plane, prediction, ...honesty, control, time];
  if (location.hash === '#png') return leavePictures(cards);

  const motion = new MotionCard(source);
  const [metrics, settings, reproduce] = [metricsTable(source), settingsTable(source), reproduceBox(source)];
  const header = el('div');
  const problems = el('div');
  const numbers = el('div', {class: 'numbers'});
  const noise = el('p', {class: 'explain', id: 'noise'});
  const footer = el('footer');
  const sections = [];
  const section = (title, ...nodes) => {
    const [heading, holder] = [el('h2', {}, title), el('div', {class: 'cards'}, nodes)];
    sections.push([heading, holder]);
    return [heading, holder];
  };
  const controlled = el('div');
  document.getElementById('page').append(
    el('header', {class: 'top'}, header, theme.button()),
    problems,
    el(
      'main',
      {},
      numbers,
      noise,
      section(
        'What it learned',
        learning.map((c) => c.node),
      ),
      section('What it tried', plane.node, motion.node),
      section('What it expected', prediction.node),
      section(
        'Is it honest about what it does not know?',
        honesty.map((c) => c.node),
      ),
      controlled,
      section('Time', time.node),
      el('h2', {}, 'Details'),
      reproduce.node,
      settings.node,
      metrics.node,
    ),
    footer,
  );
  time.node.classList.add('wide');

  // A controller moves on many times while the rest of the page stays as it is.
  let following = false;
  const follow = (newControl) => {
    source.control = newControl;
    if (!newControl) return controlled.replaceChildren();
    if (!controlled.firstChild) controlled.append(...section('What the controller did', control.node).flat());
    control.render();
    if (source.data.live && !following) poll('control.json', follow, 0.5);
    following = true;
    return undefined;
  };
  const update = (newData) => {
    source.data = newData;
    follow(newData.control);
    const {manifest} = newData;
    replaceChildren(header, runHeader(newData));
    replaceChildren(problems, messageBox('bad', 'Something is wrong with this run', newData.problems));
    replaceChildren(numbers, keyNumbers(newData));
    noise.textContent = newData.noise ? 'Noise, as the model found it: ' + newData.noise + '.' : '';
    for (const part of [
      ...cards.filter((c) => c !== control).map((c) => ({update: () => c.render()})),
      motion,
      metrics,
      settings,
      reproduce,
    ]) {
      part.update();
    }
    for (const [heading, holder] of sections)
      heading.hidden = holder.hidden = [...holder.children].every((child) => child.hidden);
    footer.textContent =
      'rhc ' +
      newData.version +
      ', compiler ' +
      manifest.compiler +
      ', processor ' +
      manifest.cpu +
      (manifest.ended ? ', ended ' + formatDate(manifest.ended) : '') +
      '.';
  };
  update(data);
  if (data.live) poll(data.live, update);
  return undefined;
}

pages.run = runPage;
