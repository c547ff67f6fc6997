export interface WrapOptions {
  /** Columns of a line; `Infinity` where lines have no end. */
  width: number;
  /** How far each line but the first is moved to the right. @default 0 */
  indent?: number;
}

/**
 * A text in lines, broken between words. A word that is wider than a line stays whole, so that an address or a path can
 * still be copied.
 */
export function wrap(text: string, { width, indent = 0 }: WrapOptions): string {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    const room = lines.length === 0 ? width : width - indent;
    if (line === undefined || longer.length <= room) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line ?? ""].join(`\n${" ".repeat(indent)}`);
}
