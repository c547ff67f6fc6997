// Only what a program needs that runs the service in its own process. The service's parts are not exported on purpose.

export { ConfigError } from "@media-ops/settings";
export { runCli } from "./cli/run.js";
export { type Config, readConfig } from "./config/config.js";
export { type ListenerLimits, StartError } from "./http/listening.js";
export { createLog, type LogOptions } from "./log.js";
export { type Service, type ServiceOptions, startService } from "./service.js";
