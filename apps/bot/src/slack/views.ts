import type { SlackBlock } from "@media-ops/formatters/slack";
import type { ViewStateValue } from "@slack/bolt";
import type { InputBlock, KnownBlock, ModalView, PlainTextOption } from "@slack/types";
import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { mrkdwnSection, plain, plainSection, sendDraft } from "./answer.js";
import { refusalOf } from "./client.js";

/** A window. */
export interface Modal {
  /** At most 24 characters. */
  title: string;
  blocks: SlackBlock[];
  callbackId?: string | undefined;
  submit?: string | undefined;
  /** @default "Close" */
  close?: string | undefined;
  /** Data that Slack keeps with the window and returns: never a secret. At most 3000 characters. */
  keep?: string | undefined;
}

/** The maximum length of the data that Slack keeps with a window. */
export const KEPT = 3000;

/** A window in Slack's format. */
export function viewOf({ title, blocks, callbackId, submit, close = "Close", keep }: Modal): ModalView {
  return {
    type: "modal",
    title: plain(title),
    // The formatters' blocks are valid; the types of Slack's library lag behind the API.
    blocks: blocks as KnownBlock[],
    close: plain(close),
    ...(submit !== undefined && { submit: plain(submit) }),
    ...(callbackId !== undefined && { callback_id: callbackId }),
    ...(keep !== undefined && { private_metadata: keep }),
  };
}

/** A window that asks the person to wait, so that it can open in time. */
export const waitingModal = (title: string, text = "One moment…"): Modal => ({
  title,
  blocks: [plainSection(text)],
});

/** A field of a window. Its block has the id, and so has its action unless the element sets another. */
export function input(
  id: string,
  label: string,
  element: InputBlock["element"],
  { hint, optional = false }: { hint?: string | undefined; optional?: boolean } = {},
): InputBlock {
  return {
    type: "input",
    block_id: id,
    label: plain(label),
    element: { action_id: id, ...element },
    optional,
    ...(hint !== undefined && { hint: plain(hint) }),
  };
}

/** A field with a menu. */
export function select(id: string, label: string, options: PlainTextOption[], initial?: string): InputBlock {
  const initial_option = options.find(({ value }) => value === initial);
  return input(id, label, { type: "static_select", options, ...(initial_option && { initial_option }) });
}

/** A field for text, of at most `longest` characters. Its action has the id of its block unless another is given. */
export function textInput(
  id: string,
  label: string,
  {
    action = id,
    example,
    longest,
    value,
    multiline = false,
    ...how
  }: {
    action?: string;
    example?: string;
    longest: number;
    value?: string | undefined;
    hint?: string;
    optional?: boolean;
    multiline?: boolean;
  },
): InputBlock {
  const element = {
    type: "plain_text_input",
    action_id: action,
    max_length: longest,
    ...(multiline && { multiline }),
    ...(example !== undefined && { placeholder: plain(example) }),
    ...(value && { initial_value: value }),
  } as const;
  return input(id, label, element, how);
}

/** Opens a window within 3 s of the press, and returns its id. */
export async function openModal(slack: WebClient, triggerId: string, modal: Modal): Promise<string> {
  const { view } = await slack.views.open({ trigger_id: triggerId, view: viewOf(modal) });
  return view?.id ?? "";
}

/** Publishes a person's app home, unless another than that with the hash `over` is shown; returns the new hash. */
export async function publishHome(
  slack: WebClient,
  userId: string,
  blocks: SlackBlock[],
  log: Logger,
  over?: string,
): Promise<string | undefined> {
  const show = (shown: SlackBlock[]) =>
    slack.views.publish({
      user_id: userId,
      // The formatters' blocks are valid; the types of Slack's library lag behind the API.
      view: { type: "home", blocks: shown as KnownBlock[] },
      ...(over !== undefined && { hash: over }),
    });
  const { view } = await showOrSimpler(blocks, show, log);
  return view?.hash;
}

/** Shows blocks; if Slack refuses them, shows their plain text. Forms have no simpler form. */
async function showOrSimpler<T>(
  blocks: SlackBlock[],
  show: (blocks: SlackBlock[]) => Promise<T>,
  log: Logger,
): Promise<T> {
  if (blocks.some(({ type }) => type === "input")) return show(blocks);
  return sendDraft({ blocks, text: "" }, ({ blocks: some, text }) => show(some ?? [mrkdwnSection(text)]), log);
}

/** Updates a window, as plain text if Slack refuses the blocks; false if the person has closed it. */
export async function showIn(
  { slack, log }: { slack: WebClient; log: Logger },
  viewId: string,
  modal: Modal,
): Promise<boolean> {
  const show = (blocks: SlackBlock[]) => slack.views.update({ view_id: viewId, view: viewOf({ ...modal, blocks }) });
  try {
    await showOrSimpler(modal.blocks, show, log);
    return true;
  } catch (error) {
    if (refusalOf(error)?.code !== "not_found") throw error;
    return false;
  }
}

/** The values entered in a window, by the id of their block; each block has one input. */
export function valuesIn(
  state: Readonly<Record<string, Readonly<Record<string, ViewStateValue>>>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(state).map(([block, inputs]) => [block, givenIn(Object.values(inputs)[0])]));
}

function givenIn(input: ViewStateValue | undefined): string | undefined {
  const given =
    input?.value ??
    input?.selected_option?.value ??
    input?.selected_options?.[0]?.value ??
    input?.selected_conversation ??
    input?.selected_date_time?.toString();
  return given?.trim() || undefined;
}
