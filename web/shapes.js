// shapes.js: draws a system that is made of thick lines, as its model describes them.

// What part of the plane all recorded motions need: [left, right, bottom, top].
function frameOf({system, episodes, tasks}) {
  const xs = [], ys = [];
  let moving = 0;
  for (const {place, radius} of system.shapes) {
    const paths = place
      ? [place.map((value) => [value])]
      : [...episodes, ...tasks].map(({poses}) => poses.slice(4 * moving, 4 * moving + 4));
    if (!place) moving += 1;
    for (const rows of paths)
      rows.forEach((values, i) => {
        const known = values.filter(present);
        if (known.length) (i % 2 ? ys : xs).push(lowest(known) - radius, highest(known) + radius);
      });
  }
  return [lowest(xs), highest(xs), lowest(ys), highest(ys)];
}

function drawShapes(pen, width, height, colors, {system, frame, pose, poses, at}) {
  const [left, right, bottom, top] = frame;
  const [above, margin] = [30, 10];
  const scale = Math.min(
    (width - 2 * margin) / Math.max(right - left, 1e-9),
    (height - above - margin) / Math.max(top - bottom, 1e-9),
  );
  const middle = [(left + right) / 2, (bottom + top) / 2];
  const place = (x, y) => [
    width / 2 + (x - middle[0]) * scale,
    (height + above - margin) / 2 - (y - middle[1]) * scale,
  ];
  const moving = system.shapes.filter(({place: fixed}) => !fixed);
  const draw = ({radius, round}, ends, color) => {
    const [from, to] = [place(ends[0], ends[1]), place(ends[2], ends[3])];
    const thick = Math.max(2, 2 * radius * scale);
    if (round || Math.hypot(to[0] - from[0], to[1] - from[1]) < 1e-9) return rod(pen, from, to, thick, color);
    pen.strokeStyle = color;
    pen.lineWidth = thick;
    pen.lineCap = 'butt';
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(...to);
    pen.stroke();
  };
  for (const shape of system.shapes) if (shape.place) draw(shape, shape.place, colors.line);
  // What the far end of the last part went through.
  const tip = 4 * moving.length - 2;
  const first = Math.max(0, Math.floor(at) - 12);
  trail(
    pen,
    [
      ...range(Math.floor(at) - first + 1, (i) => place(poses[tip][first + i], poses[tip + 1][first + i])),
      place(pose[tip], pose[tip + 1]),
    ],
    colors.series[0],
  );
  moving.forEach((shape, i) => draw(shape, pose.slice(4 * i, 4 * i + 4), colors.series[i % colors.series.length]));
}
