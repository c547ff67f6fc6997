// A reader of the Markdown that the printers write. It knows their escapes and nothing else: whatever else could mean
// something is found by `meaning`.

const ESCAPE = /\\([!-/:-@[-`{-~])|&(amp|lt|gt|#124);|<span>([@$#.:-])<\/span>/g;

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", "#124": "|" };

/** What a reader of the page sees. */
export function shownText(markdown: string): string {
  return markdown.replace(ESCAPE, (_, sign?: string, entity?: string, later?: string) => {
    return sign ?? later ?? entities[entity ?? ""] ?? "";
  });
}

/** What in a text would be more than text: on GitHub, also what is looked for in the finished page. */
export function meaning(markdown: string): string[] {
  const left = markdown.replace(ESCAPE, "\u0001");
  return (
    left.match(
      /&(?=[#a-z])|[<>|\\`*~[\]@$#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:\/\/|www\.|\bgh-\d|:[\w+-]*[a-z+_-][\w+-]*:/gi,
    ) ?? []
  );
}

/** The cells of a row: what lies between the pipes that no backslash stands before. */
export function cellsOf(row: string): string[] {
  const parts = row.split(/(?<!(?<!\\)(?:\\\\)*\\)\|/);
  return parts.slice(1, -1).map((cell) => cell.slice(1, -1));
}
