// The parts of the media server are not exported: its users are on the other side of HTTP.
export type { AnsweredApiCall } from "./api.js";
export type { Client, ConnectedClient } from "./channels.js";
export { type EventSums, lostOf, type MediaSums, type SentRequest } from "./courier.js";
export { type FakeMedia, startFakeMedia } from "./fake-media.js";
export type { Refusal } from "./intake.js";
export type {
  ApiCall,
  ApiMishap,
  ConnectOptions,
  FailOptions,
  FakeMediaOptions,
  Misbehaviour,
  Role,
} from "./options.js";
export { idFor, type Random, randomFor } from "./random.js";
export { type Held, type HoldOptions, holdConnections, runTraffic, type TrafficOptions } from "./traffic.js";
