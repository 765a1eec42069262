"use strict";
// What a reader can do with the page: hide a line, change an axis, read a point by mouse, finger or arrow keys, filter the rows of a table.
document.documentElement.classList.add("js");
const said = document.getElementById("said");

let current = null;
function say(point, event) {
  if (point !== current) {
    current?.classList.remove("at");
    current = point;
    current?.classList.add("at");
    said.textContent = current ? current.words : "";
  }
  // Beside the mouse; for fingers and keys at the window's edge, where nothing hides it.
  const isMouse = point && event?.pointerType === "mouse";
  said.style.cssText = isMouse ? `left:${Math.min(event.clientX + 16, innerWidth - said.offsetWidth - 8)}px;` +
    `top:${Math.max(event.clientY - said.offsetHeight - 12, 4)}px;right:auto;bottom:auto;border-radius:6px` : "";
}

function answering(svg) {
  const lines = () => [...svg.querySelectorAll("g[data-s]:not(.off)")].map((line) => [...line.querySelectorAll(".p")]);
  const rows = () => [[...svg.querySelectorAll(":scope > .p")]];
  const isRows = svg.classList.contains("rows");
  const parts = () => (isRows ? rows() : lines()).filter((points) => points.length > 0);
  // The nearest point, so that no marker has to be hit.
  const nearest = (event) => {
    if (isRows) return event.target.closest(".p");
    let [least, found] = [event.pointerType === "mouse" ? 40 : 60, null];
    for (const point of parts().flat()) {
      const box = point.getBoundingClientRect();
      const away = Math.hypot(event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
      if (away < least) [least, found] = [away, point];
    }
    return found;
  };
  svg.addEventListener("pointermove", (event) => event.pointerType === "mouse" && say(nearest(event), event));
  svg.addEventListener("click", (event) => say(nearest(event), event));
  svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && say(null));
  svg.addEventListener("blur", () => say(null));
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return say(null);
    const all = parts();
    const [across, along] = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: isRows ? [0, 1] : [1, 0],
      ArrowUp: isRows ? [0, -1] : [-1, 0], Home: [0, -Infinity], End: [0, Infinity] }[event.key] ?? [];
    if (along === undefined || all.length === 0) return;
    event.preventDefault();
    const line = all.findIndex((points) => points.includes(current));
    if (line < 0) return say(along < 0 ? all.at(-1).at(-1) : all[0][0]);
    const points = all[(line + across + all.length) % all.length];
    const place = all[line].indexOf(current) + along;
    say(points[Math.max(0, Math.min(points.length - 1, place))]);
  });
}

// A point's words are its title, which browsers show late and screen readers only in part: said at once instead.
function answerIn(part) {
  for (const point of part.querySelectorAll("svg .p")) {
    point.words = point.textContent;
    point.replaceChildren();
  }
  part.querySelectorAll("svg.panel").forEach(answering);
}
answerIn(document);

// Parts of a large page are one text to a browser with scripts, and elements where they stand once they are read.
function read(part) {
  for (const text of part.querySelectorAll("noscript")) {
    const template = document.createElement("template");
    template.innerHTML = text.textContent;
    answerIn(template.content);
    text.replaceWith(template.content);
  }
}
// Figures are read when the page has opened, one after the other, or before that when they come near or are asked for something.
const unread = [...document.querySelectorAll(".figure")].filter((figure) => figure.querySelector("noscript"));
const near = new IntersectionObserver((seen) => seen.forEach(({ target, isIntersecting }) => isIntersecting && read(target)), { rootMargin: "100%" });
unread.forEach((figure) => near.observe(figure));
// A machine that is never idle waits no longer than this for each.
const idle = (next) => (window.requestIdleCallback ? requestIdleCallback(next, { timeout: 500 }) : setTimeout(next, 50));
function readNext() {
  if (unread.length > 0) {
    read(unread.shift());
    idle(readNext);
  }
}
addEventListener("load", () => idle(readNext));

// A panel on its other axis is drawn when it is first asked for: thousands of markers would delay the page. Its points say the same.
function draw(other) {
  const template = other.querySelector("template");
  if (!template) return;
  const usual = other.previousElementSibling;
  const words = usual.querySelectorAll(".p");
  answerIn(template.content);
  template.content.querySelectorAll(".p").forEach((point, place) => (point.words = words[place].words));
  for (const line of usual.querySelectorAll("g.off")) template.content.querySelector(`g[data-s="${line.dataset.s}"]`)?.classList.add("off");
  template.replaceWith(template.content);
}

const toggled = (button) => {
  const pressed = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", pressed);
  return pressed;
};
for (const figure of document.querySelectorAll(".figure")) {
  for (const button of figure.querySelectorAll("button[data-s]")) {
    button.addEventListener("click", () => {
      const shown = toggled(button);
      say(null);
      read(figure);
      const lines = figure.querySelectorAll(`g[data-s="${button.dataset.s}"]`);
      for (const line of lines) line.classList.toggle("off", !shown);
    });
  }
  figure.querySelector("button.scale")?.addEventListener("click", ({ currentTarget: button }) => {
    read(figure);
    [button.textContent, button.dataset.other] = [button.dataset.other, button.textContent];
    for (const other of figure.querySelectorAll(".other")) {
      draw(other);
      other.hidden = !other.hidden;
      other.previousElementSibling.hidden = !other.hidden;
    }
  });
}

// The table of all cells becomes one when it is opened or searched; a short one at once, so that the browser's own search finds its rows.
const SHORT = 300_000;
for (const details of document.querySelectorAll(".cells details")) {
  details.addEventListener("toggle", () => read(details));
  if (details.querySelector("noscript").textContent.length <= SHORT) read(details);
}

for (const filter of document.querySelectorAll(".filter")) {
  filter.hidden = false;
  // What is searched: the names, not the figures.
  const searched = (row) => ` ${[...row.cells].slice(0, 5).map((cell) => cell.textContent).join(" ")} `.toLowerCase();
  let rows;
  filter.querySelector("input").addEventListener("input", (event) => {
    read(filter.parentElement);
    rows ??= [...filter.parentElement.querySelectorAll("tbody tr")].map((row) => [row, searched(row)]);
    // A size is one word, and a whole one: 16 KiB is not found in 116 KiB.
    const words = event.target.value.toLowerCase().match(/\d+ ?[kmg]?i?b\b|\S+/g) ?? [];
    const isIn = (text, word) => (/^\d/.test(word) ? text.includes(` ${word.replace(/^(\d+) ?/, "$1 ")} `) : text.includes(word));
    let shown = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every((word) => isIn(text, word));
      shown += !row.hidden;
    }
    filter.querySelector("output").textContent = `${shown} of ${rows.length} cells`;
  });
}

// On paper the figures' values stand below them; the table of all cells stays closed where it was.
addEventListener("beforeprint", () => {
  unread.splice(0).forEach(read);
  for (const details of document.querySelectorAll(".figure details")) details.open = true;
});
