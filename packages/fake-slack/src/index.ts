// What is left out on purpose: the world behind it all. Whoever uses it is a person, or an app on the other side of HTTP.
export { type BlocksAnswer, type BlocksError, type BlocksRefusal, checkBlocks } from "./block-kit/check-blocks.js";
export { checkView } from "./block-kit/check-view.js";
export type { Surface } from "./block-kit/place.js";
export type { RetryReason } from "./delivery/outgoing.js";
export type { Patience } from "./delivery/patience.js";
export {
  type Failure,
  type FakeSlack,
  type FakeSlackOptions,
  type Organization,
  type OrganizationOptions,
  startFakeSlack,
  type WorkspaceOptions,
} from "./fake-slack.js";
export type { ElementReference } from "./people/elements.js";
export type { Entry } from "./people/entering.js";
export type { Person } from "./people/person.js";
export type { Place } from "./people/place.js";
export type { Delivery } from "./people/seat.js";
export type { MessageReference, SeenFile, SeenMessage, SeenView, ViewReference } from "./people/seen.js";
export { buttonsOf, type Readable, type SeenButton, textOf } from "./people/text-of.js";
export type { ChannelOptions, UserOptions, Workspace } from "./people/workspace.js";
export type { App, Json } from "./world/model.js";
export type { SavedSlack } from "./world/save.js";
export type { TranscriptEntry } from "./world/transcript.js";
