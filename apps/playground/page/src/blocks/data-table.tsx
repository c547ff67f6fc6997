import { type ReactNode, useId, useState } from "react";
import { type Json, numberIn, stringIn } from "../json.js";
import { Parts } from "../text/slack-text.js";
import { alignments, type Cell, nextSorting, readRows, type Sorting, sortRows } from "./table-rows.js";

/** A table, with its own pages and sorted by a click; of a plain `table`, all stands there at once. */
export function DataTable({ block }: { block: Json }): ReactNode {
  const all = readRows(block);
  const [head = [], ...rows] = all;
  const isPlain = block.type === "table";
  const aligned = alignments(block, all);
  const [sorting, setSorting] = useState<Sorting>();
  const [page, setPage] = useState(0);
  const id = useId();
  const size = numberIn(block.page_size) ?? Math.max(rows.length, 1);
  const start = Math.min(page, Math.ceil(rows.length / size) - 1) * size;
  const shown = sortRows(rows, sorting).slice(start, start + size);
  const caption = stringIn(block.caption);
  const namingColumn = numberIn(block.row_header_column_index) ?? 0;
  return (
    <div className="table">
      {/* biome-ignore lint/a11y/useSemanticElements: it is not one that is filled in. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse. */}
      <div className="table-scroll" tabIndex={0} role="group" aria-label={caption || "Table"}>
        <table>
          {caption && <caption>{caption}</caption>}
          <thead>
            <tr>
              {head.map((cell, column) => (
                <th key={keyOf(column)} scope="col" data-align={aligned[column]} aria-sort={sortOf(sorting, column)}>
                  {isPlain ? (
                    <CellText cell={cell} />
                  ) : (
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
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr key={keyOf(start + at)}>
                {row.map((cell, column) => {
                  // In a narrow window a row is a card, on which each value has its column's title before it.
                  const traits = { "data-align": aligned[column], "data-title": head[column]?.text };
                  return column === namingColumn && !isPlain ? (
                    <th key={keyOf(column)} scope="row" {...traits}>
                      <CellText cell={cell} />
                    </th>
                  ) : (
                    <td key={keyOf(column)} {...traits}>
                      <CellText cell={cell} />
                    </td>
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
          <button
            type="button"
            className="button is-icon"
            aria-label="Previous rows"
            aria-describedby={id}
            disabled={start === 0}
            onClick={() => setPage(start / size - 1)}
          >
            ‹
          </button>
          <button
            type="button"
            className="button is-icon"
            aria-label="Next rows"
            aria-describedby={id}
            disabled={start + size >= rows.length}
            onClick={() => setPage(start / size + 1)}
          >
            ›
          </button>
        </div>
      )}
    </div>
  );
}

const keyOf = (at: number): string => `at-${at}`;

function CellText({ cell: { text, parts } }: { cell: Cell }): ReactNode {
  return parts ? <Parts parts={parts} /> : text;
}

function sortOf(sorting: Sorting | undefined, column: number): "ascending" | "descending" | "none" {
  return sorting?.column === column ? sorting.direction : "none";
}
