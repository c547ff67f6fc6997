import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kinds } from "@media-ops/commands";
import { expect, it } from "vitest";
import { language } from "./language.js";
import { takeFlags } from "./session.js";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const documented = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = ""]) => {
  return [...block.matchAll(/^media ([^|\n]*?)(?: [|<>] .*)?$/gm)].map(([, words = ""]) => words);
});

it.each(documented)("the README names only valid commands: media %s", (line) => {
  // Splits the line like a shell: quoted text is one word.
  const argv = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const { words } = takeFlags(argv);
  expect(language.parse(words, { now: Date.now() })).toMatchObject({ ok: true });
});

it.each(language.commands)("the README's table has the command $name", ({ name }) => {
  const [table = ""] = /^\| command [\s\S]*?\n\n/m.exec(readme) ?? [];
  expect(table).toMatch(new RegExp(`\`(media )?${name}[ \`]`));
});

it("the README names every kind of log", () => {
  const [, sentence = ""] = /^A kind is (.*?)\./ms.exec(readme) ?? [];
  expect([...sentence.matchAll(/`(.+?)`/g)].map(([, kind]) => kind)).toEqual(kinds);
});
