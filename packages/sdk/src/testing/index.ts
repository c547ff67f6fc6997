// What is left out on purpose: the fake's validation and signing, which stand in for the service's own.
export {
  createFakeMediaService,
  type FakeCall,
  type FakeFailure,
  type FakeMediaService,
  type FakeMediaServiceOptions,
} from "./fake-service.js";
