import type * as z from "zod";

/** Variables of the environment, by their names. */
type Variables = Readonly<Record<string, string | undefined>>;

/** The environment has settings that cannot be used; `problems` names them all. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings are wrong:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/**
 * Reads settings from the environment. An empty variable counts as none.
 *
 * @param contradictionsIn What is wrong with the variables together, whatever each of them says.
 * @throws {ConfigError} with everything that is wrong.
 */
export function readSettings<Settings extends z.ZodType>(
  settings: Settings,
  env: Variables,
  contradictionsIn: (given: Variables) => readonly string[] = () => [],
): z.output<Settings> {
  const given: Variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const { success, data, error } = settings.safeParse(given);
  // Each kind of setting says which value it has read, as far as that may be seen.
  const wrong = (error?.issues ?? []).map(({ path, message }) => `${path.join(".")} ${message}`);
  const problems = [...wrong, ...contradictionsIn(given)];
  if (!success || problems.length > 0) throw new ConfigError(problems);
  return data;
}
