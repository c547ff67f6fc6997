/** The minimal settings of a bot for one workspace. */
export const oneWorkspace = { SLACK_BOT_TOKEN: "xoxb-1-planted", SLACK_SIGNING_SECRET: "planted-signing-secret" };

/** The minimal settings of a bot for many workspaces. */
export const manyWorkspaces = {
  SLACK_CLIENT_ID: "1.2",
  SLACK_CLIENT_SECRET: "planted-client-secret",
  SLACK_STATE_SECRET: "planted-state-secret",
  SLACK_SIGNING_SECRET: "planted-signing-secret",
  BOT_PUBLIC_URL: "https://bot.example",
};
