// format.js: numbers as people read them.

const present = (value) => typeof value === 'number' && Number.isFinite(value);

function formatNumber(value, digits = 4) {
  if (!present(value)) return '–';
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e7 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(Math.min(digits, 3) - 1).split('e');
    const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
    return minus(short + 'e' + Number(exponent));
  }
  const decimals = size >= 1000 ? 0 : Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return minus(value.toLocaleString('en-US', {maximumFractionDigits: decimals}));
}

function minus(text) {
  return text.replace(/^-/, '−').replace('e-', 'e−');
}

function formatAxis(value) {
  return formatNumber(value, 4);
}

function formatPercent(share, digits = 3) {
  return present(share) ? formatNumber(100 * share, digits) + '\u00a0%' : '–';
}

function formatSeconds(seconds) {
  if (!present(seconds)) return '–';
  if (seconds >= 3600) return formatNumber(seconds / 3600, 3) + ' h';
  if (seconds >= 120) return formatNumber(seconds / 60, 3) + ' min';
  if (seconds >= 0.1 || seconds === 0) return formatNumber(seconds, 3) + ' s';
  return formatNumber(seconds * 1000, 2) + ' ms';
}

function formatDate(text) {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(text || '');
  return match ? match[1] + ' ' + match[2] + ' UTC' : text || '–';
}

function withUnit(name, unit) {
  return unit ? name + ', ' + unit : name;
}

// Some units begin with a number: an action of 0.5 may mean 0.5 × 10 N.
function quantity(value, unit, digits = 3) {
  return formatNumber(value, digits) + (unit ? (/^\d/.test(unit) ? ' × ' : ' ') + unit : '');
}

function range(count, value = (i) => i) {
  return Array.from({length: count}, (unused, i) => value(i));
}

// Not Math.min(...values): a long run has more values than a call has room for.
const lowest = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const highest = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

function median(values) {
  const sorted = values.filter(present).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
