import { type ReactNode, useId, useState } from "react";
import { type Json, listIn, numberIn, stringIn } from "./json.js";
import { IconButton } from "./parts.js";
import { keyAt, type Part, Parts, readRichText } from "./slack-text.js";

/** A table with pages. A click on a column header sorts it. */
export function DataTable({ block }: { block: Json }): ReactNode {
  const all = readRows(block);
  const [head = [], ...rows] = all;
  const aligned = alignments(all);
  const [sorting, setSorting] = useState<Sorting>();
  const [page, setPage] = useState(0);
  const id = useId();
  const size = numberIn(block.page_size) ?? Math.max(rows.length, 1);
  // An update of the message may leave fewer pages.
  const current = Math.max(0, Math.min(page, Math.ceil(rows.length / size) - 1));
  const start = current * size;
  const shown = sortRows(rows, sorting).slice(start, start + size);
  const caption = stringIn(block.caption);
  return (
    <div className="table">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard. */}
      <div className="table-scroll" tabIndex={0} role="group" aria-label={caption || "Table"}>
        <table>
          {caption && <caption>{caption}</caption>}
          <thead>
            <tr>
              {head.map((cell, column) => (
                <th
                  key={keyAt(column)}
                  scope="col"
                  data-align={aligned[column]}
                  aria-sort={sorting?.column === column ? sorting.direction : "none"}
                >
                  <button
                    type="button"
                    onClick={() => {
                      setSorting(nextSorting(sorting, column));
                      setPage(0);
                    }}
                  >
                    {cell.text}
                    <span aria-hidden="true" className="sort-mark" />
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr key={keyAt(start + at)}>
                {row.map(({ text, parts }, column) => {
                  const Cell = column === 0 ? "th" : "td";
                  return (
                    <Cell
                      key={keyAt(column)}
                      scope={column === 0 ? "row" : undefined}
                      data-align={aligned[column]}
                      // In a narrow window, each row is a card that shows the column's title before each value.
                      data-title={head[column]?.text}
                    >
                      {parts ? <Parts parts={parts} /> : text}
                    </Cell>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > size && (
        <div className="table-pages">
          <span className="muted is-small" id={id} aria-live="polite">
            {start + 1}–{start + shown.length} of {rows.length}
          </span>
          <IconButton
            label="Previous rows"
            aria-describedby={id}
            disabled={current === 0}
            onClick={() => setPage(current - 1)}
          >
            ‹
          </IconButton>
          <IconButton
            label="Next rows"
            aria-describedby={id}
            disabled={start + size >= rows.length}
            onClick={() => setPage(current + 1)}
          >
            ›
          </IconButton>
        </div>
      )}
    </div>
  );
}

interface Cell {
  readonly text: string;
  readonly parts: readonly Part[] | undefined;
  readonly order: number | string;
}

export type Row = readonly Cell[];

export interface Sorting {
  readonly column: number;
  readonly direction: "ascending" | "descending";
}

/** Returns the rows of a `data_table`, including the header. */
export function readRows(block: Json): Row[] {
  const rows = Array.isArray(block.rows) ? block.rows : [];
  return rows.map((row) => listIn(row).map(readCell));
}

function readCell(cell: Json): Cell {
  const text = stringIn(cell.text);
  if (cell.type === "raw_number") return { text, parts: undefined, order: numberIn(cell.value) ?? text };
  if (cell.type !== "rich_text") return { text, parts: undefined, order: text };
  const parts = readRichText(cell);
  const pieces = parts.flatMap((part) => (part.type === "list" ? part.items.flat() : part.pieces));
  const words = pieces.map((piece) => (piece.type === "date" ? piece.fallback : "text" in piece ? piece.text : ""));
  // Cells with a time are sorted by it.
  const date = pieces.find((piece) => piece.type === "date");
  return { text: words.join(""), parts, order: date?.timestamp ?? words.join("") };
}

/** Sorts rows by a column, in stable order. */
export function sortRows(rows: readonly Row[], sorting: Sorting | undefined): readonly Row[] {
  if (!sorting) return rows;
  const { column, direction } = sorting;
  const sign = direction === "ascending" ? 1 : -1;
  return rows.toSorted((a, b) => sign * compare(a[column]?.order ?? "", b[column]?.order ?? ""));
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Returns the next sorting after a click on a column: ascending, descending, unsorted. */
export function nextSorting(now: Sorting | undefined, column: number): Sorting | undefined {
  if (now?.column !== column) return { column, direction: "ascending" };
  return now.direction === "ascending" ? { column, direction: "descending" } : undefined;
}

/** Returns the alignment of each column. Numbers are right-aligned. */
export function alignments([head = [], ...rows]: readonly Row[]): readonly ("left" | "right")[] {
  return head.map((_, column) => {
    const isNumeric = rows.every((row) => {
      const cell = row[column];
      return typeof cell?.order === "number" && /^[\d<]/.test(cell.text) && cell.parts === undefined;
    });
    return isNumeric && rows.length > 0 ? "right" : "left";
  });
}
