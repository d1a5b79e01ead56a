// options.js: axes, lines, bands and tooltips that all charts share.

// An entry a name: series of one name (a line and its band) are switched together.
function legendEntries(series) {
  const entries = new Map();
  for (const {name, symbol} of series) {
    if (name && !entries.has(name))
      entries.set(name, {name, itemStyle: symbol === 'none' ? {opacity: 0} : {}});
  }
  return [...entries.values()];
}

const legendGap = 14;
const legendRowHeight = 20;

// Rows that a legend fills, from the widths its words will have.
function legendRows({width, edge}, entries) {
  let [rows, used] = [1, 0];
  for (const {name} of entries) {
    const needed = 28 + 7 * name.length;
    if (used > 0 && used + needed > width - 2 * edge - 10) [rows, used] = [rows + 1, 0];
    used += needed + legendGap;
  }
  return rows;
}

function frame(context, option, grid = {}) {
  const {colors, top, edge, selected, legendRows: mostRows} = context;
  const entries = legendEntries(option.series);
  const rows = legendRows(context, entries);
  const scroll = rows > mostRows;
  return {
    animation: false,
    textStyle: {fontFamily: colors.font, color: colors.text},
    legend: {
      show: true,
      type: scroll ? 'scroll' : 'plain',
      top,
      left: edge,
      right: edge,
      itemGap: legendGap,
      itemWidth: 22,
      itemHeight: 9,
      data: entries,
      selected: {...selected},
      textStyle: {color: colors.text, fontSize: 12},
      inactiveColor: colors.muted,
      inactiveBorderWidth: 0,
      pageTextStyle: {color: colors.muted},
      pageIconColor: colors.muted,
      pageIconInactiveColor: colors.line,
    },
    grid: {
      left: edge + 2,
      right: edge + 14,
      top: top + 32 + (scroll ? 0 : (rows - 1) * legendRowHeight),
      bottom: edge + 4,
      outerBoundsMode: 'same',
      outerBoundsContain: 'all',
      ...grid,
    },
    ...option,
  };
}

function axis(context, {name, log, format = formatAxis, index = 0, vertical = false, ...rest}) {
  const {colors} = context;
  return {
    type: log ? 'log' : 'value',
    name,
    nameLocation: vertical ? 'end' : 'middle',
    nameGap: vertical ? 12 : 26,
    nameTextStyle: {color: colors.muted, fontSize: 12, align: vertical ? 'left' : 'center', padding: 0},
    nameMoveOverlap: false,
    axisLine: {show: !vertical, onZero: false, lineStyle: {color: colors.muted}},
    axisTick: {show: !vertical, lineStyle: {color: colors.muted}},
    axisLabel: {color: colors.muted, fontSize: 11, hideOverlap: true, formatter: (value) => format(value)},
    splitLine: {show: vertical, lineStyle: {color: colors.line}},
    ...rest,
  };
}

function yAxis(context, settings) {
  return axis(context, {vertical: true, scale: true, ...settings});
}

function episodeAxis(context, episodes) {
  const first = lowest(episodes);
  const last = Math.max(first + 1, highest(episodes));
  const steps = [1, 2, 5]
    .flatMap((factor) => range(7, (power) => factor * 10 ** power))
    .sort((a, b) => a - b);
  const interval = steps.find((step) => (last - first) / step <= 10);
  const begin = Math.ceil(first / interval);
  const customValues = range(Math.floor(last / interval) - begin + 1, (i) => (begin + i) * interval);
  const base = axis(context, {name: 'episode', min: first, max: last, axisPointer: {snap: true}});
  return {
    ...base,
    axisLabel: {...base.axisLabel, customValues},
    axisTick: {...base.axisTick, customValues},
  };
}

function line({id, name, color, data, dash = 'solid', width = 2, ...rest}) {
  return {
    type: 'line',
    id,
    name,
    data,
    symbol: 'circle',
    symbolSize: 5,
    showSymbol: data.length <= 60,
    connectNulls: false,
    color,
    z: 3,
    itemStyle: {color},
    lineStyle: {color, width, type: dash},
    emphasis: {disabled: true},
    ...rest,
  };
}

// The same value at every episode: as a series, for then the axis makes room for it.
function level({id, name, color, episodes, value, dash = 'dashed'}) {
  return line({id, name, color, dash, width: 1.5, symbol: 'none', data: episodes.map((e) => [e, value])});
}

// Pieces without gaps of [x, low, high], so that a band is never drawn over what is not known.
function bandPieces(data) {
  const pieces = [[]];
  for (const item of data) {
    if (present(item[1]) && present(item[2])) pieces[pieces.length - 1].push(item);
    else if (pieces[pieces.length - 1].length) pieces.push([]);
  }
  return pieces.filter((piece) => piece.length > 1);
}

function band({id, name, color, data, ...rest}) {
  return {
    type: 'custom',
    id,
    name,
    data,
    color,
    silent: true,
    clip: true,
    z: 1,
    encode: {x: 0, y: [1, 2]},
    itemStyle: {color, opacity: 0.35},
    renderItem(params, api) {
      if (params.dataIndex !== 0) return undefined;
      return {
        type: 'group',
        children: bandPieces(data).map((piece) => ({
          type: 'polygon',
          silent: true,
          shape: {
            points: [
              ...piece.map(([x, , high]) => api.coord([x, high])),
              ...[...piece].reverse().map(([x, low]) => api.coord([x, low])),
            ],
          },
          style: {fill: color, opacity: 0.17},
        })),
      };
    },
    ...rest,
  };
}

function tip(title, rows) {
  return el(
    'div',
    {class: 'tip'},
    el('b', {}, title),
    rows.map(({color, name, text}) => {
      const dot = color ? el('i') : null;
      if (dot) dot.style.background = color;
      return el('div', {}, el('span', {}, dot, name), el('b', {}, text));
    }),
  );
}

// A tooltip is an element with text nodes: names of a run cannot become markup.
function tooltip(context, settings) {
  const {colors} = context;
  return {
    confine: true,
    backgroundColor: colors.card,
    borderColor: colors.line,
    borderWidth: 1,
    padding: [6, 10],
    textStyle: {color: colors.text, fontFamily: colors.font, fontSize: 12.5},
    transitionDuration: 0,
    ...settings,
  };
}

function axisTooltip(context, title, format) {
  return tooltip(context, {
    trigger: 'axis',
    axisPointer: {type: 'line', snap: true, lineStyle: {color: context.colors.muted}},
    formatter(items) {
      const rows = items
        .filter((item) => item.value && present(item.value[1]))
        .map((item) => ({
          color: item.color,
          name: item.seriesName,
          text:
            item.seriesType === 'custom'
              ? format(item.value[1], item) + ' to ' + format(item.value[2], item)
              : format(item.value[1], item),
        }));
      return tip(title(items[0].axisValue), rows);
    },
  });
}

// A first value can be a thousand times the rest: leave it out of the picture, and say so.
// `kept` holds values that must stay in the picture.
function withoutOutliers(values, kept = []) {
  const known = values.filter(present).sort((a, b) => a - b);
  const none = {min: null, max: null, far: () => false};
  if (known.length < 5) return none;
  const [low, high] = [known[Math.floor(0.2 * known.length)], known[Math.ceil(0.8 * known.length) - 1]];
  const reach = 5 * Math.max(high - low, Math.abs(median(known)));
  const far = (value) => value < low - reach || value > high + reach;
  const near = [...known.filter((value) => !far(value)), ...kept.filter(present)];
  if (!known.some(far)) return none;
  const ends = niceEnds(lowest(near), highest(near), 4);
  return {min: far(known[0]) ? ends.min : null, max: far(known[known.length - 1]) ? ends.max : null, far};
}

function endsWithoutOutliers(values, kept) {
  const {min, max} = withoutOutliers(values, kept);
  return {min, max};
}

// Ends that are multiples of the distance between ticks, so that labels do not crowd at the ends.
function niceEnds(low, high, ticks) {
  const rough = Math.max(high - low, 1e-12) / ticks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const interval = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  const round = (value) => Number((value * interval).toPrecision(12));
  return {min: round(Math.floor(low / interval)), max: round(Math.ceil(high / interval)), interval};
}

// Of shares the axis ends at one.
function shareEnds(values) {
  return niceEnds(Math.min(0.9, lowest(values.filter(present))), 1, 5);
}

function columnOf(rows, key) {
  return rows.map((row) => [row.episode, present(row[key]) ? row[key] : null]);
}
