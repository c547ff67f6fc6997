// The fake's validation and signing are internal on purpose: they only imitate the service's own.
export {
  createFakeMediaService,
  type FakeCall,
  type FakeFailure,
  type FakeMediaService,
  type FakeMediaServiceOptions,
} from "./fake-service.js";
