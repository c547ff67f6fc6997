// What is left out on purpose: the parts that a media server is made of. Whoever uses it is on the other side of HTTP.
export type { AnsweredApiCall, ApiCall, ApiMishap } from "./api/server.js";
export type { Refusal } from "./auth.js";
export type { Client, ConnectedClient } from "./client.js";
export type { SentRequest } from "./courier.js";
export { type FakeMedia, startFakeMedia } from "./fake-media.js";
export { type Held, type HoldOptions, holdConnections } from "./hold.js";
export type { Misbehaviour } from "./misbehaviour.js";
export type { ConnectOptions, FailOptions, FakeMediaOptions, Role } from "./options.js";
export { type EventSums, lostOf, type MediaSums } from "./sums.js";
export { runTraffic, type TrafficOptions } from "./traffic.js";
