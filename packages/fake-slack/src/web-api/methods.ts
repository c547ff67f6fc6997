import { oauthMethods } from "../oauth/methods.js";
import { socketModeMethods } from "../socket-mode/methods.js";
import type { Method } from "./method.js";
import { apiTest, authTest, botsInfo, teamInfo } from "./methods/auth.js";
import { blocksValidate } from "./methods/blocks.js";
import { chatDelete, chatGetPermalink, chatPostEphemeral, chatPostMessage, chatUpdate } from "./methods/chat.js";
import {
  conversationsHistory,
  conversationsInfo,
  conversationsJoin,
  conversationsList,
  conversationsMembers,
  conversationsOpen,
  usersConversations,
} from "./methods/conversations.js";
import { filesCompleteUploadExternal, filesGetUploadUrlExternal } from "./methods/files.js";
import { usergroupsList, usergroupsUsersList, usersInfo, usersList } from "./methods/users.js";
import { viewsOpen, viewsPublish, viewsPush, viewsUpdate } from "./methods/views.js";

/** All methods of the Web API that there are here. */
export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ...Object.entries(oauthMethods),
  ...Object.entries(socketModeMethods),
  ["api.test", apiTest],
  ["auth.test", authTest],
  ["blocks.validate", blocksValidate],
  ["bots.info", botsInfo],
  ["chat.delete", chatDelete],
  ["chat.getPermalink", chatGetPermalink],
  ["chat.postEphemeral", chatPostEphemeral],
  ["chat.postMessage", chatPostMessage],
  ["chat.update", chatUpdate],
  ["conversations.history", conversationsHistory],
  ["conversations.info", conversationsInfo],
  ["conversations.join", conversationsJoin],
  ["conversations.list", conversationsList],
  ["conversations.members", conversationsMembers],
  ["conversations.open", conversationsOpen],
  ["files.completeUploadExternal", filesCompleteUploadExternal],
  ["files.getUploadURLExternal", filesGetUploadUrlExternal],
  ["team.info", teamInfo],
  ["usergroups.list", usergroupsList],
  ["usergroups.users.list", usergroupsUsersList],
  ["users.conversations", usersConversations],
  ["users.info", usersInfo],
  ["users.list", usersList],
  ["views.open", viewsOpen],
  ["views.publish", viewsPublish],
  ["views.push", viewsPush],
  ["views.update", viewsUpdate],
]);
