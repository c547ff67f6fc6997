import type { OutgoingDelivery } from "../delivery/outgoing.js";
import { issueResponseUrl } from "../delivery/response-url.js";
import type { Channel, Message, User } from "../world/model.js";
import type { World } from "../world/world.js";

export function command(world: World, user: User, channel: Channel, text = ""): OutgoingDelivery {
  return {
    kind: "slash_command",
    teamId: user.teamId,
    payload: {
      command: "/media",
      text,
      team_id: user.teamId,
      channel_id: channel.id,
      user_id: user.id,
      user_name: user.name,
      api_app_id: world.app.id,
      response_url: issueResponseUrl(world, {
        teamId: user.teamId,
        channelId: channel.id,
        userId: user.id,
        origin: { kind: "slash_command" },
      }),
    },
  };
}

export function click(world: World, user: User, message: Message, actionId: string): OutgoingDelivery {
  const { ts, channelId } = message;
  return {
    kind: "interactive",
    teamId: user.teamId,
    payload: {
      type: "block_actions",
      team: { id: user.teamId },
      user: { id: user.id },
      channel: { id: channelId },
      container: { type: "message", message_ts: ts, channel_id: channelId },
      actions: [{ type: "button", action_id: actionId, block_id: "block" }],
      response_url: issueResponseUrl(world, {
        teamId: user.teamId,
        channelId,
        userId: user.id,
        origin: { kind: "message", ts },
      }),
    },
  };
}

export function submission(user: User): OutgoingDelivery {
  return {
    kind: "interactive",
    teamId: user.teamId,
    payload: {
      type: "view_submission",
      team: { id: user.teamId },
      user: { id: user.id },
      view: { callback_id: "connect", state: { values: {} } },
    },
  };
}

export function homeOpened(user: User): OutgoingDelivery {
  return { kind: "event", teamId: user.teamId, payload: { type: "app_home_opened", user: user.id, tab: "home" } };
}
