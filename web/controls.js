// controls.js: sliders that play, switches and selects, all of them native inputs.

// Moves over a list of episodes. While it stands at the end it stays there when the list grows.
function stepper({id, label, what, interval = 700, onchange}) {
  let values = [];
  let timer = null;
  const slider = el('input', {
    type: 'range',
    id: id + '-slider',
    min: 0,
    max: 0,
    step: 1,
    value: 0,
    'aria-label': label,
  });
  const output = el('output', {for: id + '-slider', id: id + '-value'});
  const play = el('button', {type: 'button', id: id + '-play', 'aria-label': 'Play: ' + label}, 'Play');

  const index = () => Number(slider.value);
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = 'Play';
    play.setAttribute('aria-label', 'Play: ' + label);
  };
  const show = () => {
    const text = values.length ? what + ' ' + values[index()] : '';
    output.textContent = values.length ? text + ' of ' + values[values.length - 1] : '';
    slider.setAttribute('aria-valuetext', text);
  };
  const go = (next) => {
    slider.value = next;
    show();
    onchange();
  };
  slider.addEventListener('input', () => {
    stop();
    show();
    onchange();
  });
  play.addEventListener('click', () => {
    if (timer !== null) return stop();
    play.textContent = 'Pause';
    play.setAttribute('aria-label', 'Pause: ' + label);
    go(index() >= values.length - 1 ? 0 : index() + 1);
    timer = setInterval(() => (index() >= values.length - 1 ? stop() : go(index() + 1)), interval);
  });

  return {
    node: el('div', {class: 'stepper'}, play, slider, output),
    value: () => values[index()],
    setValues(list) {
      const before = values[index()];
      const atEnd = index() >= values.length - 1;
      values = list;
      slider.max = Math.max(0, list.length - 1);
      slider.disabled = play.disabled = list.length < 2;
      const found = list.indexOf(before);
      slider.value = atEnd || found < 0 ? list.length - 1 : found;
      show();
    },
    stop,
  };
}

function select({id, label, onchange}) {
  const input = el('select', {id, 'aria-label': label, onchange});
  return {
    node: input,
    value: () => input.value,
    setOptions(list) {
      const before = input.value;
      input.replaceChildren(...list.map(([value, text]) => el('option', {value}, text)));
      input.value = list.some(([value]) => value === before) ? before : (list[0] || [''])[0];
      input.hidden = list.length < 2;
    },
    setValue(value) {
      input.value = value;
    },
  };
}

function checkbox({id, label, checked, onchange}) {
  const input = el('input', {type: 'checkbox', id, checked, onchange});
  return {node: el('label', {class: 'check'}, input, ' ' + label), value: () => input.checked};
}

// Radio buttons that look like one switch.
function choice({id, label, options, onchange}) {
  const inputs = options.map(([value], i) =>
    el('input', {type: 'radio', name: id, id: id + '-' + value, value, checked: i === 0, onchange}),
  );
  const node = el(
    'fieldset',
    {class: 'choice', id},
    el('legend', {class: 'unseen'}, label),
    options.map(([value, text], i) => el('label', {}, inputs[i], el('span', {}, text))),
  );
  return {node, value: () => inputs.find((input) => input.checked).value};
}
