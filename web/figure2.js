// figure2.js: the paper's Figure 2: three episodes of the pendulum over what the model did not know.

// The moment of the maps, for all three at once. The paper does not say which one its figure shows.
function figure2Moment(onchange) {
  return choice({
    id: 'figure2-moment',
    label: 'Which model the maps are of',
    options: [
      ['after', 'model after the episode'],
      ['before', 'model that planned it'],
    ],
    onchange,
  });
}

function figure2Spec(figure, episode, moment) {
  const {plane, coordinates: all} = figure;
  const coordinates = [all[plane.x], all[plane.y]];
  const learnedFrom = (shown) => (moment.value() === 'before' ? shown - 1 : shown);
  const mapOf = (shown) => plane.maps.find((map) => map.episode === learnedFrom(shown));
  const episodes = figure.episodes.filter((e) => e.episode <= episode);
  return {
    id: 'figure2-episode-' + episode,
    title: 'Pendulum, episode ' + episode,
    explain: () =>
      'The model after episode ' +
      learnedFrom(episode) +
      (moment.value() === 'before' ? ', which planned this one.' : '.'),
    height: (width) => Math.min(400, Math.max(300, 0.9 * width)),
    option: (context) =>
      planeOption(context, {
        plane,
        coordinates,
        map: mapOf(episode),
        // Of all three: so colours mean the same in all.
        low: lowest(figure.shown.map((shown) => mapOf(shown).low)),
        high: highest(figure.shown.map((shown) => mapOf(shown).high)),
        episodes,
        episode,
      }),
    csv: () => planeCsv(plane, coordinates, mapOf(episode), episodes, episode),
  };
}
