import type { Action, Actions } from "../features.js";
import { language } from "../language.js";
import { find, headingOf } from "../logs/find.js";
import { Refused } from "../refused.js";
import type { Request } from "../request.js";
import { apartButton, row } from "../slack/controls.js";
import { smallPrint, wordsOnly } from "../slack/sections.js";
import {
  draftOf,
  readWanted,
  SHARE_SUMMARY,
  SHOW_SUMMARY,
  summaryDraft,
  summaryMessage,
  type Wanted,
} from "./summary.js";

// Nobody shares the same summary twice within so short a time.
const SHARE_ONCE_MS = 10_000;

/** A control that bears a summary. */
const withWanted = (use: (wanted: Wanted, request: Request) => Promise<void>): Action => ({
  async run(request, { value }) {
    const wanted = readWanted(value, request.now());
    if (!wanted)
      throw new Refused(wordsOnly(`This message is too old to be used. ${request.prefix} summary shows a new one.`));
    await use(wanted, request);
  },
});

export const summaryActions: Actions = {
  [SHOW_SUMMARY]: withWanted(async (wanted, request) => {
    await request.answer.replace(await summaryDraft(wanted, request));
  }),
  [SHARE_SUMMARY]: { ...withWanted(share), onceForMs: SHARE_ONCE_MS },
};

/** Shows it to everyone in the channel, and says so to whoever shared it. */
async function share(wanted: Wanted, request: Request): Promise<void> {
  const { command, chart } = wanted;
  const found = await find(command, request);
  const closer = apartButton("Look closer", language.write(found.command), "closer");
  const below = [smallPrint(`Shared by <@${request.userId}>`), ...row(closer)];
  // Not everyone reads it where it was asked.
  const anywhere = { ...found, timeZone: "UTC" };
  const forAll = { ...anywhere, heading: headingOf(anywhere, found.entries.length) };
  await request.answer.share(summaryMessage(forAll, chart, below));
  await request.answer.replace(await draftOf(wanted, found, request, true));
}
