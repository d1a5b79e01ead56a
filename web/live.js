// live.js: asks for newer data while a page is served.

const pollSeconds = 2;

function poll(url, update) {
  const notice = el(
    'div',
    {class: 'box', id: 'connection', role: 'status', hidden: true},
    'Connection lost, retrying …',
  );
  document.getElementById('page').prepend(notice);
  let tag = null;
  const ask = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch(url, {cache: 'no-store', headers: tag ? {'If-None-Match': tag} : {}});
        if (answer.status === 200) {
          const data = await answer.json();
          tag = answer.headers.get('ETag');
          update(data);
        } else if (answer.status !== 304) {
          throw new Error('status ' + answer.status);
        }
        notice.hidden = true;
      } catch (error) {
        notice.hidden = false;
      }
    }
    setTimeout(ask, 1000 * pollSeconds);
  };
  setTimeout(ask, 1000 * pollSeconds);
}
