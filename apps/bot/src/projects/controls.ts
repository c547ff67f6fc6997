import type { Actions, Forms } from "../features.js";
import { connectAction } from "./connect.js";
import { CONNECT } from "./connect-button.js";
import { CONNECT_FORM } from "./connect-modal.js";
import { connectProject } from "./connect-project.js";
import { DISCONNECT, disconnectAction } from "./disconnect.js";
import { USE_EVERYWHERE, USE_HERE } from "./projects.js";
import { useAction } from "./use.js";

export const projectActions: Actions = {
  [CONNECT]: connectAction,
  [DISCONNECT]: disconnectAction,
  [USE_HERE]: useAction("channel"),
  [USE_EVERYWHERE]: useAction("workspace"),
};

export const projectForms: Forms = { [CONNECT_FORM]: connectProject };
