import type { CommandHandlers } from "./features.js";
import { help } from "./help/help.js";
import { logs } from "./logs/logs.js";
import { connect } from "./projects/connect.js";
import { disconnect } from "./projects/disconnect.js";
import { projects } from "./projects/projects.js";
import { use } from "./projects/use.js";
import { status } from "./status/status.js";
import { summary } from "./summary/summary.js";
import { token } from "./tokens/token.js";

/** What each command does. */
export const commands: CommandHandlers = {
  logs,
  summary,
  token,
  status,
  help,
  connect,
  projects,
  use,
  disconnect,
};
