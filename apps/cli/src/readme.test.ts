import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { takeFlags } from "./flags.js";
import { language } from "./language.js";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const documented = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = ""]) => {
  return [...block.matchAll(/^media ([^|\n]*?)(?: [|>] .*)?$/gm)].map(([, words = ""]) => words);
});

it.each(documented)("the README names a command that is understood: media %s", (line) => {
  // As a shell cuts it: what stands in quotes is one word.
  const argv = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const { words } = takeFlags(argv);
  expect(language.parse(words, { now: Date.now() })).toMatchObject({ ok: true });
});
