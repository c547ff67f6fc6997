import type { Actions, Forms, Shortcuts } from "../features.js";
import { HIDE } from "./message.js";
import { mint } from "./mint.js";
import { TOKEN_FORM } from "./modal.js";
import { openTokenModal } from "./open-modal.js";
import { tokenFaults, wishIn } from "./sent.js";

export const tokenActions: Actions = {
  [HIDE]: { run: ({ answer }) => answer.remove() },
};

export const tokenForms: Forms = {
  [TOKEN_FORM]: {
    faults: tokenFaults,
    async run(request, sent) {
      await request.answer.say(await mint(wishIn(sent), request));
    },
  },
};

export const tokenShortcuts: Shortcuts = { media_token: openTokenModal };
