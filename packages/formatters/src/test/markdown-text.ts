// A parser for the Markdown that the printers write. It knows only their escapes: any other markup is found by
// `meaning`.

const ESCAPE = /\\([!-/:-@[-`{-~])|&(amp|lt|gt|#124);|<span>([@$#.:-])<\/span>/g;

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", "#124": "|" };

/** The text that a reader of the page sees. */
export function shownText(markdown: string): string {
  return markdown.replace(ESCAPE, (_, sign?: string, entity?: string, later?: string) => {
    return sign ?? later ?? entities[entity ?? ""] ?? "";
  });
}

/** The markup in a text, including patterns that GitHub detects in the rendered page. */
export function meaning(markdown: string): string[] {
  const left = markdown.replace(ESCAPE, "\u0001");
  return (
    left.match(
      /&(?=[#a-z])|[<>|\\`*~[\]@$#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:\/\/|www\.|\bgh-\d|:[\w+-]*[a-z+_-][\w+-]*:/gi,
    ) ?? []
  );
}

/** The cells of a row, separated by unescaped pipes. */
export function cellsOf(row: string): string[] {
  const parts = row.split(/(?<!(?<!\\)(?:\\\\)*\\)\|/);
  return parts.slice(1, -1).map((cell) => cell.slice(1, -1));
}
