// The parts of the media server are not exported: its users communicate over HTTP.
export { lostOf, type MediaSums } from "./courier.js";
export { type FakeMedia, startFakeMedia } from "./fake-media.js";
export type { FakeMediaOptions, Role } from "./options.js";
export { idFor, type Random, randomFor } from "./random.js";
export type { Incident } from "./traffic.js";
export { holdConnections, runTraffic, type TrafficOptions, type TrafficSums } from "./traffic.js";
