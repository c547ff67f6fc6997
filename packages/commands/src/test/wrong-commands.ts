// Invalid input, the exact message, and the nearest valid command. The current time is Saturday, 21 November 2026,
// 12:00 UTC.
import type { WrongRow } from "./named.js";
import { wrongBeginnings } from "./wrong-beginnings.js";
import { wrongFilters } from "./wrong-filters.js";
import { wrongOptions } from "./wrong-options.js";
import { wrongQuestions } from "./wrong-questions.js";
import { wrongTokens } from "./wrong-tokens.js";
import { wrongWords } from "./wrong-words.js";

export const wrongCommands: Readonly<Record<string, readonly WrongRow[]>> = {
  ...wrongBeginnings,
  ...wrongWords,
  ...wrongFilters,
  ...wrongOptions,
  ...wrongTokens,
  ...wrongQuestions,
};
