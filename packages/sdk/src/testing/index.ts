// The fake's validation and signing are internal on purpose: they only imitate the service's own.

export type { NewLiveChannel } from "./entries.js";
export type { FakeFailure } from "./failures.js";
export {
  createFakeMediaService,
  type FakeCall,
  type FakeMediaService,
  type FakeMediaServiceOptions,
} from "./fake-service.js";
export type { NewWebhookEndpoint } from "./managed.js";
