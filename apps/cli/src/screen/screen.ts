/** What a command is told about where its output goes. */
export interface Screen {
  /** Columns of a line; without end where nobody looks at it but a program. */
  width: number;
  color: boolean;
}

type Output = Pick<NodeJS.WriteStream, "isTTY" | "columns">;

/** What a terminal has that does not know how wide it is. */
const USUAL = 80;

/** How output is to be drawn. `COLUMNS`, `NO_COLOR` and `FORCE_COLOR` are heard; a pipe gets whole lines without colour. */
export function screenOf(output: Output, env: NodeJS.ProcessEnv): Screen {
  const wanted = Math.floor(Number(env.COLUMNS));
  const width = output.isTTY ? output.columns || USUAL : Number.POSITIVE_INFINITY;
  return { width: wanted >= 1 ? wanted : width, color: wantsColor(output, env) };
}

function wantsColor({ isTTY }: Output, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return Boolean(isTTY) && env.TERM !== "dumb";
}
