// Draws what a terminal shows as an SVG picture: text stays text, sharp at any size and readable to a screen reader.

const CELL = { width: 8.4, height: 19 };
const MARGIN = { x: 18, top: 44, bottom: 16 };
const COLORS = {
  1: "#ffffff",
  2: "#8b949e",
  31: "#ff7b72",
  32: "#56d364",
  33: "#e3b341",
  34: "#79c0ff",
  35: "#d2a8ff",
  36: "#76e3ea",
  90: "#8b949e",
};

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Splits a line at its colour codes, and says which of them hold for each piece. */
function runsOf(line) {
  const [first = "", ...others] = line.split("\u001b[");
  let codes = [];
  const coded = others.map((part) => {
    const [, code = "", text = ""] = /^(\d*)m(.*)$/.exec(part) ?? [];
    codes = after(codes, Number(code));
    return { text, codes };
  });
  return [{ text: first, codes: [] }, ...coded].filter(({ text }) => text !== "");
}

/** 22 ends bold and faint, 39 a colour, 0 all. */
function after(codes, code) {
  if (code === 0) return [];
  if (code === 22) return codes.filter((one) => one > 2);
  if (code === 39) return codes.filter((one) => one <= 2);
  return [...codes, code];
}

function drawLine(line, row, widthOf) {
  let column = 0;
  return runsOf(line)
    .map(({ text, codes }) => {
      const width = widthOf(text);
      const x = MARGIN.x + column * CELL.width;
      const color = codes.map((code) => COLORS[code]).findLast((one) => one !== undefined);
      column += width;
      if (text.trim() === "") return "";
      const style = `${color ? ` fill="${color}"` : ""}${codes.includes(1) ? ' font-weight="bold"' : ""}`;
      // The length holds columns straight whatever font is there.
      return `<tspan x="${x.toFixed(1)}" y="${MARGIN.top + row * CELL.height}" textLength="${(width * CELL.width).toFixed(1)}"${style}>${escaped(text)}</tspan>`;
    })
    .join("");
}

/** A picture of a terminal with these lines, `columns` wide. */
export function terminalPicture(lines, { columns, title, widthOf }) {
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN.x);
  const height = Math.ceil(MARGIN.top + lines.length * CELL.height + MARGIN.bottom);
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, at) => `<circle cx="${20 + at * 18}" cy="18" r="5.5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${dots.join("")}
<text xml:space="preserve" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
${lines.map((line, row) => drawLine(line, row, widthOf)).join("\n")}
</text>
</svg>
`;
}
