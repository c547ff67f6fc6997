import type { Action, Actions, Forms, Shortcuts } from "./features.js";
import { answerOverHome } from "./home/answer-over-home.js";
import { logActions, logForms } from "./logs/controls.js";
import { projectActions, projectForms } from "./projects/controls.js";
import { opensWindow, run } from "./run.js";
import { RUN, RUN_APART } from "./slack/controls.js";
import { plainSection, wordsOnly } from "./slack/sections.js";
import type { Modal } from "./slack/views.js";
import { summaryActions } from "./summary/controls.js";
import { tokenActions, tokenForms, tokenShortcuts } from "./tokens/controls.js";

/** What can be pressed or chosen. */
export const actions: Actions = {
  [RUN]: {
    isUrgent: ({ value, view }, now) => view?.isHome === true || opensWindow(value, now),
    async run(request, { value, view }) {
      if (view?.isHome && !opensWindow(value, request.now())) return answerOverHome(request, () => run(value, request));
      const draft = await run(value, request);
      if (draft) await request.answer.replace(draft);
    },
  },
  [RUN_APART]: {
    async run(request, { value }) {
      const draft = await run(value, request);
      if (draft) await request.answer.say(draft);
    },
  },
  ...logActions,
  ...summaryActions,
  ...tokenActions,
  ...projectActions,
};

/** What stands in a message that another version of the bot has written. */
export const unknownAction: Action = {
  run: ({ answer, prefix }) =>
    answer.say(
      wordsOnly(
        `This is from another version of the bot and does nothing any more. ${prefix} shows what there is now.`,
      ),
    ),
};

/** What can be filled in and sent. */
export const forms: Forms = { ...logForms, ...tokenForms, ...projectForms };

/** What a window shows that another version of the bot has opened, when it is sent. */
export const unknownForm: Modal = {
  title: "Nothing was done",
  blocks: [plainSection("This window is from another version of the bot. Close it, and ask once more.")],
};

export const shortcuts: Shortcuts = tokenShortcuts;
