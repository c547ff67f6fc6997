/** The settings of the environment, by their names. */
export type Env = Readonly<Record<string, string | undefined>>;

/** How the bot gets into the real Slack: into one workspace by its token, or into many that install it. */
export type RealSlack = "token" | "oauth";

/** Whether the bot is to talk to the real Slack, and how it gets in. */
export function realSlackIn(env: Env): RealSlack | undefined {
  if (isSet(env.SLACK_CLIENT_ID)) return "oauth";
  return isSet(env.SLACK_BOT_TOKEN) || isSet(env.SLACK_APP_TOKEN) ? "token" : undefined;
}

export const isSet = (value: string | undefined): boolean => value !== undefined && value.trim() !== "";

// What a bot elsewhere has kept is not this one's.
const ELSEWHERE = new Set(["BOT_DATABASE_URL", "BOT_MASTER_KEY", "BOT_MASTER_KEY_FILE"]);

/** The settings of the bot: those for it and for Slack as they are, and the rest as it is here. */
export function botSettings(env: Env, others: Readonly<Record<string, string>> = {}): Env {
  const own = Object.entries(env).filter(
    ([name, value]) => /^(SLACK|BOT)_/.test(name) && isSet(value) && !ELSEWHERE.has(name),
  );
  // The demo's service is on this machine, which OAuth alone would forbid to reach.
  return { BOT_ALLOW_PRIVATE_ADDRESSES: "true", ...others, ...Object.fromEntries(own) };
}
