import { type CommandNamed, language } from "./language.js";
import { flagTable, isFlagOf, type Session, screenOf, variables, wrap } from "./session.js";

type Rows = readonly (readonly [term: string, meaning: string])[];

/** `media help`: prints the overview, or one topic. */
export async function help({ topic }: CommandNamed<"help">, { world, print }: Session): Promise<void> {
  const { width } = screenOf(world.stdout, world.env);
  const { title, about, usage, sections, examples } = language.help(topic, { prefix: "media" });
  const ofTerminal = [
    { title: "Flags", rows: flagsOf(topic) },
    { title: "Environment variables", rows: topic === undefined ? variables : [] },
  ];
  const tables = [...sections, ...ofTerminal, { title: "Examples", rows: examples }];
  const parts = [
    [title, wrap(about, { width })],
    usage.map((line) => wrap(`  ${line}`, { width, indent: 6 })),
    ...tables.map(({ title, rows }) => (rows.length > 0 ? [title, ...rowsOf(rows, width)] : [])),
  ];
  const texts = parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  print(texts.join("\n\n"));
}

function flagsOf(topic: string | undefined): Rows {
  return flagTable
    .filter((flag) => topic === undefined || isFlagOf(flag, topic))
    .map((flag) => [`${flag.name}${flag.value ?? ""}`, flag.about]);
}

/** The widest first column; the meaning of a longer term is on the next line. */
const WIDEST = 44;
/** If meanings have less room than this beside their terms, they are printed below them. */
const BESIDE = 36;

function rowsOf(rows: Rows, width: number): string[] {
  const terms = rows.map(([term]) => term.length).filter((one) => one <= WIDEST);
  const indent = 2 + Math.max(0, ...terms) + 2;
  const isBeside = width - indent >= BESIDE;
  return rows.map(([term, meaning]) => {
    const below = `  ${term}\n`;
    if (!isBeside) return below + wrap(`    ${meaning}`, { width, indent: 4 });
    const isLong = term.length > WIDEST;
    const row = wrap(`${(isLong ? "" : `  ${term}`).padEnd(indent)}${meaning}`, { width, indent });
    return isLong ? below + row : row;
  });
}
