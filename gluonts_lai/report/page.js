"use strict";

const CONFIG = {
  responsive: true,
  displaylogo: false,
  modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d", "toImage"]],
};

// Plotly takes a while to read: not before there is something to draw.
function plotly() {
  if (!window.Plotly) {
    const script = document.createElement("script");
    script.textContent = document.querySelector("#plotly").textContent;
    document.head.append(script);
  }
  return window.Plotly;
}

function times({ first, unit, steps }) {
  let position = 0;
  return steps.map((step) => first + unit * (position += step));
}

// A chart is drawn once, when somebody is about to look at it.
function draw(figure) {
  figure.drawn ??= (() => {
    const chart = JSON.parse(figure.querySelector("script").textContent);
    const x = times(chart.x);
    for (const trace of chart.data) {
      trace.x ??= x;
    }
    const place = figure.querySelector(".plot");
    return plotly().newPlot(place, chart.data, chart.layout, CONFIG);
  })();
  return figure.drawn;
}

const figures = document.querySelectorAll("figure");
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) {
        observer.unobserve(target);
        draw(target);
      }
    }
  },
  { rootMargin: "300px" },
);
figures.forEach((figure) => observer.observe(figure));
addEventListener("beforeprint", () => figures.forEach(draw));

// The link itself leads to the chart; the chart then shows the segment.
async function show(link) {
  const figure = document.querySelector(link.getAttribute("href"));
  const [x, y] = JSON.parse(link.dataset.view);
  const plot = await draw(figure);
  const ranges = { "xaxis.range": x };
  if (y) {
    ranges["yaxis.range"] = y;
  }
  await plotly().relayout(plot, ranges);
}

document.querySelectorAll("a.segment").forEach((link) => {
  link.addEventListener("click", () => show(link));
});

function valueOf(row, column) {
  const { value } = row.cells[column].dataset;
  return value === undefined ? row.cells[column].textContent : Number(value);
}

function compare(a, b) {
  return typeof a === "string" ? a.localeCompare(b) : a - b;
}

// Numbers begin with the greatest, names with the first.
function sort(header) {
  const descending = header.ariaSort
    ? header.ariaSort === "ascending"
    : header.classList.contains("number");
  const sign = descending ? -1 : 1;
  const body = header.closest("table").tBodies[0];
  const column = header.cellIndex;
  const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
  rows.sort(([a], [b]) => sign * compare(a, b));
  body.append(...rows.map(([, row]) => row));
  for (const cell of header.parentNode.cells) {
    cell.ariaSort = null;
  }
  header.ariaSort = descending ? "descending" : "ascending";
}

document.querySelectorAll("th button").forEach((button) => {
  button.addEventListener("click", () => sort(button.parentNode));
});
