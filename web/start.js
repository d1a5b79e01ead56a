// start.js: reads the data and builds the page of its kind. Comes last.

theme.forced = location.hash === '#png' ? 'light' : null;
theme.start();
{
  const data = JSON.parse(document.getElementById('data').textContent);
  pages[data.kind](data);
}
