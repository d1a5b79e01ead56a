// charts.js: a card with a title, one line of explanation, a chart and its files; the list of all charts.

window.rhcCharts = {};

const pictureSize = {width: 900, height: 520};

// A spec says what to draw:
//   id, title, explain   words; explain may be a function
//   height               CSS pixels, or a function of the width
//   wide                 over both columns
//   controls             nodes below the explanation
//   option(context)      the ECharts option, or a text that says why there is none
//   note()               a line below the chart, or null
//   csv()                {header, rows} of everything the chart shows
//   legendRows           more rows of a legend than this become pages to turn; 3 where it does not say
//   selected             legend entries that begin switched off: {name: false}
class ChartCard {
  constructor(spec, fileStem) {
    this.spec = spec;
    this.fileStem = fileStem;
    this.selected = {...spec.selected};
    const button = (text, what, action) =>
      el(
        'button',
        {
          type: 'button',
          id: spec.id + '-' + text.toLowerCase(),
          'aria-label': spec.title + ': save ' + what,
          onclick: action,
        },
        text,
      );
    this.files = el(
      'div',
      {class: 'files'},
      button('PNG', 'the picture as PNG', () => this.savePicture()),
      button('CSV', 'the data as CSV', () => saveCsv(this.fileName('csv'), spec.csv())),
    );
    this.explain = el('p', {class: 'explain'});
    this.controls = el('div', {class: 'controls'}, spec.controls || []);
    this.holder = el('div', {class: 'chart', id: spec.id + '-chart', role: 'img', 'aria-label': spec.title});
    this.note = el('p', {class: 'note'});
    this.reason = el('p', {class: 'reason'});
    this.node = el(
      'section',
      {class: 'card' + (spec.wide ? ' wide' : ''), id: spec.id, 'aria-label': spec.title},
      el('div', {class: 'head'}, el('h3', {}, spec.title), this.files),
      this.explain,
      this.controls,
      this.holder,
      this.note,
      this.reason,
    );
    theme.listeners.push(() => this.render());
    new ResizeObserver(() => this.resize()).observe(this.node);
  }

  fileName(extension) {
    return this.fileStem() + '-' + this.spec.id + '.' + extension;
  }

  context(width, height, picture) {
    return {
      colors: theme.colors,
      width,
      height,
      picture,
      top: picture ? 44 : 0,
      edge: picture ? 20 : 0,
      selected: this.selected,
      legendRows: this.spec.legendRows || 3,
    };
  }

  height(width) {
    const height = this.spec.height || 300;
    return typeof height === 'function' ? height(width) : height;
  }

  render() {
    const width = this.holder.clientWidth || this.node.clientWidth - 32;
    if (width <= 0 && this.chart) return;
    const height = this.height(width);
    const option = this.spec.option(this.context(width, height, false));
    this.lastWidth = this.node.clientWidth;
    const drawn = typeof option === 'object';
    this.files.hidden = this.holder.hidden = this.controls.hidden = this.explain.hidden = !drawn;
    // Where there will be nothing, there is no card.
    if (this.spec.optional) this.node.hidden = !drawn && option !== tooEarly;
    this.reason.hidden = drawn;
    this.reason.textContent = drawn ? '' : option;
    const note = drawn && this.spec.note ? this.spec.note(this.selected) : null;
    this.note.textContent = note || '';
    this.note.hidden = !note;
    if (!drawn) return;
    const explain = typeof this.spec.explain === 'function' ? this.spec.explain() : this.spec.explain;
    this.explain.textContent = explain;
    this.holder.setAttribute('aria-label', this.spec.title + '. ' + explain);
    this.holder.style.height = height + 'px';
    if (!this.chart) this.begin();
    this.chart.resize();
    this.chart.setOption(option, {notMerge: true});
  }

  begin() {
    this.chart = echarts.init(this.holder, null, {renderer: 'canvas'});
    window.rhcCharts[this.spec.id] = this.chart;
    this.chart.on('legendselectchanged', (event) => {
      this.selected = {...event.selected};
      this.render();
    });
  }

  resize() {
    const width = this.node.clientWidth;
    if (width === this.lastWidth || width === 0) return;
    this.lastWidth = width;
    this.render();
  }

  // Drawn anew, off the page: the same size on every screen, and with a title.
  picture() {
    const {width, height} = pictureSize;
    const option = this.spec.option(this.context(width, height, true));
    if (typeof option === 'string') return null;
    const holder = el('div');
    // With a lower ratio here than in getDataURL all is painted anew in one go; otherwise a heatmap is
    // painted in slices of 15 ms, and the picture is taken after the first.
    const chart = echarts.init(holder, null, {renderer: 'canvas', width, height, devicePixelRatio: 1});
    const {text, font} = theme.colors;
    chart.setOption({
      ...option,
      title: {
        text: this.spec.title,
        left: 20,
        top: 14,
        textStyle: {color: text, fontFamily: font, fontSize: 17, fontWeight: 600},
      },
    });
    const url = chart.getDataURL({type: 'png', pixelRatio: 2, backgroundColor: theme.colors.card});
    chart.dispose();
    return url;
  }

  savePicture() {
    save(this.fileName('png'), dataUrlBlob(this.picture()));
  }
}

// For `#png`: all pictures as text in the document, so that a browser without a window can print them.
function leavePictures(cards) {
  const pictures = {};
  for (const card of cards) {
    const url = card.picture();
    if (url) pictures[card.spec.id] = url;
  }
  const holder = el('script', {type: 'application/json', id: 'pictures'});
  holder.textContent = JSON.stringify(pictures);
  document.body.append(holder);
}
