// The world behind it is private: the people of a test act through Person, an app through HTTP.

export type { Surface } from "./block-kit/check.js";
export { type BlocksAnswer, type BlocksError, type BlocksRefusal, checkBlocks, checkView } from "./block-kit/check.js";
export type { Delivery } from "./delivery/deliver.js";
export type { RetryReason } from "./delivery/outgoing.js";
export {
  type Failure,
  type FakeSlack,
  type FakeSlackOptions,
  type Organization,
  type OrganizationOptions,
  startFakeSlack,
  type WorkspaceOptions,
} from "./fake-slack.js";
export type { ElementReference, Entry } from "./people/elements.js";
export type { Person } from "./people/person.js";
export type { Place } from "./people/place.js";
export type { MessageReference, SeenFile, SeenMessage, SeenView, ViewReference } from "./people/seen.js";
export { buttonsOf, type Readable, type SeenButton, textOf } from "./people/text-of.js";
export type { ChannelOptions, UserOptions, Workspace } from "./people/workspace.js";
export type { App, Json, Patience, TranscriptEntry } from "./world/model.js";
export type { SavedSlack } from "./world/save.js";
