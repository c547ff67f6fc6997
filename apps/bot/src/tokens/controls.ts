import type { Actions, Forms, Shortcuts } from "../features.js";
import { HIDE } from "./message.js";
import { mint } from "./mint.js";
import { TOKEN_FORM } from "./modal.js";
import { openTokenModal } from "./open-modal.js";
import { CHOOSE_TOKEN } from "./refusal.js";
import { tokenFaults, wishIn } from "./sent.js";
import { readWish } from "./wish.js";

export const tokenActions: Actions = {
  [CHOOSE_TOKEN]: {
    isUrgent: true,
    run: (request, { value }) => openTokenModal(request, readWish(value, request.now())),
  },
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

export const tokenShortcuts: Shortcuts = { media_token: (request) => openTokenModal(request) };
