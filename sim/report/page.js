"use strict";
const report = JSON.parse(document.getElementById("report").textContent);
const wall = JSON.parse(document.getElementById("wall").textContent);

// ---- elements and numbers
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
const tip = (text) => svg("title", {}, text);
const count = (n) => (n === null || n === undefined ? "–" : Math.round(n).toLocaleString("en-US"));
const percent = (f, digits = 1) => (f === null || f === undefined ? "–" : (100 * f).toFixed(digits) + " %");
function short(n) {
  if (n === null || n === undefined) return "–";
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
    if (n >= size) return (n / size).toPrecision(3) + " " + unit;
  }
  return String(Math.round(n * 100) / 100);
}
function time(ms) {
  if (ms === null) return "–";
  return ms >= 1 ? ms.toPrecision(4) + " ms" : (ms * 1000).toPrecision(4) + " µs";
}
const sum = (object) => Object.values(object || {}).reduce((a, b) => a + b, 0);
const words = (name) => name.replaceAll("_", " ");
const main = document.querySelector("main");
function section(title, note, ...children) {
  main.append(el("section", {}, el("h2", {}, title, note ? el("small", {}, note) : null), ...children));
}

// ---- causes of cycles: one hue for each kind, lighter and darker for its members
const causes = {
  busy: "#3b78d8", weight_load: "#e08a2b", array_fill_drain: "#c9a227", ppu_pipeline: "#a98f1f",
  dma_pipeline: "#8c7a2a", dram_bandwidth: "#c8443c", dram_latency: "#e2857f", bank_conflict: "#1f9e8f",
  output_backpressure: "#d46aa5", token_wait_load: "#7d58c2", token_wait_mac: "#9b7fd3",
  token_wait_ppu: "#b8a3e0", token_wait_store: "#5f3fa0", configure: "#5c8a3c", queue_full: "#7a8794",
  end_of_segment: "#95a0ab", dispatch_empty: "#abb4bd", idle_done: "#c3cad1", random_stall: "#444b54",
};
const hue = (cause) => causes[cause] || "#888888";
const timed = report.layers.filter((layer) => layer.cycles !== null);

// ---- headline
function verdict() {
  const machines = Object.values(report.executors).filter((e) => !e.reference);
  if (machines.length === 0) return ["warn", "golden only, nothing compared"];
  return machines.every((e) => e.match === true) ? ["good", "all executors agree"] : ["bad", "executors differ"];
}
function headline() {
  const [state, text] = verdict();
  const shape = report.network.inputs.map((input) => input.shape.join("×")).join(", ");
  main.append(el("header", {},
    el("h1", {}, report.network.name || report.network.file),
    el("span", {class: "pill " + state}, text),
    el("span", {class: "what"}, `input ${shape} · NPU ${report.npu.name} · ${report.quantisation.recipe}`)));
}
function card(name, value, note, state) {
  return el("div", {class: "card " + (state || "")}, el("div", {class: "name"}, name),
    el("div", {class: "value"}, value), el("div", {class: "note"}, note || ""));
}
function cards() {
  const [state] = verdict();
  const machines = Object.values(report.executors).filter((e) => !e.reference);
  const compared = machines.reduce((a, e) => a + e.elements_compared, 0);
  const wrong = machines.reduce((a, e) => a + e.mismatches, 0);
  const accuracy = report.accuracy;
  const list = el("div", {class: "cards"});
  list.append(card("Bit-exact agreement", machines.length === 0 ? "–" : wrong === 0 && state === "good" ? "100 %" : count(wrong) + " differ",
    count(compared) + " elements compared", state));
  if (accuracy.int_top1 !== null) {
    const loss = 100 * (accuracy.float_top1 - accuracy.int_top1);
    list.append(card("Integer top-1", percent(accuracy.int_top1, 2),
      `float ${percent(accuracy.float_top1, 2)}${loss ? `, ${loss > 0 ? "−" : "+"}${Math.abs(loss).toFixed(2)} points` : ""}, ${count(accuracy.samples)} samples`));
  }
  if (accuracy.agreement !== null) {
    list.append(card("Same class as float", percent(accuracy.agreement, 2), count(accuracy.samples) + " samples"));
  }
  if (report.cycles !== null) {
    const clock = report.npu.parameters.clock_mhz;
    const peak = report.npu.parameters["array.rows"] * report.npu.parameters["array.cols"];
    list.append(card("Cycles a sample", count(report.cycles), "from " + report.cycles_from));
    list.append(card("Time a sample", time(report.milliseconds), `at ${clock} MHz`));
    list.append(card("MAC utilisation", percent(report.network.macs / (report.cycles * peak)),
      short(report.network.macs) + " MACs, peak " + peak + " a cycle"));
  }
  main.append(list);
}

// ---- tables
function table(columns, rows) {
  const body = el("tbody", {});
  const fill = (order) => {
    body.replaceChildren(...order.map((row) => el("tr", {}, ...columns.map((c) => c.cell(row)))));
  };
  const heads = columns.map((column) => {
    const head = el("th", column.numeric ? {class: "n"} : {});
    if (!column.key) {
      head.append(column.title);
      return head;
    }
    const button = el("button", {}, column.title);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => column.key(row);
      fill([...rows].sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === null || y === null) return (x === null) - (y === null);
        return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
      }));
    });
    head.append(button);
    return head;
  });
  fill(rows);
  return el("div", {class: "scroll"}, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body));
}
const text = (value, attributes) => el("td", attributes || {}, value === null || value === undefined ? "–" : String(value));
const number = (value) => el("td", {class: "n"}, value);
function bar(value, most, label) {
  const width = most > 0 && value ? Math.round((64 * value) / most) : 0;
  return el("td", {class: "bar"}, el("div", {class: "track"},
    width ? el("span", {class: "fill", style: `width:${width}px`}) : null, el("span", {class: "text"}, label)));
}
function executors() {
  const rows = Object.entries(report.executors);
  section("Executors", `simulators ran ${report.sim_samples} of ${count(report.input.samples)} samples`, table([
    {title: "Executor", cell: ([name]) => text(name)},
    {title: "Result", cell: ([, e]) => el("td", {}, e.reference ? el("span", {class: "muted"}, "reference")
      : el("span", {class: "pill " + (e.match ? "good" : "bad")}, e.match ? "agrees" : e.error ? "stopped" : "differs"))},
    {title: "Samples", numeric: true, cell: ([, e]) => number(count(e.samples))},
    {title: "Elements compared", numeric: true, cell: ([, e]) => number(count(e.elements_compared))},
    {title: "Mismatches", numeric: true, cell: ([, e]) => number(count(e.mismatches))},
    {title: "Not in RTL", numeric: true, cell: ([, e]) => number(e.not_in_rtl && e.not_in_rtl.length ? count(e.not_in_rtl_elements) : "–")},
  ], rows));
  for (const [name, e] of rows) {
    if (e.error) section(`${name} stopped`, "", el("pre", {}, e.error));
    if (e.first_mismatch) mismatch(name, e);
  }
}
function mismatch(name, e) {
  const m = e.first_mismatch;
  section(`First difference of ${name}`, e.bundle ? "bundle: " + e.bundle : "",
    el("p", {}, "Layer ", el("code", {}, m.layer), ` (${m.operator}), sample ${m.sample}, element [${m.coordinates.join(", ")}]: expected `,
      el("b", {}, String(m.expected)), ", got ", el("b", {}, String(m.got)), "."),
    m.disassembly ? el("pre", {}, `instruction ${m.instruction}, tile ${m.tile}: ${m.disassembly}`) : null,
    el("pre", {}, m.explained),
    el("details", {}, el("summary", {}, "operands and parameters"), el("pre", {}, JSON.stringify(m.made_from, null, 1))));
}
function layers() {
  const most = Math.max(1, ...timed.map((l) => l.cycles));
  const mostMacs = Math.max(1, ...report.layers.map((l) => l.macs));
  const columns = [
    {title: "#", numeric: true, key: (l) => l.index, cell: (l) => number(l.index)},
    {title: "Layer", key: (l) => l.name, cell: (l) => text(l.name, {class: "name", title: [l.name, ...l.fused].join(" + ")})},
    {title: "Operator", key: (l) => l.operator, cell: (l) => text(l.operator)},
    {title: "Class", key: (l) => l.class, cell: (l) => text(l.host ? l.class + ", host" : l.class)},
    {title: "Shape", cell: (l) => text(l.shape.join("×"), {class: "tight"})},
    {title: "MACs", key: (l) => l.macs, cell: (l) => bar(l.macs, mostMacs, l.macs ? short(l.macs) : "–")},
    {title: "SQNR, dB", numeric: true, key: (l) => l.sqnr_db, cell: (l) => number(l.sqnr_db === null ? (l.exact ? "exact" : "–") : l.sqnr_db.toFixed(1))},
    {title: "Shift S", numeric: true, key: (l) => l.requantise && l.requantise.s_max, cell: (l) => el("td", {class: "n muted", title: scale(l.requantise)}, shifts(l.requantise))},
  ];
  if (timed.length) {
    columns.splice(6, 0,
      {title: "Cycles", key: (l) => l.cycles, cell: (l) => bar(l.cycles, most, count(l.cycles))},
      {title: "Utilisation", key: (l) => l.utilisation, cell: (l) => bar(l.utilisation, 1, l.macs ? percent(l.utilisation) : "–")},
      {title: "DRAM bytes", numeric: true, key: (l) => sum(l.bytes), cell: (l) => number(l.bytes ? count(sum(l.bytes)) : "–")});
  }
  section("Layers", "click a heading to sort; cycles are those that a layer adds, so one that overlaps the layer before can exceed 100 % utilisation", table(columns, report.layers));
}
const range = (a, b) => (a === b ? String(a) : `${a}…${b}`);
const shifts = (r) => (r ? range(r.s_min, r.s_max) : "–");
function scale(r) {
  if (!r) return "not requantised";
  return `M ${range(r.m_min, r.m_max)}, S ${range(r.s_min, r.s_max)}, ${r.entries} scales` + (r.vanished ? `, ${r.vanished} vanished` : "");
}

// ---- charts
function stalls() {
  if (!timed.length) return;
  const rows = timed.filter((l) => l.cycles > 0);
  const used = Object.keys(causes).filter((cause) => rows.some((l) => (l.stalls[cause] || 0) > 0 || (cause === "busy" && l.busy > 0)));
  const legend = el("div", {class: "legend"}, ...used.map((cause) =>
    el("span", {}, el("i", {style: "background:" + hue(cause)}), words(cause))));
  const most = Math.max(1, ...rows.map((l) => l.cycles));
  const [left, width, step] = [230, 900, 22];
  const chart = svg("svg", {viewBox: `0 0 1240 ${rows.length * step + 6}`, role: "img", "aria-label": "cycles of each layer by cause"});
  rows.forEach((layer, i) => {
    const y = i * step;
    const name = layer.name.length > 32 ? layer.name.slice(0, 31) + "…" : layer.name;
    chart.append(svg("text", {x: left - 10, y: y + 15, "text-anchor": "end"}, name));
    let x = left;
    for (const cause of used) {
      const cycles = cause === "busy" ? layer.busy : layer.stalls[cause] || 0;
      if (!cycles) continue;
      const w = (width * cycles) / most;
      chart.append(svg("rect", {x, y: y + 3, width: Math.max(w - 0.6, 0.2), height: step - 7, rx: 2, fill: hue(cause)},
        tip(`${layer.name}, ${layer.engine}: ${words(cause)} ${count(cycles)} of ${count(layer.cycles)} cycles (${percent(cycles / layer.cycles)})`)));
      x += w;
    }
    chart.append(svg("text", {x: x + 8, y: y + 15, class: "ink"}, count(layer.cycles)));
  });
  section("Where the cycles go", "each layer's busiest engine, by cause", legend, chart);
}
function roofline() {
  const points = timed.filter((l) => l.macs > 0 && sum(l.bytes) > 0 && l.cycles > 0)
    .map((l) => ({layer: l, x: l.macs / sum(l.bytes), y: l.macs / l.cycles}));
  if (!points.length) return;
  const peak = report.npu.parameters["array.rows"] * report.npu.parameters["array.cols"];
  const bandwidth = report.npu.parameters["dram.bytes_per_cycle"];
  const ridge = peak / bandwidth;
  const xs = [ridge, ...points.map((p) => p.x)], ys = [peak, ...points.map((p) => p.y)];
  const low = (v) => Math.floor(Math.log10(Math.min(...v)) - 0.1), high = (v) => Math.ceil(Math.log10(Math.max(...v)) + 0.1);
  const [x0, x1, y0, y1] = [low(xs), high(xs), low(ys), high(ys)];
  const box = {l: 64, t: 14, w: 1150, h: 330};
  const px = (v) => box.l + (box.w * (Math.log10(v) - x0)) / (x1 - x0);
  const py = (v) => box.t + box.h - (box.h * (Math.log10(v) - y0)) / (y1 - y0);
  const chart = svg("svg", {viewBox: `0 0 1240 ${box.t + box.h + 48}`, role: "img", "aria-label": "roofline"});
  for (let e = x0; e <= x1; e++) {
    chart.append(svg("path", {class: "axis", d: `M${px(10 ** e)} ${box.t}V${box.t + box.h}`}),
      svg("text", {x: px(10 ** e), y: box.t + box.h + 18, "text-anchor": "middle"}, String(+(10 ** e).toPrecision(3))));
  }
  for (let e = y0; e <= y1; e++) {
    chart.append(svg("path", {class: "axis", d: `M${box.l} ${py(10 ** e)}H${box.l + box.w}`}),
      svg("text", {x: box.l - 8, y: py(10 ** e) + 4, "text-anchor": "end"}, String(+(10 ** e).toPrecision(3))));
  }
  const start = Math.max(10 ** x0, 10 ** y0 / bandwidth);
  chart.append(svg("path", {class: "roof", d: `M${px(start)} ${py(start * bandwidth)}L${px(ridge)} ${py(peak)}H${box.l + box.w}`}),
    svg("text", {x: px(ridge) + 10, y: py(peak) - 8}, `${peak} MACs a cycle; slope ${bandwidth} bytes a cycle`),
    svg("text", {x: box.l + box.w / 2, y: box.t + box.h + 40, "text-anchor": "middle"}, "MACs a DRAM byte"),
    svg("text", {x: 14, y: box.t + box.h / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${box.t + box.h / 2})`}, "MACs a cycle"));
  for (const p of points) {
    const r = 4 + 10 * Math.sqrt(p.layer.cycles / report.cycles);
    chart.append(svg("circle", {class: "dot", cx: px(p.x), cy: py(p.y), r},
      tip(`${p.layer.name}: ${p.y.toFixed(1)} MACs a cycle, ${p.x.toFixed(1)} MACs a byte, ${count(p.layer.cycles)} cycles`)));
  }
  section("Roofline", "area of a dot: its share of the cycles; a layer whose weights arrive during the one before can lie above the roof", chart);
}
function timeline() {
  const events = report.timeline || [];
  if (!events.length) return;
  const queues = ["load", "mac", "ppu", "store"];
  const last = Math.max(...events.map((e) => e[3]));
  const [left, width, step] = [64, 1160, 30];
  const chart = svg("svg", {viewBox: `0 0 1240 ${queues.length * step + 26}`, role: "img", "aria-label": "timeline"});
  queues.forEach((queue, q) => {
    chart.append(svg("text", {x: left - 10, y: q * step + 19, "text-anchor": "end"}, queue),
      svg("path", {class: "axis", d: `M${left} ${q * step + step - 1}H${left + width}`}));
  });
  for (const [queue, instruction, begin, end, layer] of events) {
    chart.append(svg("rect", {x: left + (width * begin) / last, y: queue * step + 5, width: Math.max((width * (end - begin)) / last, 0.4),
      height: step - 11, fill: layer % 2 ? "#3b78d8" : "#7d58c2"},
      tip(`${report.layers[layer] ? report.layers[layer].name : ""} instruction ${instruction}: cycles ${count(begin)} to ${count(end)}`)));
  }
  for (let k = 0; k <= 8; k++) {
    chart.append(svg("text", {x: left + (width * k) / 8, y: queues.length * step + 18, "text-anchor": k === 0 ? "start" : k === 8 ? "end" : "middle"}, count((last * k) / 8)));
  }
  section("Timeline", "first simulated sample; colours alternate by layer", chart);
}
function engines() {
  if (!report.timing) return;
  const rows = Object.entries(report.timing);
  const names = Object.keys(causes).filter((cause) => rows.some(([, row]) => row[cause]));
  const chart = svg("svg", {viewBox: `0 0 1240 ${rows.length * 26 + 4}`, role: "img", "aria-label": "cycles of each engine by cause"});
  rows.forEach(([engine, row], i) => {
    const total = sum(row);
    let x = 90;
    chart.append(svg("text", {x: 80, y: i * 26 + 17, "text-anchor": "end"}, engine));
    for (const cause of names) {
      if (!row[cause]) continue;
      const w = (1140 * row[cause]) / total;
      chart.append(svg("rect", {x, y: i * 26 + 4, width: Math.max(w - 0.6, 0.2), height: 18, rx: 2, fill: hue(cause)},
        tip(`${engine}: ${words(cause)} ${count(row[cause])} cycles (${percent(row[cause] / total)})`)));
      x += w;
    }
  });
  section("Engines", "all cycles of a sample, by cause",
    el("div", {class: "legend"}, ...names.map((c) => el("span", {}, el("i", {style: "background:" + hue(c)}), words(c)))), chart);
}

// ---- facts
function facts(object, units) {
  return el("table", {}, el("tbody", {}, ...Object.entries(object).map(([key, value]) =>
    el("tr", {}, el("td", {}, units ? key : words(key)), el("td", {}, value === null ? "–" : typeof value === "object" ? JSON.stringify(value)
      : String(value) + (units && units[key] && units[key] !== "" ? " " + units[key] : ""))))));
}
function halves(object, units) {
  const entries = Object.entries(object);
  const middle = Math.ceil(entries.length / 2);
  return el("div", {class: "columns"}, facts(Object.fromEntries(entries.slice(0, middle)), units),
    facts(Object.fromEntries(entries.slice(middle)), units));
}
function rest() {
  if (report.warnings.length) {
    section("Warnings", String(report.warnings.length), el("ul", {}, ...report.warnings.map((w) => el("li", {}, w))));
  }
  if (report.host_ops.length) {
    section("On the host", "not part of elements compared", table([
      {title: "Layer", cell: (o) => text(o.layer)}, {title: "Operator", cell: (o) => text(o.operator)},
      {title: "Elements", numeric: true, cell: (o) => number(count(o.elements))},
      {title: "Share of all results", numeric: true, cell: (o) => number(percent(o.share_of_elements, 3))}], report.host_ops));
  }
  section("Quantisation", "", halves(report.quantisation));
  section("NPU parameters", `${report.npu.name}, hash ${report.npu.hash}`, halves(report.npu.parameters, report.npu.units));
  const seconds = Object.fromEntries(Object.entries(wall).map(([k, v]) => [k, v.toFixed(3) + " s"]));
  section("This run", "", el("pre", {}, report.command),
    el("div", {class: "columns"}, facts(report.versions), facts(seconds)));
}

document.title = `bitwright: ${report.network.name} on ${report.npu.name}`;
headline();
cards();
executors();
layers();
stalls();
engines();
roofline();
timeline();
rest();
