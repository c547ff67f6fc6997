import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";

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

export const root = join(import.meta.dirname, "../..");

// How a document stays true: each of README.md and docs/*.md has a test here that calls takeDocument() and says how its
// blocks are tried. Whoever adds a block gives it a language that the test knows, and puts something in for what a reader
// would fill in (shell.put). Whoever adds a document adds its test.

/** How the blocks of a document are tried, by their language; what throws has failed. */
export type Takers = Readonly<Record<string, (block: CodeBlock) => unknown>>;

/** Does something when all was tried; what was given last is done first. */
export type AtEnd = (undo: () => unknown) => void;

/** A document while it is tried. */
export interface Trial {
  readonly text: string;
  readonly atEnd: AtEnd;
}

/**
 * Makes a test of every fenced block of a document. They run in their order, as a reader comes to them; `prepare` makes
 * ready what they need, and gives what takes them.
 */
export function takeDocument(path: string, prepare: (trial: Trial) => Promise<Takers>): void {
  const text = readFileSync(join(root, path), "utf8");
  describe(path, () => {
    const undoing: (() => unknown)[] = [];
    let takers: Takers = {};
    beforeAll(async () => {
      takers = await prepare({ text, atEnd: (undo) => void undoing.unshift(undo) });
    }, 60_000);
    afterAll(async () => {
      const failures: unknown[] = [];
      // One that fails keeps no other from being done.
      for (const undo of undoing) await Promise.resolve(undo()).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    }, 60_000);

    let broken: number | undefined;
    for (const block of codeBlocksOf(text)) {
      const { language, line } = block;
      it(`line ${line}: ${language} ${block.text.split("\n", 1)}`, async (test) => {
        // What comes later needs what came before it.
        if (broken !== undefined) return test.skip(`the block at line ${broken} failed`);
        broken = line;
        const take = takers[language];
        if (!take) {
          const known = Object.keys(takers).join(", ");
          throw new Error(`${path}:${line}: nothing takes a block of the language "${language}"; known: ${known}`);
        }
        await take(block);
        broken = undefined;
      }, 60_000);
    }
  });
}
