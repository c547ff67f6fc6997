import { readFileSync } from "node:fs";
import { join } from "node:path";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, it } from "vitest";

/** A fenced block of a document. */
export interface CodeBlock {
  /** The word after the opening fence, if any. */
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The `##` heading above it. */
  readonly section: string;
}

/** Returns the fenced blocks of a document, in order. */
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
      blocks.push({ language: open.language, text: open.lines.join("\n"), line: open.line, section });
      open = undefined;
    } else {
      open.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
    }
  }
  if (open) throw new Error(`The block that begins at line ${open.line} does not end.`);
  return blocks;
}

/** The root of the repository. */
export const root = join(import.meta.dirname, "../..");

/** The handler of each language's blocks. A block fails if its handler throws. */
export type Takers = Readonly<Record<string, (block: CodeBlock) => unknown>>;

/** Registers a cleanup to run after all blocks. The last registered runs first. */
export type AtEnd = (close: () => unknown) => void;

/** A document that is being tested. */
export interface Trial {
  readonly text: string;
  readonly atEnd: AtEnd;
}

/**
 * Creates a test for every fenced block of a document. The tests run in document order, as a reader would. To add a
 * block, use a language that the document's test handles, and replace the placeholders that a reader would fill in
 * (`shell.put`).
 */
export function takeDocument(path: string, prepare: (trial: Trial) => Promise<Takers>): void {
  const text = readFileSync(join(root, path), "utf8");
  describe(path, () => {
    const atEnd = closeAfterAll();
    let takers: Takers = {};
    beforeAll(async () => {
      takers = await prepare({ text, atEnd });
    });

    let broken: number | undefined;
    for (const block of codeBlocksOf(text)) {
      const { language, line } = block;
      it(`line ${line}: ${language} ${block.text.split("\n", 1)}`, async (test) => {
        // Later blocks build on earlier ones.
        if (broken !== undefined) return test.skip(`the block at line ${broken} failed`);
        broken = line;
        const take = takers[language];
        if (!take) {
          const known = Object.keys(takers).join(", ");
          throw new Error(`${path}:${line}: no test runs a block of the language "${language}"; known: ${known}`);
        }
        await take(block);
        broken = undefined;
      });
    }
  });
}
