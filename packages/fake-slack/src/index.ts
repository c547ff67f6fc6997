// The world behind it is private: the people of a test act through Person, an app through HTTP.
export { checkBlocks, type Surface } from "./block-kit/check.js";
export type { Delivery } from "./delivery/deliver.js";
export { type FakeSlack, type FakeSlackOptions, type Organization, startFakeSlack } from "./fake-slack.js";
export type { Entry } from "./people/elements.js";
export type { Person } from "./people/person.js";
export type { MessageReference, Place, SeenFile, SeenMessage, SeenView, ViewReference } from "./people/seen.js";
export { buttonsOf, textOf } from "./people/seen.js";
export type { Workspace } from "./people/workspace.js";
export type { Json, TranscriptEntry } from "./world/model.js";
export type { RateLimits } from "./world/rates.js";
export type { SavedSlack } from "./world/save.js";
