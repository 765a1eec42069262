// Puts what the server sees of a run into its place as it comes. A screen reader hears the one sentence now and then, and the end at once.
const RARELY_MS = 30000;
const at = (id) => document.getElementById(id);
const source = new EventSource('/live/events');
let heard = -Infinity;

const changed = (element, html) => {
  // What has not changed keeps its selection.
  if (element.dataset.shown === html) return;
  element.dataset.shown = html;
  element.innerHTML = html;
};

source.addEventListener('seen', ({ data }) => {
  const { lead, text, table, has_ended: hasEnded } = JSON.parse(data);
  at('lead').textContent = lead;
  changed(at('text'), text);
  changed(at('table'), table);
  at('table').hidden = table === '';
  if (hasEnded || performance.now() - heard > RARELY_MS) {
    heard = performance.now();
    at('heard').textContent = lead;
  }
  if (hasEnded) source.close();
});
source.addEventListener('open', () => (at('lost').hidden = true));
source.addEventListener('error', () => (at('lost').hidden = false));
