// How input is split, read and repaired is left out on purpose: it is free to change.
export { coreCommands, selectionOptions, tokenDefaults } from "./commands.js";
export type { Filter } from "./filters/filter.js";
export { matcher } from "./filters/matcher.js";
export { failedFilter } from "./filters/ordered-types.js";
export type { HelpRow } from "./help.js";
export { kind, kinds, type LogKind } from "./kinds.js";
export { defineLanguage, type Language } from "./language.js";
export { editDistance, nearestOf } from "./nearest.js";
export type { CommandProblem, Parsed } from "./parsing/parse.js";
export { cappedNote, foundOf, type SearchResult, searchEntries } from "./search.js";
export { type CommandOf, command } from "./spec.js";
export { forShell } from "./split-words.js";
export { type TokenRequest, tokenRequest } from "./token-request.js";
export { duration } from "./values/duration.js";
export { EVERY_CHANNEL, oneOf, text, type ValueType } from "./values/value-type.js";
