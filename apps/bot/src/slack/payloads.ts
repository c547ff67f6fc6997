import type { BlockAction, BlockElementAction, SlashCommand, ViewStateValue } from "@slack/bolt";
import { readKept, type UsedControl } from "../features.js";
import type { RequestSource } from "../request.js";
import type { Served } from "./people.js";

/** The part of Bolt's context that identifies the workspace. */
interface Origin {
  teamId?: string | undefined;
  enterpriseId?: string | undefined;
  isEnterpriseInstall: boolean;
}

/** The workspace that a request is for, or the organization that installed the bot for all of its workspaces. */
export function servedIn({ teamId, enterpriseId, isEnterpriseInstall }: Origin): Served {
  return {
    teamId: teamId ?? enterpriseId ?? "",
    // Bolt passes on the null that Slack sends for a workspace without an organization.
    enterpriseId: enterpriseId ?? undefined,
    isOrgWide: isEnterpriseInstall,
  };
}

/** Reads which control was used, and its value. */
export function usedIn(body: BlockAction): UsedControl {
  const [pressed] = body.actions;
  const { view } = body;
  const messageTs: unknown = body.message?.ts ?? body.container.message_ts;
  return {
    value: pressed ? valueIn(pressed) : "",
    messageTs: typeof messageTs === "string" ? messageTs : undefined,
    view: view && { id: view.id, kept: readKept(view.private_metadata), isHome: view.type === "home" },
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

type From = Omit<RequestSource, "slack" | keyof Served>;

export function commandFrom(command: SlashCommand): From {
  return {
    claimedTeamId: command.team_id,
    userId: command.user_id,
    channelId: command.channel_id,
    responseUrl: command.response_url,
    triggerId: command.trigger_id,
    prefix: command.command,
  };
}

/** A window has no channel of its own: it keeps the one that it was opened from. */
export function actionFrom(body: BlockAction, { view }: UsedControl): From {
  return {
    ...personFrom(body),
    channelId: body.channel?.id ?? view?.kept.channelId,
    responseUrl: body.response_url ?? view?.kept.responseUrl,
    triggerId: body.trigger_id,
    prefix: view?.kept.prefix,
  };
}

/** The person, and the workspace that Slack says they acted from. */
export function personFrom({ user }: { user: { id: string; team_id?: string | undefined } }) {
  // Slack sends null if it says none.
  return { userId: user.id, claimedTeamId: user.team_id ?? undefined };
}

type State = Readonly<Record<string, Readonly<Record<string, ViewStateValue>>>>;

/** The values entered in a window, by the id of their block; each block has one input. */
export function valuesIn(state: State): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(state).map(([block, inputs]) => [block, givenIn(Object.values(inputs)[0])]));
}

function givenIn(input: ViewStateValue | undefined): string | undefined {
  if (!input) return undefined;
  const { value, selected_option, selected_options, selected_date_time, selected_conversation } = input;
  const given =
    value ??
    selected_option?.value ??
    selected_options?.[0]?.value ??
    selected_conversation ??
    textOf(selected_date_time);
  return given?.trim() || undefined;
}

const textOf = (number: unknown): string | undefined => (typeof number === "number" ? String(number) : undefined);
