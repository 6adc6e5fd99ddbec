// The interactive page of a tree. Data come from a block that does not run, and are only ever set
// as text or as numbers: no name can become markup.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("tree-data").textContent);
const nodes = data.nodes;
const $ = (id) => document.getElementById(id);
const svg = $("tree"), stage = $("stage"), tip = $("tip");
const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 152, GAP = 16, LEVEL_GAP = 56;
const HEIGHT = { plain: 36, "plain-rows": 48, classes: 62, means: 72, numbers: 94 }[data.kind];
const MOST_AT_FIRST = 16;
const RING = 6; // room around the outermost cards

const open = new Set();
const hits = [];
let hit = -1, zoom = 1, focused = 0, shares = new Map(), drawn = new Map();

// Which nodes are open at first: those with most rows, until a screen is full.
function openLargest(most) {
  open.clear();
  let ends = 1;
  const pending = [0];
  while (pending.length) {
    pending.sort((a, b) => nodes[a].rows - nodes[b].rows || b - a);
    const node = pending.pop(), below = nodes[node].c;
    if (!below.length || ends + below.length - 1 > most) continue;
    open.add(node);
    ends += below.length - 1;
    pending.push(...below);
  }
}
const childrenOf = (node) => (open.has(node) ? nodes[node].c : []);

// Places: as treewright.draw.tidy (Reingold and Tilford 1981).
function laidOut() {
  const shown = [0];
  for (let i = 0; i < shown.length; i++) shown.push(...childrenOf(shown[i]));
  const outline = new Map(), offset = new Map([[0, 0]]), level = new Map([[0, 0]]);
  for (const node of shown) for (const child of childrenOf(node)) level.set(child, level.get(node) + 1);
  for (let i = shown.length - 1; i >= 0; i--) {
    const node = shown[i], below = childrenOf(node);
    if (!below.length) { outline.set(node, { left: [0], right: [0], lb: 0, rb: 0 }); continue; }
    let joined = outline.get(below[0]);
    offset.set(below[0], 0);
    for (const child of below.slice(1)) {
      const added = outline.get(child);
      let by = -Infinity;
      for (let k = 1; k <= Math.min(joined.right.length, added.left.length); k++)
        by = Math.max(by, joined.right.at(-k) + joined.rb - added.left.at(-k) - added.lb);
      by += WIDTH + GAP;
      offset.set(child, by);
      added.lb += by; added.rb += by;
      const [left, lb] = upper(joined.left, joined.lb, added.left, added.lb);
      const [right, rb] = upper(added.right, added.rb, joined.right, joined.rb);
      joined = { left, right, lb, rb };
    }
    const middle = (offset.get(below[0]) + offset.get(below.at(-1))) / 2;
    for (const child of below) offset.set(child, offset.get(child) - middle);
    joined.lb -= middle; joined.rb -= middle;
    joined.left.push(-joined.lb); joined.right.push(-joined.rb);
    outline.set(node, joined);
  }
  const whole = outline.get(0), place = new Map();
  place.set(0, RING - whole.left.reduce((a, b) => Math.min(a, b)) - whole.lb + WIDTH / 2);
  for (const node of shown) for (const child of childrenOf(node)) place.set(child, place.get(node) + offset.get(child));
  return { shown, place, level };
}
function upper(top, base, low, lowBase) {
  if (top.length >= low.length) return [top, base];
  for (let k = 1; k <= top.length; k++) low[low.length - k] = top.at(-k) + base - lowBase;
  return [low, lowBase];
}

// Drawing
function make(tag, attributes, parent) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (parent) parent.append(element);
  return element;
}
function write(parent, cls, x, y, [text, width], anchor) {
  if (!text) return;
  const element = make("text", { class: cls, x, y, textLength: width, lengthAdjust: "spacingAndGlyphs" }, parent);
  if (anchor) element.setAttribute("text-anchor", anchor);
  element.textContent = text;
}
function draw() {
  const { shown, place, level } = laidOut();
  let right = 0, bottom = 0;
  const had = svg.contains(document.activeElement); // an element that is moved loses the focus
  const before = drawn, edges = $("edges") || make("g", { id: "edges", "aria-hidden": "true" }, svg);
  edges.replaceChildren();
  svg.classList.toggle("following", shares.size > 0);
  drawn = new Map();
  const order = [];
  const walk = [0];
  while (walk.length) { const node = walk.pop(); order.push(node); walk.push(...childrenOf(node).slice().reverse()); }
  for (const node of order) {
    const x = place.get(node) - WIDTH / 2, y = RING + level.get(node) * (HEIGHT + LEVEL_GAP);
    right = Math.max(right, x + WIDTH); bottom = Math.max(bottom, y + HEIGHT + 8);
    const group = before.get(node) || card(node);
    group.replaceChildren();
    fill(group, node);
    group.style.transform = `translate(${x}px,${y}px)`;
    group.setAttribute("aria-level", level.get(node) + 1);
    if (nodes[node].c.length) group.setAttribute("aria-expanded", open.has(node));
    group.setAttribute("tabindex", node === focused ? 0 : -1);
    group.classList.toggle("end", !open.has(node));
    group.classList.toggle("on", shares.has(node));
    group.classList.toggle("hit", hits.includes(node));
    group.classList.toggle("now", hits[hit] === node);
    drawn.set(node, group);
    svg.append(group);
    const below = childrenOf(node), widths = below.map(edgeWidth);
    let start = place.get(node) - (widths.reduce((a, b) => a + b, 0) + 2 * (widths.length - 1)) / 2;
    below.forEach((child, i) => {
      const x1 = start + widths[i] / 2, y1 = y + HEIGHT, x2 = place.get(child), y2 = y + HEIGHT + LEVEL_GAP - 24;
      const line = make("path", { class: "line", d: `M${x1},${y1} C${x1},${y2 - 4} ${x2},${y1 + 4} ${x2},${y2}`, "stroke-width": widths[i] }, edges);
      line.classList.toggle("on", shares.has(child));
      start += widths[i] + 2;
    });
  }
  for (const [node, group] of before) if (!drawn.has(node)) group.remove();
  if (!drawn.has(focused)) focused = 0;
  drawn.get(focused).setAttribute("tabindex", 0);
  if (had) drawn.get(focused).focus({ preventScroll: true });
  svg.dataset.width = right + RING; svg.dataset.height = bottom + RING;
  scale();
}
function edgeWidth(node) {
  if (!shares.has(node)) return Math.max(1.25, 8 * nodes[node].w);
  const share = shares.get(node);
  return Math.max(2, 8 * (share < 1 ? share : nodes[node].w));
}
function card(node) {
  const group = make("g", { class: "node", role: "treeitem", "data-node": node });
  const its = nodes[node];
  group.setAttribute("aria-label", `${node ? its.full : "all " + data.unit}: ${its.out}`);
  group.addEventListener("click", () => { focus(node); toggle(node); });
  group.addEventListener("pointerenter", () => showTip(node));
  group.addEventListener("pointerleave", () => { tip.hidden = true; });
  group.addEventListener("focus", () => { focused = node; showTip(node); });
  group.addEventListener("blur", () => { tip.hidden = true; });
  return group;
}
function fill(group, node) {
  const its = nodes[node], isEnd = !open.has(node);
  make("rect", { class: "ring", x: -4, y: -4, width: WIDTH + 8, height: HEIGHT + 8, rx: 6 }, group);
  make("rect", { class: "card", width: WIDTH, height: HEIGHT, rx: 4 }, group);
  const left = isEnd ? 14 : 12, room = WIDTH - 12 - left;
  const rim = shares.has(node) ? 1 : 0; // the strip does not cover the border of the path
  if (isEnd) make("rect", { class: `strip f-${its.strip}`, x: rim, y: rim, width: 6, height: HEIGHT - 2 * rim }, group);
  if (isEnd && its.c.length) {
    for (const i of [1, 2]) make("line", { class: "thin", x1: 4 + 3 * i, x2: WIDTH - 4 - 3 * i, y1: HEIGHT + 3 * i - 0.5, y2: HEIGHT + 3 * i - 0.5 }, group);
    const text = `► ${its.leaves.toLocaleString("en")} leaves`;
    make("text", { class: "head", x: left, y: 20 }, group).textContent = text;
  } else write(group, "head", left, 20, its.h);
  if (data.kind === "classes") bars(group, its.bar, left, 28, room);
  if (its.d) histogram(group, its.d, left, 31, room, HEIGHT - 62);
  if (data.kind !== "plain") {
    write(group, "small", left, HEIGHT - 10, its.l);
    write(group, "small", left + room, HEIGHT - 10, its.r, "end");
  }
  if (its.a) write(group, "answer", WIDTH / 2, -8, its.a, "middle");
}
function bars(group, parts, x, y, width) {
  const room = width - (parts.length - 1), small = parts.filter((p) => p[1] * room < 1.5).length;
  const large = parts.reduce((sum, p) => sum + (p[1] * room < 1.5 ? 0 : p[1]), 0);
  for (const [token, share] of parts) {
    const part = share * room < 1.5 ? 1.5 : (share / large) * (room - 1.5 * small);
    make("rect", { class: `bar f-${token}`, x, y, width: Math.max(part, 0), height: 9 }, group);
    x += part + 1;
  }
}
function histogram(group, its, x, y, width, height) {
  const pitch = width / 30, bottom = y + height;
  its.bins.forEach((share, i) => {
    if (share > 0) make("rect", { class: "bar f-seq-3", x: x + i * pitch, y: bottom - height * share, width: pitch - 0.8, height: height * share }, group);
  });
  make("line", { class: "thin", x1: x, x2: x + width, y1: bottom, y2: bottom }, group);
  const [low, mean, high] = its.at.map((share) => x + share * width);
  make("line", { class: "sd", x1: low, x2: high, y1: bottom + 4, y2: bottom + 4 }, group);
  make("path", { class: "dot", d: `M${mean - 4.5},${bottom + 10.5} h9 l-4.5,-7.5z` }, group);
}

// Opening, closing, zoom
function toggle(node) {
  if (!nodes[node].c.length) return;
  if (open.has(node)) open.delete(node); else open.add(node);
  draw();
}
function reveal(node) {
  for (let above = nodes[node].p; above >= 0; above = nodes[above].p) open.add(above);
}
function focus(node) {
  focused = node;
  const group = drawn.get(node);
  if (!group) return;
  for (const each of drawn.values()) each.setAttribute("tabindex", -1);
  group.setAttribute("tabindex", 0);
  group.focus({ preventScroll: true });
  group.scrollIntoView({ block: "nearest", inline: "nearest" });
}
function scale() {
  const width = +svg.dataset.width, height = +svg.dataset.height;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width * zoom);
  svg.setAttribute("height", height * zoom);
}
function zoomTo(value) { zoom = Math.min(4, Math.max(0.1, value)); scale(); }
function fit() { zoomTo(Math.min(1, stage.clientWidth / +svg.dataset.width)); }

function showTip(node) {
  const group = drawn.get(node);
  if (!group) return;
  tip.textContent = nodes[node].tip;
  tip.hidden = false;
  const box = group.querySelector(".card").getBoundingClientRect(), own = tip.getBoundingClientRect();
  const below = box.bottom + 8 + own.height < innerHeight;
  tip.style.left = `${Math.max(4, Math.min(box.left, innerWidth - own.width - 4))}px`;
  tip.style.top = `${below ? box.bottom + 8 : Math.max(4, box.top - own.height - 24)}px`;
}

// Search
function search(text) {
  hits.length = 0; hit = -1;
  const sought = text.trim().toLowerCase();
  if (sought) nodes.forEach((its, node) => {
    const words = [its.full || "", its.asked, its.c.length ? "" : its.label].join("\n").toLowerCase();
    if (words.includes(sought)) hits.push(node);
  });
  $("hits").textContent = sought ? `${hits.length} ${hits.length === 1 ? "hit" : "hits"}` : "";
  $("next").disabled = !hits.length;
  draw();
}
function nextHit(takeFocus) {
  if (!hits.length) return;
  hit = (hit + 1) % hits.length;
  reveal(hits[hit]);
  $("hits").textContent = `${hit + 1} of ${hits.length}`;
  draw();
  if (takeFocus) focus(hits[hit]);
  else drawn.get(hits[hit]).scrollIntoView({ block: "nearest", inline: "center" });
}

// The path of a row
const columnOf = new Map(data.columns.map((column) => [column.i, column]));
const MISSING = new Set(["", "?", "na", "nan", "null", "none", "missing"]);
function valueOf(index, row) {
  const column = columnOf.get(index), text = (row.get(index) ?? "").trim();
  if (column.kind === "value") {
    if (column.values.includes(text)) return text;
    const spoken = { true: "yes", false: "no" }[text.toLowerCase()];
    if (spoken && column.values.includes(spoken)) return spoken;
    return MISSING.has(text.toLowerCase()) ? null : undefined;
  }
  if (MISSING.has(text.toLowerCase())) return null;
  if (column.kind === "datetime") return known(Date.parse(/\dT?.*(Z|[+-]\d\d:?\d\d)$/.test(text.slice(10)) ? text : text.length > 10 ? text.replace(" ", "T") + "Z" : text));
  if (column.kind === "duration") return known(seconds(text));
  if ((column.kind === "int" || column.kind === "uint") && /^[+-]?\d{16,}$/.test(text)) return BigInt(text);
  return known(Number(text.replace(/,(?=\d{3}(\D|$))/g, "").replace("−", "-")));
}
const known = (number) => (Number.isNaN(number) ? undefined : number);
function seconds(text) {
  const found = /^(-?)(?:(\d+) days? ?)?(?:(\d+):(\d+)(?::([\d.]+))?)?$/.exec(text);
  if (!found || (found[2] === undefined && found[3] === undefined)) return Number(text);
  const [, sign, days = 0, hours = 0, minutes = 0, rest = 0] = found;
  return (sign ? -1 : 1) * (86400 * days + 3600 * hours + 60 * minutes + +rest);
}
// The branch of a question; -1: every branch; null: its value is not known.
function branchOf(question, row) {
  let value;
  if (question.terms) {
    value = 0;
    for (const [index, factor] of question.terms) {
      const part = valueOf(index, row);
      if (part === null || part === undefined) { value = null; break; }
      value += factor * Number(part);
    }
  } else value = valueOf(question.col, row);
  if (question.b) {
    const found = question.b.find(([name]) => name === value);
    if (found) return { branch: found[1], isKnown: true };
    if (typeof value === "string" && question.r >= 0) return { branch: question.r, isKnown: true };
    return { branch: value === null ? question.m : question.u, isKnown: false };
  }
  if (value === null) return { branch: question.m, isKnown: false };
  const column = question.terms ? null : columnOf.get(question.col);
  if (column && column.kind === "value") {
    const code = column.values.indexOf(value);
    if (code < 0) return { branch: question.u, isKnown: false };
    value = code;
  }
  if (value === undefined) return { branch: question.m, isKnown: false };
  let branch = 0;
  for (const cut of question.t) {
    const bound = typeof cut === "string" && /^-?\d+$/.test(cut) && typeof value === "bigint" ? BigInt(cut) : Number(cut);
    if (value > bound) branch++;
  }
  return { branch, isKnown: true };
}
function follow(row) {
  const found = new Map(), ends = [], used = [], pending = [[0, 1]];
  while (pending.length) {
    const [node, share] = pending.pop(), its = nodes[node];
    found.set(node, share);
    if (!its.q) { ends.push([node, share]); continue; }
    if (its.q.col !== undefined && !used.includes(its.q.col)) used.push(its.q.col);
    let { branch, isKnown } = branchOf(its.q, row);
    if (!isKnown) for (const other of its.q.s || []) {
      const instead = branchOf(other, row);
      if (instead.branch >= 0 && (instead.isKnown || other.b)) {
        branch = other.flip ? 1 - instead.branch : instead.branch;
        break;
      }
    }
    const total = its.c.reduce((sum, child) => sum + nodes[child].rows, 0);
    if (branch >= 0) pending.push([its.c[branch], share]);
    else for (const child of its.c) {
      const part = total > 0 ? nodes[child].rows / total : 1 / its.c.length;
      if (part > 0) pending.push([child, share * part]);
    }
  }
  return { found, ends, used };
}
function answer(ends) {
  if (ends.length === 1) return nodes[ends[0][0]].label;
  let weights = ends.map(([, share]) => share);
  if (data.combine === "leaf_counts") weights = ends.map(([node]) => nodes[node].rows);
  const total = weights.reduce((a, b) => a + b, 0) || 1;
  if (ends.some(([node]) => !nodes[node].v)) return "by several linear models";
  const sums = nodes[ends[0][0]].v.map((_, k) => ends.reduce((sum, [node], i) => sum + (weights[i] / total) * nodes[node].v[k], 0));
  if (!data.classes.length) return sums.map((value) => String(+value.toPrecision(5))).join(", ");
  let best = 0;
  const losses = sums.map((share, k) => (data.costs ? sums.reduce((sum, s, j) => sum + s * data.costs[j][k], 0) : -share));
  losses.forEach((loss, k) => { if (loss < losses[best] - 1e-12) best = k; });
  return data.classes[best][0];
}
function drawRow(row) {
  const { found, ends, used } = follow(row);
  shares = found;
  for (const [node] of ends) reveal(node);
  const said = used.slice(0, 4).map((i) => `${columnOf.get(i).name} ${(row.get(i) || "").trim() || "missing"}`);
  const counted = ends.length === 1 ? nodes[ends[0][0]].out : `${ends.length} leaves, by a missing value`;
  $("told").textContent = `This row is predicted ${answer(ends)}${said.length ? ": " + said.join(", ") : ""} (${counted})`;
  draw();
  svg.dataset.leaf = ends.map(([node]) => node).join(" ");
}
function pasted(text) {
  const row = new Map(), byName = new Map(data.columns.map((column) => [column.name.toLowerCase(), column.i]));
  try {
    const object = JSON.parse(text);
    for (const [name, value] of Object.entries(object)) if (byName.has(name.toLowerCase())) row.set(byName.get(name.toLowerCase()), value === null ? "" : String(value));
    if (row.size) return row;
  } catch { /* no JSON: column = value, ... */ }
  for (const part of text.split(/[\n;\t]|,(?!\d{3}(?:\D|$))/)) {
    const found = /^\s*["']?(.+?)["']?\s*[=:]\s*["']?(.*?)["']?\s*$/.exec(part);
    if (found && byName.has(found[1].toLowerCase())) row.set(byName.get(found[1].toLowerCase()), found[2]);
  }
  return row;
}

// Controls
for (const [name, token, amount] of data.classes.filter((each) => each[1])) {
  const entry = document.createElement("span"), swatch = document.createElement("i");
  const label = document.createElement("b"), number = document.createElement("em");
  swatch.className = `b-${token}`; label.textContent = name; number.textContent = amount;
  entry.append(swatch, label, number);
  $("key").append(entry);
}
for (const column of data.columns) {
  const label = document.createElement("label"), input = document.createElement("input");
  label.textContent = column.name;
  input.dataset.column = column.i;
  input.autocomplete = "off";
  if (column.values.length) {
    const list = document.createElement("datalist");
    list.id = `values-${column.i}`;
    for (const value of column.values.slice(0, 500)) { const option = document.createElement("option"); option.value = value; list.append(option); }
    input.setAttribute("list", list.id);
    label.append(list);
  }
  label.append(input);
  $("fields").append(label);
}
$("row-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const row = pasted($("paste").value);
  for (const input of $("fields").querySelectorAll("input")) {
    const index = +input.dataset.column;
    if (input.value.trim() || !row.has(index)) row.set(index, input.value);
    else input.placeholder = row.get(index);
  }
  drawRow(row);
});
$("row-form").addEventListener("reset", () => {
  shares = new Map(); $("told").textContent = ""; delete svg.dataset.leaf;
  for (const input of $("fields").querySelectorAll("input")) input.placeholder = "";
  draw();
});
$("search").addEventListener("input", (event) => search(event.target.value));
$("search").addEventListener("keydown", (event) => { if (event.key === "Enter") nextHit(false); });
$("next").addEventListener("click", () => nextHit(true));
$("open-all").addEventListener("click", () => {
  const shown = laidOut().shown.filter((node) => !open.has(node));
  openLargest(2 * Math.max(shown.length, MOST_AT_FIRST)); draw(); fit();
});
$("close-all").addEventListener("click", () => { open.clear(); draw(); fit(); });
$("smaller").addEventListener("click", () => zoomTo(zoom / 1.25));
$("larger").addEventListener("click", () => zoomTo(zoom * 1.25));
$("whole").addEventListener("click", fit);
stage.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  zoomTo(zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
}, { passive: false });
svg.addEventListener("keydown", (event) => {
  const order = [...svg.querySelectorAll(".node")].map((group) => +group.dataset.node);
  const at = order.indexOf(focused), its = nodes[focused];
  const steps = {
    ArrowDown: () => focus(order[Math.min(at + 1, order.length - 1)]),
    ArrowUp: () => focus(order[Math.max(at - 1, 0)]),
    Home: () => focus(order[0]),
    End: () => focus(order.at(-1)),
    ArrowRight: () => { if (its.c.length && !open.has(focused)) { toggle(focused); focus(focused); } else if (its.c.length) focus(its.c[0]); },
    ArrowLeft: () => { if (open.has(focused)) { toggle(focused); focus(focused); } else if (its.p >= 0) focus(its.p); },
    Enter: () => { toggle(focused); focus(focused); },
    " ": () => { toggle(focused); focus(focused); },
  };
  if (steps[event.key]) { event.preventDefault(); steps[event.key](); }
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches && event.target.matches("input");
  if (event.key === "Escape") { $("search").value = ""; search(""); tip.hidden = true; }
  else if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key === "/") { event.preventDefault(); $("search").focus(); }
  else if (event.key === "n") nextHit(true);
});

svg.setAttribute("aria-label", data.title);
// As much as fits without making the type smaller.
for (let most = MOST_AT_FIRST; most > 1; most--) {
  openLargest(most);
  if (Math.max(...laidOut().place.values()) + WIDTH / 2 + RING <= stage.clientWidth) break;
}
if (data.path.length) {
  shares = new Map(data.path.map((node) => [node, 1]));
  for (const node of data.path) reveal(node);
  $("told").textContent = data.told;
}
draw();
if (!data.path.length) fit();
})();
