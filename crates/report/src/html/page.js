"use strict";
// What a reader can do with the page: hide a line, change an axis, read a point by mouse, finger or arrow keys, filter the rows of a table.
document.documentElement.classList.add("js");
const said = document.getElementById("said");

// A point's words are its title, which browsers show late and screen readers only in part: said at once instead.
for (const point of document.querySelectorAll("svg .p")) {
  point.words = point.textContent;
  point.replaceChildren();
}
// On its other axis a point says the same.
for (const other of document.querySelectorAll(".other")) {
  const usual = other.previousElementSibling.querySelectorAll(".p");
  other.querySelectorAll(".p").forEach((point, place) => (point.words = usual[place].words));
}

let current = null;
function say(point) {
  if (point === current) return;
  current?.classList.remove("at");
  current = point;
  current?.classList.add("at");
  said.textContent = current ? current.words : "";
}

for (const svg of document.querySelectorAll("svg.panel")) {
  const points = () => [...svg.querySelectorAll("g:not(.off) > .p, svg > .p")];
  svg.addEventListener("pointermove", (event) => {
    // The nearest point, so that no marker has to be hit.
    const away = (box) => Math.hypot(event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
    const hit = event.target.closest(".p");
    let nearest = svg.classList.contains("rows") ? hit : null;
    if (!svg.classList.contains("rows")) {
      let least = 40;
      for (const point of points()) {
        const distance = away(point.getBoundingClientRect());
        if (distance < least) [least, nearest] = [distance, point];
      }
    }
    say(nearest);
  });
  svg.addEventListener("pointerleave", () => say(null));
  svg.addEventListener("blur", () => say(null));
  svg.addEventListener("keydown", (event) => {
    const all = points();
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") return say(null);
    if (!step || all.length === 0) return;
    event.preventDefault();
    const at = all.indexOf(current);
    say(all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length]);
  });
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
      const lines = figure.querySelectorAll(`g[data-s="${button.dataset.s}"]`);
      for (const line of lines) line.classList.toggle("off", !shown);
    });
  }
  figure.querySelector("button.scale")?.addEventListener("click", (event) => {
    const isOther = toggled(event.currentTarget);
    for (const other of figure.querySelectorAll(".other")) {
      other.hidden = !isOther;
      other.previousElementSibling.hidden = isOther;
    }
  });
}

for (const filter of document.querySelectorAll(".filter")) {
  filter.hidden = false;
  // Ten thousand rows are read when their filter is first used, not when the page opens.
  let rows;
  filter.querySelector("input").addEventListener("input", (event) => {
    rows ??= [...filter.parentElement.querySelectorAll("tbody tr")].map((row) => [row, row.textContent.toLowerCase()]);
    const words = event.target.value.toLowerCase().split(/\s+/);
    for (const [row, text] of rows) row.hidden = !words.every((word) => text.includes(word));
  });
}

// What is printed is all of it.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll(".figure details")) details.open = true;
});
