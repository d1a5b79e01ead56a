// motion.js: plays an episode, or the task solved after it.

const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32];

class MotionCard {
  constructor(source) {
    this.source = source;
    this.at = 0;
    this.playing = false;
    this.canvas = el('canvas', {class: 'scene', id: 'animation-canvas', role: 'img'});
    this.kind = select({id: 'animation-kind', label: 'What to play', onchange: () => this.restart()});
    this.slider = stepper({
      id: 'animation-episode',
      label: 'Episode to play',
      what: 'episode',
      onchange: () => this.restart(),
    });
    // Episodes are chosen here, not played through: the button that plays is the one for the time.
    this.slider.node.querySelector('button').remove();
    this.play = el(
      'button',
      {type: 'button', id: 'animation-play', 'aria-label': 'Play the motion', onclick: () => this.toggle()},
      'Play',
    );
    this.scrub = el('input', {
      type: 'range',
      id: 'animation-time',
      min: 0,
      max: 1,
      step: 'any',
      value: 0,
      'aria-label': 'Time',
      oninput: () => this.seek(Number(this.scrub.value)),
    });
    this.time = el('output', {for: 'animation-time', id: 'animation-clock'});
    this.speed = select({id: 'animation-speed', label: 'Speed'});
    this.speed.setOptions(speeds.map((speed) => [String(speed), speed + ' ×']));
    this.explain = el('p', {class: 'explain'}, 'Drawn from the recorded observations; orange: the action.');
    this.reason = el('p', {class: 'reason'});
    this.controls = el('div', {class: 'controls'}, this.kind.node, this.slider.node);
    this.player = el(
      'div',
      {class: 'controls'},
      el('div', {class: 'stepper'}, this.play, this.scrub, this.time),
      this.speed.node,
    );
    this.node = el(
      'section',
      {class: 'card', id: 'animation', 'aria-label': 'The motion'},
      el('div', {class: 'head'}, el('h3', {}, 'The motion')),
      this.explain,
      this.controls,
      this.canvas,
      this.player,
      this.reason,
    );
    theme.listeners.push(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  list() {
    return this.kind.value() === 'task' ? this.source.data.tasks : this.source.data.episodes;
  }

  current() {
    return this.list().find((item) => item.episode === this.slider.value());
  }

  // After new data: what is played goes on, unless it is no longer there.
  update() {
    const {episodes, tasks, system} = this.source.data;
    const kinds = [
      episodes.length ? ['episode', 'episode'] : null,
      tasks.length ? ['task', 'task solution after episode'] : null,
    ].filter(Boolean);
    const empty = kinds.length === 0;
    for (const part of [this.explain, this.controls, this.canvas, this.player]) part.hidden = empty;
    this.reason.hidden = !empty;
    this.reason.textContent = 'No episode has been carried out yet.';
    if (empty) return;
    const drawn = system.shapes?.some(({place}) => !place);
    this.frame = drawn ? frameOf(this.source.data) : null;
    const before = this.shown;
    this.kind.setOptions(kinds);
    this.slider.setValues(this.list().map((item) => item.episode));
    if (before === undefined) {
      const seconds = system.horizon * system.time_step;
      const fitting = speeds.reduce((a, b) =>
        Math.abs(Math.log(seconds / b / 9)) < Math.abs(Math.log(seconds / a / 9)) ? b : a,
      );
      this.speed.setValue(String(fitting));
    }
    if (before !== this.key()) this.restart();
    else this.draw();
  }

  key() {
    return this.kind.value() + this.slider.value();
  }

  restart() {
    this.slider.setValues(this.list().map((item) => item.episode));
    this.shown = this.key();
    this.pause();
    this.scrub.max = this.current().observations[0].length - 1;
    this.seek(0);
  }

  seek(at) {
    this.at = at;
    this.scrub.value = at;
    this.draw();
  }

  pause() {
    this.playing = false;
    this.play.textContent = 'Play';
    this.play.setAttribute('aria-label', 'Play the motion');
  }

  toggle() {
    if (this.playing) return this.pause();
    this.playing = true;
    this.play.textContent = 'Pause';
    this.play.setAttribute('aria-label', 'Pause the motion');
    if (this.at >= Number(this.scrub.max)) this.seek(0);
    let last = performance.now();
    const frame = (now) => {
      if (!this.playing) return;
      const steps = (((now - last) / 1000) * Number(this.speed.value())) / this.source.data.system.time_step;
      last = now;
      const end = Number(this.scrub.max);
      this.seek(Math.min(end, this.at + Math.max(0, steps)));
      if (this.at >= end) this.pause();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  instant() {
    const {observations, actions, poses} = this.current();
    const i = Math.min(Math.floor(this.at), observations[0].length - 1);
    const next = Math.min(i + 1, observations[0].length - 1);
    const now = (values) => values[i] + (values[next] - values[i]) * (this.at - i);
    return {
      system: this.source.data.system,
      path: observations,
      actions,
      at: this.at,
      observation: observations.map(now),
      frame: this.frame,
      poses,
      pose: poses?.map(now),
      action: actions[0][Math.min(i, actions[0].length - 1)] ?? 0,
    };
  }

  draw() {
    const width = this.canvas.clientWidth;
    if (this.canvas.hidden || width === 0 || !this.current()) return;
    const height = width < 500 ? 300 : 440;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.style.height = height + 'px';
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext('2d');
    const {colors} = theme;
    const {system} = this.source.data;
    const instant = this.instant();
    const item = this.current();
    pen.scale(ratio, ratio);
    pen.fillStyle = colors.card;
    pen.fillRect(0, 0, width, height);
    pen.font = '12.5px ' + colors.font;
    const scene = this.frame ? drawShapes : scenes[system.name] || drawSeries;
    scene(pen, width, height, colors, instant);
    pen.fillStyle = colors.muted;
    pen.textAlign = 'left';
    const cost =
      this.kind.value() === 'task' && present(item.cost) ? ', task cost ' + formatNumber(item.cost, 5) : '';
    pen.fillText(
      (this.kind.value() === 'task' ? 'task after episode ' : 'episode ') + item.episode + cost,
      4,
      16,
    );
    pen.textAlign = 'right';
    pen.fillText('action ' + quantity(instant.action, system.action[0].unit, 2), width - 4, 16);
    this.time.textContent =
      (this.at * system.time_step).toFixed(system.time_step < 0.1 ? 2 : 1) +
      ' s, step ' +
      Math.floor(this.at) +
      ' of ' +
      this.scrub.max;
    this.canvas.setAttribute('aria-label', 'The ' + system.name + ' at ' + this.time.textContent);
  }
}
