// How the fake signs and answers is internal on purpose: it only imitates the service.

export type { NewLiveChannel } from "./entries.js";
export type { FakeFailure } from "./failures.js";
export {
  createFakeMediaService,
  type FakeCall,
  type FakeMediaService,
  type FakeMediaServiceOptions,
} from "./fake-service.js";
export type { NewWebhookEndpoint } from "./managed.js";
