import { flagTable, variables } from "./flags.js";
import { type CommandNamed, language } from "./language.js";
import { type Session, screenOf, wrap } from "./session.js";

type Rows = readonly (readonly [term: string, meaning: string])[];

/** `media help`: what there is, or one topic of it. */
export async function help({ topic }: CommandNamed<"help">, { world, print }: Session): Promise<void> {
  const { width } = screenOf(world.stdout, world.env);
  const { title, about, usage, sections, examples } = language.help(topic, { prefix: "media" });
  const parts = [
    [title, wrap(about, { width })],
    usage.map((line) => wrap(`  ${line}`, { width, indent: 6 })),
    ...sections.map(({ title: heading, rows }) => [heading, ...rowsOf(rows, width)]),
    ...(topic === undefined ? [["Flags", ...rowsOf(flags, width)]] : []),
    ...(topic === undefined ? [["Variables of the environment", ...rowsOf(variables, width)]] : []),
    ...(examples.length > 0 ? [["Examples", ...rowsOf(examples, width)]] : []),
  ];
  print(
    parts
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n"))
      .join("\n\n"),
  );
}

const flags: Rows = flagTable.map((flag) => [`${flag.name}${"value" in flag ? ` ${flag.value}` : ""}`, flag.about]);

/** Widest first column that is kept; a longer term has its meaning on the next line. */
const WIDEST = 44;
/** Where meanings have less room than that beside their terms, they stand below them. */
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
