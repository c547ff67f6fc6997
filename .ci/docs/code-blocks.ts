/** A fenced block of a document. */
export interface CodeBlock {
  /** What stands behind the opening fence; empty where nothing does. */
  readonly language: string;
  readonly text: string;
  /** Where it can be found: the line of the opening fence, from 1. */
  readonly line: number;
  /** The `##` heading that it stands under. */
  readonly section: string;
}

/** The fenced blocks of a document, in their order. */
export function codeBlocksOf(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let section = "";
  let open: { fence: string; indent: string; language: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    const [, indent = "", fence, info = ""] = /^( *)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (!open) {
      section = /^## (.+)$/.exec(line)?.[1] ?? section;
      if (fence) open = { fence, indent, language: info.trim(), line: index + 1, lines: [] };
    } else if (fence?.startsWith(open.fence) && info.trim() === "") {
      const { language, line: begin, lines } = open;
      blocks.push({ language, text: lines.join("\n"), line: begin, section });
      open = undefined;
    } else {
      open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    }
  }
  if (open) throw new Error(`The block that begins at line ${open.line} does not end.`);
  return blocks;
}
