// plane.js: where the model is unsure, and where the episodes went: the paper's Figure 2.

function coordinateValues(coordinate, observations) {
  if (coordinate.index !== undefined) return observations[coordinate.index];
  const [cosine, sine] = [observations[coordinate.cosine], observations[coordinate.sine]];
  return cosine.map((c, i) => Math.atan2(sine[i], c));
}

// A line that leaves the picture on one side and comes back on the other is broken in two.
function pathOf(coordinates, observations) {
  const [xs, ys] = coordinates.map((coordinate) => coordinateValues(coordinate, observations));
  const wraps = coordinates.map((coordinate) => coordinate.index === undefined);
  const points = [];
  xs.forEach((x, i) => {
    const jump =
      i > 0 &&
      ((wraps[0] && Math.abs(x - xs[i - 1]) > Math.PI) ||
        (wraps[1] && Math.abs(ys[i] - ys[i - 1]) > Math.PI));
    if (jump) points.push([null, null]);
    points.push([x, ys[i]]);
  });
  return points;
}

// The cells of a map: [x, y, entropy] at their centres, row by row from below.
function mapCells({columns, rows, x_range: xRange, y_range: yRange}, map) {
  const bytes = atob(map.cells);
  const center = ([low, high], count, i) => low + ((high - low) * (i + 0.5)) / count;
  return range(bytes.length, (i) => [
    center(xRange, columns, i % columns),
    center(yRange, rows, Math.floor(i / columns)),
    map.low + ((map.high - map.low) * bytes.charCodeAt(i)) / 255,
  ]);
}

// Not ECharts' heatmap: that one wants category axes, and is painted over several frames.
function cellSeries({columns, rows, x_range: xRange, y_range: yRange}, cells) {
  const width = (xRange[1] - xRange[0]) / columns;
  const height = (yRange[1] - yRange[0]) / rows;
  return {
    type: 'custom',
    id: 'entropy',
    data: cells,
    clip: true,
    z: 1,
    encode: {x: 0, y: 1},
    renderItem(params, api) {
      const [x, y] = [api.value(0), api.value(1)];
      const [left, top] = api.coord([x - width / 2, y + height / 2]).map(Math.round);
      const [right, bottom] = api.coord([x + width / 2, y - height / 2]).map(Math.round);
      return {
        type: 'rect',
        shape: {x: left, y: top, width: right - left, height: bottom - top},
        style: {fill: api.visual('color')},
      };
    },
  };
}

// A map and the episodes over it, of which the last one is drawn strongly. Colours go from `low` to `high`.
function planeOption(context, {plane, coordinates, map, low, high, episodes, episode}) {
  const {colors} = context;
  const {x_range: xRange, y_range: yRange} = plane;
  const [x, y] = coordinates;
  const earlier = episodes
    .filter((e) => e.episode !== episode)
    .flatMap((e) => [...pathOf(coordinates, e.observations), [null, null]]);
  const last = episodes.find((e) => e.episode === episode);
  const lastPath = last ? pathOf(coordinates, last.observations) : [];
  const point = (coordinate, value) => quantity(value, coordinate.unit);
  const inner = {axisLabel: {...axis(context, {}).axisLabel, showMinLabel: false, showMaxLabel: false}};
  const bare = {splitLine: {show: false}, ...inner};
  return frame(
    context,
    {
      xAxis: axis(context, {name: withUnit(x.name, x.unit), min: xRange[0], max: xRange[1], ...bare}),
      yAxis: yAxis(context, {name: withUnit(y.name, y.unit), min: yRange[0], max: yRange[1], ...bare}),
      visualMap: {
        type: 'continuous',
        seriesIndex: 0,
        dimension: 2,
        min: low,
        max: high > low ? high : low + 1,
        calculable: false,
        orient: 'vertical',
        right: context.edge,
        top: context.top + 40,
        itemHeight: 150,
        itemWidth: 12,
        text: [formatNumber(high, 3) + ' nats', formatNumber(low, 3)],
        textGap: 6,
        textStyle: {color: colors.muted, fontSize: 11},
        inRange: {color: [colors.low, colors.middle, colors.high]},
      },
      tooltip: tooltip(context, {
        trigger: 'item',
        formatter(item) {
          const entropy = item.seriesId === 'entropy';
          return tip(entropy ? 'entropy ' + formatNumber(item.value[2]) + ' nats' : item.seriesName, [
            {name: x.name, text: point(x, item.value[0])},
            {name: y.name, text: point(y, item.value[1])},
          ]);
        },
      }),
      series: [
        cellSeries(plane, mapCells(plane, map)),
        {
          ...line({
            id: 'earlier',
            name: 'earlier episodes',
            color: colors.past,
            width: 1,
            symbol: 'none',
            data: earlier,
          }),
          silent: true,
          lineStyle: {color: colors.past, width: 1, opacity: 0.55},
          clip: true,
        },
        {
          ...line({id: 'current', name: 'this episode', color: colors.path, width: 2.5, data: lastPath}),
          showSymbol: true,
          symbolSize: 4,
          clip: true,
          z: 5,
        },
        {
          type: 'scatter',
          id: 'start',
          name: 'this episode',
          data: lastPath.slice(0, 1),
          symbolSize: 11,
          z: 6,
          color: colors.path,
          itemStyle: {color: colors.card, borderColor: colors.path, borderWidth: 2.5},
        },
      ],
    },
    {right: context.edge + 88},
  );
}

function planeCsv(plane, coordinates, map, episodes, episode) {
  const [x, y] = coordinates;
  const points = episodes.flatMap((e) =>
    pathOf(coordinates, e.observations)
      .filter(([value]) => value !== null)
      .map(([px, py]) => ['path', e.episode, px, py, null]),
  );
  return {
    header: ['what', 'episode', withUnit(x.name, x.unit), withUnit(y.name, y.unit), 'entropy_nats'],
    rows: [...mapCells(plane, map).map((cell) => ['entropy', episode, ...cell]), ...points],
  };
}

function planeSpec(source) {
  const data = () => source.data;
  const redraw = () => source.redraw('plane');
  const which = select({id: 'plane-select', label: 'Plane', onchange: () => redraw()});
  const slider = stepper({id: 'plane', label: 'Episode of the map', what: 'episode', onchange: redraw});
  const same = checkbox({
    id: 'plane-same',
    label: 'same colours for all episodes',
    checked: true,
    onchange: redraw,
  });
  const planes = () => data().planes.filter((p) => p.maps.length > 0);
  const plane = () => planes()[Number(which.value()) || 0];
  const current = () => plane().maps.find((map) => map.episode === slider.value());
  const coordinates = () => [data().coordinates[plane().x], data().coordinates[plane().y]];
  const executed = () => data().episodes.filter((episode) => episode.episode <= slider.value());

  const refresh = () => {
    which.setOptions(
      planes().map((p, i) => [
        String(i),
        data().coordinates[p.x].name + ' and ' + data().coordinates[p.y].name,
      ]),
    );
    slider.setValues(plane().maps.map((map) => map.episode));
  };

  return {
    id: 'plane',
    title: 'What it does not know, and where it went',
    height: 430,
    controls: [which.node, slider.node, same.node],
    explain:
      'Colour: entropy of the model’s prediction at zero action after the episode. ' +
      'Lines: the episodes so far.',
    option(context) {
      if (planes().length === 0) return missing(source, 'No entropy map was kept in this run.');
      refresh();
      const scaled = same.value() ? plane().maps : [current()];
      return planeOption(context, {
        plane: plane(),
        coordinates: coordinates(),
        map: current(),
        low: lowest(scaled.map((map) => map.low)),
        high: highest(scaled.map((map) => map.high)),
        episodes: executed(),
        episode: slider.value(),
      });
    },
    note: () => (executed().length === 0 ? null : 'Ring: where the episode began.'),
    csv: () => planeCsv(plane(), coordinates(), current(), executed(), slider.value()),
  };
}
