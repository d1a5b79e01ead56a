// theme.js: light or dark, as the device says or as the reader chose.

const theme = {
  listeners: [],
  chosen: null,
  forced: null,

  start() {
    try {
      this.chosen = localStorage.getItem('rhc-theme');
    } catch (error) {
      this.chosen = null; // storage may be closed to pages opened from a file
    }
    this.device = matchMedia('(prefers-color-scheme: dark)');
    this.device.addEventListener('change', () => this.apply());
    this.apply();
  },

  name() {
    const chosen = this.chosen === 'dark' || this.chosen === 'light' ? this.chosen : null;
    return this.forced || chosen || (this.device.matches ? 'dark' : 'light');
  },

  apply() {
    document.documentElement.dataset.theme = this.name();
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue('--' + name).trim();
    this.colors = {
      text: color('text'),
      muted: color('muted'),
      line: color('line'),
      card: color('card'),
      page: color('page'),
      series: range(8, (i) => color('series-' + i)),
      low: color('map-low'),
      middle: color('map-middle'),
      high: color('map-high'),
      path: color('path'),
      past: color('past'),
      font: getComputedStyle(document.body).fontFamily,
    };
    this.listeners.forEach((listener) => listener());
  },

  button() {
    const button = el('button', {type: 'button', id: 'theme', class: 'quiet'});
    const label = () => {
      const other = this.name() === 'dark' ? 'light' : 'dark';
      button.textContent = other === 'dark' ? 'Dark' : 'Light';
      button.setAttribute('aria-label', 'Switch to ' + other + ' colours');
    };
    button.addEventListener('click', () => {
      this.chosen = this.name() === 'dark' ? 'light' : 'dark';
      try {
        localStorage.setItem('rhc-theme', this.chosen);
      } catch (error) {
        // The choice then lasts as long as the page.
      }
      this.apply();
    });
    this.listeners.push(label);
    label();
    return button;
  },
};
