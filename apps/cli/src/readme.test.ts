import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { takeFlags } from "./flags.js";
import { language } from "./language.js";

const documented = ["README.md", "apps/cli/README.md"].flatMap((file) => {
  const blocks = readFileSync(join(import.meta.dirname, "../../..", file), "utf8").matchAll(/^```sh\n(.*?)^```/gms);
  return [...blocks].flatMap(([, block = ""]) => {
    return [...block.matchAll(/^(?:npx -y pnpm@12 )?media ([^|\n]*?)(?: [|>] .*)?$/gm)].map(([, words = ""]) => words);
  });
});

it.each(documented)("the documentation names a command that is understood: media %s", (line) => {
  // As a shell cuts it: what stands in quotes is one word.
  const argv = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const { words } = takeFlags(argv);
  expect(language.parse(words, { now: Date.now() })).toMatchObject({ ok: true });
});
