"use strict";
// The interactive chart of the page: mean errors with 95 % intervals against an axis that the reader chooses.
(() => {
const byId = id => document.getElementById(id);
const {columns, grids} = JSON.parse(byId("measurements").textContent);
if (!grids.length) return;
const AXES = {depth: "depth L", width: "width H", n_train: "training samples N", n_weights: "number of weights",
  learning_rate: "learning rate", method: "protocol or kernel", task: "task", shape: "shape L \u00d7 H"};
const CELL = ["task", "method", "depth", "width", "n_train", "learning_rate"];  // together they name a cell
const [H, LEFT, RIGHT, TOP, BOTTOM] = [400, 64, 16, 16, 48];
const LINES = 8;  // of a chart that nobody chose
const LABEL = 44;  // px, the room of a label on the x axis
const MARKS = ["M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0", "M-4.5-4.5h9v9h-9z", "M0-6l6 6l-6 6l-6-6z", "M0-6l6 10h-12z",
  "M0 6l6-10h-12z", "M-2-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z"];
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];
const chosen = {};  // control -> value, kept from view to view

const node = (name, attributes = {}, text = "") => {
  const svg = ["svg", "path", "text", "g", "title"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== "") made.textContent = text;
  return made;
};
const distinct = values => [...new Set(values)].sort((a, b) => typeof a === "number" ? a - b : `${a}`.localeCompare(`${b}`, "en", {numeric: true}));
const known = (rows, of) => distinct(rows.map(of).filter(value => value !== null && value !== undefined));
const words = name => AXES[name] || name.replaceAll("_", " ") + " of the task";
const round = value => `${Number(value.toPrecision(4))}`.replace("-", "\u2212");

function select(id, label, options, preferred) {
  const names = options.map(option => `${option[0]}`);
  const selected = names.includes(chosen[id]) ? chosen[id] : names.includes(preferred) ? preferred : names[0];
  const box = node("select", {id: `choose-${id}`}), whole = node("label", {for: `choose-${id}`}, label);
  for (const [value, text] of options) box.append(node("option", {value, ...(`${value}` === selected && {selected: ""})}, text));
  box.addEventListener("change", () => {
    chosen[id] = box.value;
    show();
    byId(`choose-${id}`)?.focus();
  });
  whole.append(box);
  byId("controls").append(whole);
  return selected;
}

// Settings of a task; two tasks that differ in none that the page knows differ in their name.
function settingsOfTask(grid, task) {
  const of = grid.tasks[task], twins = Object.values(grid.tasks).filter(other => JSON.stringify(other) === JSON.stringify(of));
  return Object.fromEntries(Object.entries(twins.length > 1 ? {...of, name: task} : of).map(([name, value]) => [apart(name), value]));
}
// A setting that is called as a part of the row is, such as the depth of a teacher, has a name of its own.
const apart = name => columns.includes(name) || ["shape", "settings", "line", "at"].includes(name) ? `own_${name}` : name;
const rowsOf = grid => grid.rows.map(values => {
  const row = Object.fromEntries(columns.map((name, i) => [name, values[i]]));
  const shape = row.depth && row.width ? `${row.depth} \u00d7 ${row.width}` : null;
  const settings = settingsOfTask(grid, row.task);
  return {...settings, ...row, shape, settings};
});
// Settings by which alone some task differs from another: such a setting is a dim of its own.
function freeOf(rows, settings) {
  const tasks = [...new Map(rows.map(row => [row.task, row.settings])).values()];
  const rest = (task, name) => JSON.stringify([name in task, Object.entries(task).filter(entry => entry[0] !== name).sort()]);
  return settings.filter(name => new Set(tasks.map(task => rest(task, name))).size < tasks.length);
}
// The task without the settings that have a control of their own, or that are the same for all tasks.
const family = (row, without, settings) => ["kind", ...settings.filter(name => !without.includes(name))].filter(name => name in row.settings).map(name => name === "kind" ? row.settings.kind : `${name.replaceAll("_", " ")} ${row.settings[name]}`).join(", ");

const ofLine = (rows, name) => rows.filter(row => row.line === name);

// What a line has for itself beside its name, as each depth may have its own width.
function own(points, rows, names) {
  const values = name => known(points, row => row[name]);
  return names.filter(name => known(rows, row => row[name]).length > 1 && values(name).length === 1).map(name => `, ${words(name)} ${values(name)[0]}`).join("");
}

const settingsOf = rows => [...new Set(rows.flatMap(row => Object.keys(row.settings)))].filter(name => name !== "kind" && known(rows, row => row[name]).length > 1);

function axesOf(rows) {
  const numeric = settingsOf(rows).filter(name => known(rows, row => row[name]).every(value => typeof value === "number"));
  return [...["depth", "width", "n_train", "n_weights", "learning_rate"].filter(name => known(rows, row => row[name]).length > 1), ...numeric];
}

const drawnDims = (x, lines) => [x, lines, ...(lines === "shape" ? ["depth", "width"] : [])];

function choose() {
  byId("controls").replaceChildren();
  const richest = grids.map((grid, i) => [axesOf(rowsOf(grid)).length, grid.rows.length, i]).reduce((best, each) => each[0] > best[0] || each[0] === best[0] && each[1] > best[1] ? each : best);
  const place = select("grid", "study and grid", grids.map((grid, i) => [i, `${grid.study}: ${grid.grid.replaceAll("_", " ")}`]), `${richest[2]}`);
  const grid = grids[place], all = rowsOf(grid);
  const settings = settingsOf(all), axes = axesOf(all);
  const values = name => known(all, row => row[name]).length;
  const longest = axes.filter(name => name !== "n_weights").reduce((best, name) => values(name) > values(best) ? name : best, axes[0]);
  const x = select("x", "x axis", (axes.length ? axes : ["depth"]).map(name => [name, words(name)]), longest);
  const placed = all.filter(row => row[x] !== null && row[x] !== undefined), combined = values("depth") > 1 && values("width") > 1 ? ["shape"] : [];
  const kinds = [...CELL, ...combined, ...settings].filter(name => name !== x && known(placed, row => row[name]).length > 1);
  const lines = select("lines", "lines by", [...kinds.map(name => [name, words(name)]), ["", "nothing"]], kinds.includes("depth") ? "depth" : kinds.find(name => values(name) <= LINES) || "");
  const fits = all.some(row => row.fitted !== null);
  const mean = select("mean", "mean over networks", [...(fits ? [["fitted", "that fit"]] : []), ["finite", "that did not diverge"]]);
  const scale = select("scale", "error scale", [["linear", "linear"], ["log", "logarithmic"]]);
  const offered = method => known(placed.filter(row => row.method === method), row => row[x]).length;
  const free = lines === "task" ? [] : freeOf(all, settings).filter(name => name !== x && name !== lines);
  const without = [x, lines, ...free], whole = lines === "task" && !settings.includes(x);
  let rows = placed.map(row => ({...row, task: whole ? row.task : family(row, without, settings), at: mean === "finite" && row.finite || row.fitted})).map(row => ({...row, line: row[lines]})).filter(row => row.at);
  if (x === "learning_rate") rows = rows.filter(row => offered(row.method) > 1);  // Newton's method has one, far from all others
  if (lines) rows = rows.filter(row => row.line !== null && row.line !== undefined);
  const settled = [...drawnDims(x, lines), ...(x === "n_weights" ? ["width"] : [])];
  for (const name of ["task", ...free, ...CELL.slice(1)].filter(name => !settled.includes(name))) rows = held(rows, name);
  for (const id of ["mean", "scale"]) byId("controls").append(byId(`choose-${id}`).parentNode);  // the last two
  return {grid, x, lines, scale, ...averaged(rows, x)};
}

// The rows with the value of a dim that the reader holds, or all of them to be averaged; asked only where lines need it.
function held(rows, name) {
  if (distinct(rows.map(row => row.line)).every(line => known(ofLine(rows, line), row => row[name]).length < 2)) return rows;
  const values = known(rows, row => row[name]), count = each => rows.filter(row => row[name] === each).length;
  const most = values.reduce((best, each) => count(each) > count(best) ? each : best);
  const value = select(`at-${name}`, words(name), [...values.map(each => [each, each]), ["", `mean over all ${values.length}`]], `${most}`);
  return value === "" ? rows : rows.filter(row => row[name] === null || row[name] === undefined || `${row[name]}` === value);  // kernels have no width
}

// Points, each the mean of its cells. Bars are averaged too: so wide are they at most, however much the cells share.
function averaged(rows, x) {
  const cells = new Map();
  for (const row of rows) cells.set(`${row.line} ${row[x]}`, [...(cells.get(`${row.line} ${row[x]}`) || []), row]);
  const points = [...cells.values()].map(of => {
    const sum = each => of.reduce((total, row) => total + each(row), 0), same = name => known(of, row => row[name]).length < 2;
    const at = of[0].at.map((_, i) => of.some(row => row.at[i] === null) ? null : sum(row => row.at[i]) / of.length);
    const shared = Object.fromEntries(CELL.map(name => [name, same(name) ? of[0][name] : null]));
    return {...of[0], ...shared, line: of[0].line, [x]: of[0][x], at, cells: of.length, counted: sum(row => row.counted), trained: sum(row => row.trained)};
  });
  const fullest = line => Math.max(...ofLine(points, line).map(point => point.cells));
  const whole = points.filter(point => point.cells === fullest(point.line));  // a mean of fewer cells is one of other cells
  return {rows: whole, left: points.length - whole.length};
}

function scaled(values, low, high, log) {
  const to = log ? Math.log : value => value;
  let [first, last] = [to(Math.min(...values)), to(Math.max(...values))];
  const margin = (last - first) * 0.06 || (log ? 0.5 : Math.abs(first) * 0.5 || 1);
  [first, last] = [first - margin, last + margin];
  const [start, span] = [first, last - first], place = value => low + (high - low) * (to(value) - start) / span;
  if (log) {
    const within = digits => digits.flatMap(digit => [...Array(40).keys()].map(i => digit * 10 ** (i - 20))).filter(tick => to(tick) >= first && to(tick) <= last);
    const [fine, tens] = [within([1, 2, 5]), within([1])];
    if (fine.length > 2) return {place, ticks: fine.length <= 9 ? fine : tens.filter((tick, i) => i % Math.ceil(tens.length / 9) === 0)};
    [first, last] = [Math.exp(first), Math.exp(last)];  // too narrow for 1, 2, 5: round numbers, as on a linear axis
  }
  const power = 10 ** Math.floor(Math.log10((last - first) / 5)), step = [1, 2, 5, 10].map(d => d * power).find(s => (last - first) / s <= 6);
  return {place, ticks: [...Array(9).keys()].map(i => (Math.ceil(first / step) + i) * step).filter(tick => tick <= last)};
}

function draw({grid, x, lines, scale, rows, left}) {
  const [chart, table] = [byId("chart"), byId("drawn")];
  chart.replaceChildren();
  table.replaceChildren();
  table.closest("details").hidden = !rows.length;
  byId("said").textContent = rows.length ? "" : "No networks count here: choose other values.";
  if (!rows.length) return;
  const W = Math.max(320, Math.min(720, chart.clientWidth || 720));  // so that labels have their size on a phone
  const log = scale === "log" && rows.every(row => row.at[0] > 0);
  const ends = rows.flatMap(row => row.at).filter(value => value !== null && (!log || value > 0));
  const xs = known(rows, row => row[x]), across = xs[0] > 0 && xs.at(-1) > 12 * xs[0];
  const [h, v] = [scaled(xs, LEFT, W - RIGHT, across), scaled(ends, H - BOTTOM, TOP, log)];
  const spaced = ticks => ticks.reduce((kept, tick) => kept.length && h.place(tick) - h.place(kept.at(-1)) < LABEL ? kept : [...kept, tick], []);
  const names = distinct(rows.map(row => row.line));
  const svg = node("svg", {viewBox: `0 0 ${W} ${H}`, role: "img", "aria-labelledby": "chart-title", class: "lines"});
  svg.append(node("title", {id: "chart-title"}, `${grid.error} against ${words(x)}, ${grid.study}, ${grid.grid}; the numbers are in the table below`));
  for (const tick of spaced(xs.length <= 12 ? xs : h.ticks)) svg.append(node("path", {class: "grid", d: `M${h.place(tick)} ${TOP}V${H - BOTTOM + 5}`}), node("text", {x: h.place(tick), y: H - BOTTOM + 19, "text-anchor": "middle"}, round(tick)));
  for (const tick of v.ticks) svg.append(node("path", {class: "grid", d: `M${LEFT - 5} ${v.place(tick)}H${W - RIGHT}`}), node("text", {x: LEFT - 9, y: v.place(tick) + 4, "text-anchor": "end"}, round(tick)));
  svg.append(node("text", {x: (LEFT + W - RIGHT) / 2, y: H - 8, "text-anchor": "middle"}, words(x)), node("text", {transform: `translate(14 ${(TOP + H - BOTTOM) / 2})rotate(-90)`, "text-anchor": "middle"}, grid.error));
  const key = node("ul", {class: "key"});
  const head = node("tr"), means = rows.some(row => row.cells > 1);
  for (const title of [...(lines ? [words(lines)] : []), words(x), "error", "95 % interval", ...(means ? ["cells in the mean"] : []), "networks that fit"]) head.append(node("th", {scope: "col"}, title));
  table.append(node("thead"), node("tbody"));
  table.tHead.append(head);
  names.forEach((name, i) => {
    const points = ofLine(rows, name).sort((a, b) => a[x] - b[x]);
    const line = node("g", {class: `line line${i % 6}`});
    line.append(node("path", {class: "curve", "stroke-dasharray": DASHES[Math.floor(i / 6) % 4], d: points.map((row, j) => `${j ? "L" : "M"}${h.place(row[x])} ${v.place(row.at[0])}`).join("")}));
    for (const row of points) {
      const [value, low, high] = row.at, left = h.place(row[x]), clip = bound => log && bound <= 0 ? H - BOTTOM : v.place(bound);
      if (low !== null) line.append(node("path", {d: `M${left} ${clip(low)}V${clip(high)}m-4 0h8M${left - 4} ${clip(low)}h8`}));
      const mark = node("path", {class: row.counted < row.trained ? "mark hollow" : "mark", transform: `translate(${left} ${v.place(value)})`, d: MARKS[i % 6]});
      const interval = low === null ? "none" : `[${round(low)}, ${round(high)}]`;
      mark.append(node("title", {}, `${lines ? `${words(lines)} ${name}, ` : ""}${words(x)} ${row[x]}: ${round(value)} ${interval}`));
      line.append(mark);
      const cells = [...(lines ? [name] : []), row[x], round(value), interval, ...(means ? [row.cells] : []), row.trained ? `${row.counted} of ${row.trained}` : "kernel"];
      const entry = table.tBodies[0].appendChild(node("tr"));
      for (const cell of cells) entry.append(node("td", {}, cell));
    }
    svg.append(line);
    const sample = node("svg", {viewBox: "0 0 30 14", class: `sample line${i % 6}`, "aria-hidden": "true"});
    sample.append(node("path", {class: "curve", "stroke-dasharray": DASHES[Math.floor(i / 6) % 4], d: "M0 7h30"}), node("path", {class: "mark", transform: "translate(15 7)", d: MARKS[i % 6]}));
    const entry = node("li");
    entry.append(sample, lines ? `${words(lines)} ${name}${own(points, rows, CELL.filter(each => !drawnDims(x, lines).includes(each)))}${means ? `, mean of ${points[0].cells}` : ""}` : means ? `mean of ${points[0].cells}` : "all");
    key.append(entry);
  });
  chart.append(svg, key);
  byId("said").textContent = `${names.length} ${names.length === 1 ? "line" : "lines"}, ${rows.length} ${rows.length === 1 ? "point" : "points"}. Bars are 95 % intervals.${left ? ` Left out, as cells of their mean are missing: ${left} ${left === 1 ? "point" : "points"}.` : ""}`;
}

let view;
function show() {
  view = choose();
  draw(view);
}
show();
addEventListener("resize", () => draw(view));
})();
