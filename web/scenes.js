// scenes.js: draws one instant of a system on a canvas.

// A scene is given the pen, its size in CSS pixels, the colours, and the instant:
// {system, observation, action, path, at} (path: the whole trajectory, at: the step, perhaps between two).

function arrow(pen, x, y, dx, dy, color) {
  const length = Math.hypot(dx, dy);
  if (length < 2) return;
  const [ux, uy] = [dx / length, dy / length];
  const head = Math.min(9, length);
  const [ex, ey] = [x + dx, y + dy];
  pen.strokeStyle = pen.fillStyle = color;
  pen.lineWidth = 3;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(ex - ux * head, ey - uy * head);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(ex, ey);
  pen.lineTo(ex - ux * head - uy * head * 0.6, ey - uy * head + ux * head * 0.6);
  pen.lineTo(ex - ux * head + uy * head * 0.6, ey - uy * head - ux * head * 0.6);
  pen.fill();
}

function disc(pen, x, y, radius, color) {
  pen.fillStyle = color;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

function rod(pen, from, to, width, color, dash = []) {
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.lineCap = 'round';
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
  pen.setLineDash([]);
}

function share(system, action) {
  const bound = Math.max(
    Math.abs(system.action_bounds.lower[0] ?? 1),
    Math.abs(system.action_bounds.upper[0] ?? 1),
  );
  return bound > 0 ? action / bound : 0;
}

function trail(pen, points, color) {
  points.slice(1).forEach((point, i) => {
    pen.globalAlpha = (0.5 * (i + 1)) / points.length;
    rod(pen, points[i], point, 2, color);
  });
  pen.globalAlpha = 1;
}

function drawPendulum(pen, width, height, colors, {system, observation, action, path, at}) {
  const [cx, cy] = [width / 2, height / 2 + 8];
  const length = Math.min(width, height) * 0.38;
  const tipOf = (cosine, sine) => {
    const angle = Math.atan2(sine, cosine);
    return [cx + length * Math.sin(angle), cy - length * Math.cos(angle)];
  };
  rod(pen, [cx, cy], [cx, cy - length], 1.5, colors.muted, [4, 6]);
  const first = Math.max(0, Math.floor(at) - 12);
  trail(
    pen,
    [
      ...range(Math.floor(at) - first + 1, (i) => tipOf(path[0][first + i], path[1][first + i])),
      tipOf(observation[0], observation[1]),
    ],
    colors.series[0],
  );
  const end = tipOf(observation[0], observation[1]);
  rod(pen, [cx, cy], end, 7, colors.series[0]);
  disc(pen, cx, cy, 6, colors.text);
  disc(pen, ...end, 13, colors.series[0]);
  const turn = share(system, action) * 1.9;
  if (Math.abs(turn) > 0.03) {
    const radius = length * 0.42;
    // Clockwise is positive, as the angle is drawn; the arc grows from below, away from the upright goal.
    const [begin, finish] = [Math.PI / 2, Math.PI / 2 + turn];
    pen.strokeStyle = colors.path;
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(cx, cy, radius, begin, finish, turn < 0);
    pen.stroke();
    const way = Math.sign(turn);
    const [x, y] = [cx + radius * Math.cos(finish), cy + radius * Math.sin(finish)];
    arrow(pen, x, y, -way * 10 * Math.sin(finish), way * 10 * Math.cos(finish), colors.path);
  }
}

function drawCartpole(pen, width, height, colors, {system, observation, action, path, at}) {
  const index = system.observation.findIndex(({name}) => name === 'x');
  const reach = Math.max(
    Math.abs(system.limits.lower[index] ?? 1.8),
    Math.abs(system.limits.upper[index] ?? 1.8),
  );
  const scale = Math.min(width / (2 * reach + 1.2), height / 2.7);
  const ground = height / 2 + 14;
  const toX = (x) => width / 2 + x * scale;
  const tipOf = (x, cosine, sine) => {
    const angle = Math.atan2(sine, cosine);
    return [toX(x) + scale * Math.sin(angle), ground - scale * Math.cos(angle)];
  };
  rod(pen, [toX(-reach), ground], [toX(reach), ground], 2, colors.muted);
  for (const side of [-reach, reach])
    rod(pen, [toX(side), ground - 14], [toX(side), ground + 14], 3, colors.muted);
  pen.fillStyle = colors.muted;
  pen.textAlign = 'center';
  for (const side of [-reach, reach]) pen.fillText(formatNumber(side) + ' m', toX(side), ground + 32);
  const x = observation[index];
  const first = Math.max(0, Math.floor(at) - 12);
  const end = tipOf(x, observation[1], observation[2]);
  trail(
    pen,
    [
      ...range(Math.floor(at) - first + 1, (i) =>
        tipOf(path[index][first + i], path[1][first + i], path[2][first + i]),
      ),
      end,
    ],
    colors.series[0],
  );
  pen.fillStyle = colors.series[7];
  pen.beginPath();
  pen.roundRect(toX(x) - 0.2 * scale, ground - 0.09 * scale, 0.4 * scale, 0.18 * scale, 4);
  pen.fill();
  rod(pen, [toX(x), ground], end, 6, colors.series[0]);
  disc(pen, toX(x), ground, 4, colors.card);
  disc(pen, ...end, 8, colors.series[0]);
  const push = share(system, action);
  arrow(pen, toX(x) + Math.sign(push) * 0.22 * scale, ground, push * 0.6 * scale, 0, colors.path);
}

function drawMountainCar(pen, width, height, colors, {system, observation, action}) {
  const [left, right] = [
    Math.min(-1.2, system.limits.lower[0] ?? -1.2),
    Math.max(0.6, system.limits.upper[0] ?? 0.6),
  ];
  const hill = (x) => 0.45 * Math.sin(3 * x) + 0.55;
  const margin = 16;
  const scale = Math.min((width - 2 * margin) / (right - left), (height - 96) / 0.95);
  const offset = (width - scale * (right - left)) / 2;
  const floor = height - 28;
  const at = (x) => [offset + (x - left) * scale, floor - hill(x) * scale];
  const ridge = range(121, (i) => at(left + ((right - left) * i) / 120));
  pen.fillStyle = colors.line;
  pen.globalAlpha = 0.45;
  pen.beginPath();
  pen.moveTo(ridge[0][0], floor + 12);
  ridge.forEach((point) => pen.lineTo(...point));
  pen.lineTo(ridge[120][0], floor + 12);
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = colors.muted;
  pen.lineWidth = 2;
  pen.beginPath();
  ridge.forEach((point) => pen.lineTo(...point));
  pen.stroke();
  const [fx, fy] = at(0.45);
  rod(pen, [fx, fy], [fx, fy - 44], 2, colors.text);
  pen.fillStyle = colors.series[2];
  pen.beginPath();
  pen.moveTo(fx, fy - 45);
  pen.lineTo(fx + 22, fy - 37);
  pen.lineTo(fx, fy - 29);
  pen.fill();
  const x = observation[0];
  const slope = Math.atan2(1.35 * Math.cos(3 * x), 1);
  pen.save();
  pen.translate(...at(x));
  pen.rotate(-slope);
  disc(pen, -11, -5, 5, colors.text);
  disc(pen, 11, -5, 5, colors.text);
  pen.fillStyle = colors.series[0];
  pen.beginPath();
  pen.roundRect(-19, -20, 38, 13, 4);
  pen.fill();
  pen.beginPath();
  pen.roundRect(-10, -28, 20, 10, 4);
  pen.fill();
  arrow(pen, Math.sign(action) * 22, -14, share(system, action) * 46, 0, colors.path);
  pen.restore();
}

// For any other system: its variables over time, and a dot that moves along them.
function drawSeries(pen, width, height, colors, {system, path, actions, at}) {
  const rows = [
    ...system.observation.map((q, i) => [q, path[i]]),
    ...system.action.map((q, i) => [q, actions[i]]),
  ];
  const steps = path[0].length - 1;
  const [top, left, right] = [34, 12, 12];
  const each = (height - top - 8) / rows.length;
  const toX = (t) => left + ((width - left - right) * t) / Math.max(1, steps);
  rows.forEach(([quantity, values], row) => {
    const known = values.filter(present);
    const [low, high] = [lowest(known), highest(known)];
    const base = top + row * each;
    const toY = (v) => base + each - 10 - (each - 30) * (high > low ? (v - low) / (high - low) : 0.5);
    pen.fillStyle = colors.muted;
    pen.textAlign = 'left';
    pen.fillText(
      withUnit(quantity.name, quantity.unit) + ': ' + formatNumber(low, 3) + ' to ' + formatNumber(high, 3),
      left,
      base + 10,
    );
    const color = row < system.observation.length ? colors.series[0] : colors.path;
    pen.strokeStyle = color;
    pen.lineWidth = 1.5;
    pen.beginPath();
    values.forEach((value, t) => pen.lineTo(toX(t), toY(value)));
    pen.stroke();
    const t = Math.min(at, values.length - 1);
    const i = Math.min(Math.floor(t), values.length - 2);
    const value = values.length < 2 ? values[0] : values[i] + (values[i + 1] - values[i]) * (t - i);
    disc(pen, toX(t), toY(value), 5, color);
  });
}

const scenes = {pendulum: drawPendulum, cartpole: drawCartpole, 'mountain-car': drawMountainCar};
