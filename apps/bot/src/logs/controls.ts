import type { Action, Actions, Forms } from "../features.js";
import type { Request } from "../request.js";
import type { Bookmark } from "./bookmark.js";
import { CLOSER, CSV, DETAILS, LEAF, SHARE } from "./buttons.js";
import { RELATED, showDetails } from "./details.js";
import { giveCsv } from "./file.js";
import { bookmarkIn } from "./listing.js";
import { logsMessage } from "./message.js";
import { share } from "./share.js";

// Nobody shares the same page, or wants the same file, twice within so short a time.
const ONCE_MS = 10_000;

const withBookmark = (run: (bookmark: Bookmark, request: Request) => Promise<void>): Pick<Action, "run"> => ({
  run: (request, { value }) => run(bookmarkIn(value, request), request),
});

export const logActions: Actions = {
  [LEAF]: withBookmark(async (bookmark, request) => request.answer.replace(await logsMessage(bookmark, request))),
  [CLOSER]: withBookmark(async (bookmark, request) => request.answer.say(await logsMessage(bookmark, request))),
  [SHARE]: { ...withBookmark(share), onceForMs: ONCE_MS },
  [CSV]: { ...withBookmark(giveCsv), onceForMs: ONCE_MS },
  [DETAILS]: { ...withBookmark(showDetails), isUrgent: true },
};

export const logForms: Forms = {
  [RELATED]: {
    async run(request, { kept: { related } }) {
      const bookmark = bookmarkIn(typeof related === "string" ? related : "", request);
      await request.answer.replace(await logsMessage(bookmark, request));
    },
  },
};
