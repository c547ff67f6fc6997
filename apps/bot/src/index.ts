// What is left out on purpose: the features. Whoever starts the bot talks to it through Slack.
export { createLog, type LogOptions } from "@media-ops/secrets";
export { ConfigError } from "@media-ops/settings";
export { type Bot, type BotOptions, startBot } from "./bot.js";
export { type Config, readConfig } from "./config.js";
export { language } from "./language.js";
export { inventory } from "./run.js";
