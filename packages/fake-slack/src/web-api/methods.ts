import { oauthMethods } from "../oauth/methods.js";
import type { Method } from "./method.js";
import { messageMethods } from "./methods/messages.js";
import { viewMethods } from "./methods/views.js";
import { workspaceMethods } from "./methods/workspace.js";

/** All methods of the Web API that are modelled. */
export const methods: Readonly<Record<string, Method>> = {
  ...oauthMethods,
  ...messageMethods,
  ...viewMethods,
  ...workspaceMethods,
};
