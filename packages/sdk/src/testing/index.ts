// How the fake signs and answers is internal on purpose: it only imitates the service.

export {
  createFakeMediaService,
  type FakeCall,
  type FakeFailure,
  type FakeMediaService,
  type FakeMediaServiceOptions,
} from "./fake-service.js";
export type { NewLiveChannel, NewWebhookEndpoint } from "./managed.js";
