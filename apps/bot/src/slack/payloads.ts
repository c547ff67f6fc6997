import type { BlockAction, BlockElementAction, SlashCommand } from "@slack/bolt";
import { readKept, type Used } from "../features.js";
import type { Place } from "../request.js";

/** Who is meant by the context of a request: the workspace, or the whole organization where the app is installed there. */
export function teamOf({
  teamId,
  enterpriseId,
}: {
  teamId?: string | undefined;
  enterpriseId?: string | undefined;
}): string {
  return teamId ?? enterpriseId ?? "";
}

/** Whether somebody belongs to another workspace than the one that the bot serves: a guest of a shared channel. */
export function isForeign(body: BlockAction | SlashCommand, teamId: string): boolean {
  if ("command" in body) return body.enterprise_id === undefined && body.team_id !== teamId;
  const theirs = body.user.team_id;
  return !body.enterprise && theirs !== undefined && theirs !== teamId;
}

/** Where a control was used, and what it bears. */
export function usedIn(body: BlockAction): Used {
  const [pressed] = body.actions;
  const { view } = body;
  const messageTs: unknown = body.message?.ts ?? body.container.message_ts;
  return {
    value: pressed ? valueIn(pressed) : "",
    messageTs: typeof messageTs === "string" ? messageTs : undefined,
    view: view && { id: view.id, kept: readKept(view.private_metadata) },
  };
}

function valueIn(pressed: BlockElementAction): string {
  switch (pressed.type) {
    case "button":
      return pressed.value ?? "";
    case "static_select":
    case "overflow":
      return pressed.selected_option?.value ?? "";
    default:
      return "";
  }
}

interface From extends Place {
  responseUrl: string | undefined;
  triggerId: string;
  prefix: string | undefined;
}

export function commandFrom(command: SlashCommand, teamId: string): From {
  return {
    teamId,
    userId: command.user_id,
    channelId: command.channel_id,
    responseUrl: command.response_url,
    triggerId: command.trigger_id,
    prefix: command.command,
  };
}

/** A window has no channel of its own: it keeps the one that it was opened from. */
export function actionFrom(body: BlockAction, { view }: Used, teamId: string): From {
  return {
    teamId,
    userId: body.user.id,
    channelId: body.channel?.id ?? view?.kept.channelId,
    responseUrl: body.response_url ?? view?.kept.responseUrl,
    triggerId: body.trigger_id,
    prefix: view?.kept.prefix,
  };
}
