// What is not understood, the exact sentence that answers it, and the nearest right command.
// The present is Saturday, 21 November 2026, 12:00 in UTC.
import type { WrongRow } from "./named.js";
import { wrongBeginnings } from "./wrong-beginnings.js";
import { wrongFilters } from "./wrong-filters.js";
import { wrongOptions } from "./wrong-options.js";
import { wrongTokens } from "./wrong-tokens.js";
import { wrongWords } from "./wrong-words.js";

export const wrongCommands: Readonly<Record<string, readonly WrongRow[]>> = {
  ...wrongBeginnings,
  ...wrongWords,
  ...wrongFilters,
  ...wrongOptions,
  ...wrongTokens,
};
