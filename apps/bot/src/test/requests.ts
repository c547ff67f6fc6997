import { createHmac } from "node:crypto";
import type { Stage } from "./stage.js";

// Requests as Slack sends them, without members that the bot never reads.

const person = {
  team: { id: "T1" },
  enterprise: null,
  is_enterprise_install: false,
  user: { id: "U1", team_id: "T1" },
};

export const commandForm = {
  is_enterprise_install: "false",
  command: "/media",
  text: "projects",
  user_id: "U1",
  team_id: "T1",
  channel_id: "C1",
  trigger_id: "1.2.3",
};

export const press = {
  ...person,
  type: "block_actions",
  trigger_id: "1.2.4",
  actions: [{ type: "button", action_id: "run:1", block_id: "b", value: "projects" }],
  container: { message_ts: "1.2" },
  channel: { id: "C1" },
  message: { ts: "1.2" },
};

export const submission = {
  ...person,
  type: "view_submission",
  view: {
    id: "V1",
    hash: "1.a",
    callback_id: "token",
    private_metadata: "{}",
    app_installed_team_id: "T1",
    state: {
      values: {
        channel: { channel: { value: "lobby" } },
        role: { role: { selected_option: { value: "recvonly" } } },
        every: { every: { selected_options: [] } },
        start: { start: { selected_date_time: null } },
      },
    },
  },
};

export const shortcut = { ...person, type: "shortcut", callback_id: "media_token", trigger_id: "1.2.5" };

export const messageShortcut = {
  ...shortcut,
  type: "message_action",
  callback_id: "look_up",
  channel: { id: "C1" },
  message: {
    ts: "1.4",
    thread_ts: "1.2",
    text: "`c1`",
    blocks: [{ type: "rich_text", elements: [{ type: 5 }] }],
    attachments: [null],
  },
};

export const eventOf = <Event>(event: Event) => ({
  type: "event_callback",
  event_id: "Ev1",
  event_time: 1_767_225_600,
  team_id: "T1",
  authorizations: [{ enterprise_id: null, team_id: "T1", is_enterprise_install: false }],
  event,
});

export const mention = eventOf({
  type: "app_mention",
  user: "U1",
  team: "T1",
  text: "<@U0> projects",
  ts: "1.6",
  thread_ts: "1.5",
  channel: "C1",
});

export const home = eventOf({ type: "app_home_opened", user: "U1", tab: "home" });

/** The headers of a request that is signed with a secret. */
export function signedHeaders(body: string, secret: string, atSeconds = Math.floor(Date.now() / 1000)) {
  const signature = createHmac("sha256", secret).update(`v0:${atSeconds}:${body}`).digest("hex");
  return {
    "content-type": "application/x-www-form-urlencoded",
    "x-slack-request-timestamp": String(atSeconds),
    "x-slack-signature": `v0=${signature}`,
  };
}

/** Sends a signed body to the bot. */
export async function sendSigned({ bot, slack }: Stage, body: string, type?: string): Promise<Response> {
  const headers = { ...signedHeaders(body, slack.app.signingSecret), ...(type && { "content-type": type }) };
  return fetch(`${bot.url}/slack/events`, { method: "POST", headers, body });
}

/** Sends a person's action in Slack's format. */
export const sendPayload = (stage: Stage, payload: unknown): Promise<Response> =>
  sendSigned(stage, new URLSearchParams({ payload: JSON.stringify(payload) }).toString());
