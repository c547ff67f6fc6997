import { textWidth } from "@media-ops/formatters/terminal";
import { flagTable } from "../flags.js";
import { type CommandNamed, language } from "../language.js";
import type { Session } from "../session.js";

/** `media help`: what there is, or one topic of it. */
export async function help({ topic }: CommandNamed<"help">, { print }: Session): Promise<void> {
  const { title, about, usage, sections, examples } = language.help(topic, { prefix: "media" });
  const flags = flagTable.map(
    (flag) => [`${flag.name}${"value" in flag ? ` ${flag.value}` : ""}`, flag.about] as const,
  );
  const parts = [
    [title, about],
    usage.map((line) => `  ${line}`),
    ...sections.map(({ title: heading, rows }) => [heading, ...rowsOf(rows)]),
    ...(topic === undefined ? [["In the terminal", ...rowsOf(flags)]] : []),
    ...(examples.length > 0 ? [["Examples", ...rowsOf(examples)]] : []),
  ];
  print(
    parts
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n"))
      .join("\n\n"),
  );
}

/** Widest first column that is kept; a longer term has its meaning on the next line. */
const WIDEST = 44;

function rowsOf(rows: readonly (readonly [term: string, meaning: string])[]): string[] {
  const width = Math.max(...rows.map(([term]) => textWidth(term)).filter((one) => one <= WIDEST));
  return rows.map(([term, meaning]) => {
    const room = width - textWidth(term);
    return room < 0 ? `  ${term}\n  ${" ".repeat(width)}  ${meaning}` : `  ${term}${" ".repeat(room)}  ${meaning}`;
  });
}
