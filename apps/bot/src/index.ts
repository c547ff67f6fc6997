// Exports only the start of the bot and its commands; its features are used through Slack.
export { createLog, type LogOptions } from "@media-ops/secrets";
export { ConfigError } from "@media-ops/settings";
export { type Bot, type BotOptions, startBot } from "./bot.js";
export { type Config, readConfig } from "./config.js";
export { language } from "./language.js";
export { inventory } from "./run.js";
