// SPDX-License-Identifier: MIT
"use strict";

// Tables: a click on a head sorts by its column, a second one the other way round. What has no value stays last.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const collator = new Intl.Collator("en", {numeric: true});

  function key(row, column) {
    const cell = row.cells[column];
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    return cell.classList.contains("none") || cell.textContent === "" ? null : cell.textContent;
  }

  function order(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
  }

  heads.forEach((head, column) => head.querySelector("button")?.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    table.classList.add("sorted"); // equal rows no longer stand together: no rules between groups
    const rows = [...body.rows].map((row) => [key(row, column), row]);
    rows.sort(([a], [b]) => (down && a !== null && b !== null ? order(b, a) : order(a, b)));
    body.append(...rows.map(([, row]) => row));
  }));
}

// Search and filter: only rows of tables that are about a cell that matches; figures stay whole, with all but its
// medians pale. The URL's fragment has the section first, and then what is asked for.
const {level, filters, cells} = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("filter");
const rows = [...document.querySelectorAll("tr[data-about]")]
  .map((row) => [row, row.dataset.about.split(" ").map(Number)]);

function matches([name, , , , , , , places]) {
  const words = form.elements.search.value.toLowerCase().split(/\s+/);
  const text = [name, ...places].join(" ").toLowerCase();
  return words.every((word) => text.includes(word)) &&
    Object.keys(filters).every((key, place) => ["", places[place]].includes(form.elements[key].value));
}

function narrow() {
  const left = cells.map(matches), count = left.filter(Boolean).length;
  for (const [row, about] of rows) row.classList.toggle("out", !about.some((index) => left[index]));
  for (const table of document.querySelectorAll("table:has([data-about])"))
    table.classList.toggle("empty", [...table.tBodies[0].rows].every((row) => row.classList.contains("out")));
  for (const svg of document.querySelectorAll("figure svg")) {
    svg.classList.toggle("narrowed", count < cells.length);
    for (const point of svg.querySelectorAll("[data-cell]"))
      point.classList.toggle("in", left[Number(point.dataset.cell)]);
  }
  form.querySelector("output").textContent = count < cells.length ? `${count} of ${cells.length} cells` : "";
}

function section() {
  return location.hash.slice(1).split("&").find((part) => !part.includes("=")) ?? "";
}

function remember() {
  const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value.trim()));
  history.replaceState(null, "", `#${[section(), String(asked)].filter(Boolean).join("&")}`);
}

function recall() {
  const asked = new URLSearchParams(location.hash.slice(1));
  for (const name of ["search", ...Object.keys(filters)]) {
    form.elements[name].value = asked.get(name) ?? "";
    if (form.elements[name].selectedIndex < 0) form.elements[name].selectedIndex = 0; // no such word
  }
  narrow();
}

form.addEventListener("input", () => [narrow(), remember()]);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(() => [narrow(), remember()]));
// A link to a section keeps what is asked for.
window.addEventListener("hashchange", () => location.hash.includes("=") ? recall() : remember());
form.hidden = cells.length < 2;
if (location.hash.includes("=")) {
  recall();
  document.getElementById(section())?.scrollIntoView();
}

// Figures: the values of the median that is nearest to the pointer, was tapped, or has the focus.
const REACH = 24; // pixels from the pointer to a median
const tip = document.createElement("div");
tip.id = "tip";
tip.setAttribute("role", "status");
tip.hidden = true;
document.body.append(tip);
let shown = null; // {point, ring, pinned}

function digits(value) {
  return value.toPrecision(6).includes("e") ? String(value) : Number(value.toPrecision(6)).toString();
}

function describe(index) {
  const [name, median, low, high, covers, values, judged] = cells[index];
  const lines = [["median", `${digits(median)} ns/message`]];
  if (values.length > 1)
    lines.push([`${+(100 * level).toPrecision(3)}% interval`, `${digits(low)} – ${digits(high)}`],
               ["covers", `${+(100 * covers).toPrecision(4)}%`]);
  lines.push(...judged);
  lines.push([values.length === 1 ? "one process" : `${values.length} processes`, values.map(digits).join("  ")]);
  return [name, lines];
}

function fill(index) {
  const [name, lines] = describe(index);
  const title = document.createElement("b");
  const list = document.createElement("dl");
  title.textContent = name;
  for (const line of lines)
    line.forEach((text, second) => {
      const part = document.createElement(second ? "dd" : "dt");
      part.textContent = text;
      list.append(part);
    });
  tip.replaceChildren(title, list);
}

function centre(point) {
  const box = point.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

function place() {
  if (!shown) return;
  const [x, y] = centre(shown.point);
  const sheet = shown.ring.parentElement.getBoundingClientRect();
  shown.ring.style.left = `${x - sheet.left}px`;
  shown.ring.style.top = `${y - sheet.top}px`;
  const {width, height} = tip.getBoundingClientRect();
  const gap = 14, edge = 8, right = document.documentElement.clientWidth - edge;
  const left = x + gap + width < right ? x + gap : x - gap - width;
  tip.style.left = `${Math.max(edge, Math.min(left, right - width))}px`;
  tip.style.top = `${y - gap - height > edge ? y - gap - height : y + gap}px`;
}

function hide() {
  if (!shown) return;
  shown.ring.hidden = tip.hidden = true;
  shown = null;
}

for (const svg of document.querySelectorAll("figure svg")) {
  const points = [...svg.querySelectorAll("[data-cell]")];
  if (!points.length) continue;
  const ring = document.createElement("div");
  ring.className = "ring";
  ring.hidden = true;
  svg.parentElement.append(ring);

  function show(point) {
    hide();
    shown = {point, ring, pinned: false};
    fill(Number(point.dataset.cell));
    ring.hidden = tip.hidden = false;
    place();
  }

  function nearest(event) {
    let best = null, least = REACH;
    for (const point of points) {
      const [x, y] = centre(point);
      const distance = Math.hypot(x - event.clientX, y - event.clientY);
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  }

  svg.addEventListener("pointermove", (event) => {
    if (shown?.pinned || event.pointerType === "touch") return;
    const point = nearest(event);
    if (point === null) hide();
    else if (point !== shown?.point) show(point);
  });
  svg.addEventListener("pointerleave", () => shown?.pinned || hide());
  svg.addEventListener("click", (event) => {
    const point = nearest(event);
    if (point === null) return;
    show(point);
    shown.pinned = true;
    event.stopPropagation();
  });

  // One stop for the tab key; the arrow keys go from point to point.
  points.forEach((point, index) => {
    const [name, lines] = describe(Number(point.dataset.cell));
    point.setAttribute("role", "img");
    point.setAttribute("aria-label", [name, ...lines.map((line) => line.join(" "))].join(", "));
    point.setAttribute("tabindex", index ? "-1" : "0");
    point.addEventListener("focus", () => show(point));
    point.addEventListener("blur", hide);
    point.addEventListener("keydown", (event) => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (!step) return;
      event.preventDefault();
      let to = index;
      do to = (to + step + points.length) % points.length;
      while (to !== index && svg.matches(".narrowed") && !points[to].matches(".in"));
      const next = points[to];
      point.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  });
}

document.addEventListener("click", hide);
document.addEventListener("scroll", place, {capture: true, passive: true});
window.addEventListener("resize", place);
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
