// live.js: asks for newer data while a page is served.

// One for all that is asked for.
function connectionNotice() {
  const there = document.getElementById('connection');
  if (there) return there;
  const notice = el(
    'div',
    {class: 'box', id: 'connection', role: 'status', hidden: true},
    'Connection lost, retrying …',
  );
  document.getElementById('page').prepend(notice);
  return notice;
}

function poll(url, update, seconds = 2) {
  const notice = connectionNotice();
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
    setTimeout(ask, 1000 * seconds);
  };
  setTimeout(ask, 1000 * seconds);
}
