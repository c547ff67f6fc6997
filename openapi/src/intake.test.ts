import { describe, expect, it } from "vitest";
import { intakeContract, intakeOperations, type Node, resolve } from "./contract.js";
import { faultsOf, validator } from "./judge.js";
import { testExamples } from "./test/examples.js";

const judge = (schema: string) => validator(intakeContract.components?.schemas?.[schema] ?? {});
const exampleOf = (name: string): Node => resolve(intakeContract.components?.examples?.[name] ?? {}).value ?? {};

describe("the intake", () => {
  it("has three paths, each with the key in a header or in the path, and the proxy to the media API", () => {
    expect(intakeOperations.map(({ path, method, operation }) => `${method} ${path} ${operation.operationId}`)).toEqual(
      [
        "post /intake/auth auth",
        "post /intake/session session",
        "post /intake/event event",
        "post /intake/{intake_key}/auth authByPath",
        "post /intake/{intake_key}/session sessionByPath",
        "post /intake/{intake_key}/event eventByPath",
        "post /media-api callMediaApi",
      ],
    );
  });

  it.each(intakeOperations)("$path answers every error status with a problem and its headers", ({ operation }) => {
    for (const [status, reference] of Object.entries(operation.responses ?? {})) {
      const { content = {}, headers = {} } = resolve(reference);
      expect(Object.keys(headers)).toContain("x-request-id");
      if (status === "200") continue;
      expect(Object.keys(content)).toEqual(["application/problem+json"]);
    }
    const headersOf = (status: string) => Object.keys(resolve(operation.responses?.[status] ?? {}).headers ?? {});
    expect(headersOf("401")).toContain("WWW-Authenticate");
    expect(headersOf("405")).toContain("Allow");
    expect(headersOf("503")).toContain("Retry-After");
  });
});

describe("the examples", () => testExamples(intakeContract));

/** The members that every kind requires. Without one of them, an event is invalid. */
const required = [
  ["SessionEvent", "SessionCreated", ["id", "channel_id", "session_id"]],
  [
    "SessionEvent",
    "SessionDestroyed",
    [
      "id",
      "timestamp",
      "channel_id",
      "session_id",
      "created_timestamp",
      "destroyed_timestamp",
      "max_connections",
      "total_connections",
    ],
  ],
  ["SessionEvent", "SessionVanished", ["id", "node_name"]],
  ["ConnectionEvent", "ConnectionCreated", ["id", "channel_id", "connection_id"]],
  ["ConnectionEvent", "ConnectionDestroyed", ["id", "timestamp", "channel_id", "session_id", "connection_id", "data"]],
  ["ConnectionEvent", "ConnectionFailed", ["id"]],
  ["ConnectionEvent", "OtherEvent", ["id", "type"]],
] as const;

describe("an event", () => {
  it.each(required)("of the %s %s has the fields that its log entry or its seat needs", (union, kind, members) => {
    const example = exampleOf(kind);
    for (const name of members) {
      const { [name]: left, ...rest } = example;
      expect(left, name).toBeDefined();
      expect(judge(union)(rest), `without ${name}`).toBe(false);
    }
  });

  it.each(["created_timestamp", "destroyed_timestamp", "total_received_bytes", "total_sent_bytes"])(
    "of a closed connection has %s in its data",
    (name) => {
      const example = exampleOf("ConnectionDestroyed");
      const { [name]: left, ...data } = example.data ?? {};
      expect(left).toBeDefined();
      expect(judge("ConnectionEvent")({ ...example, data })).toBe(false);
    },
  );

  it.each(["recording.started", "session.updated", "connection.destroyed.late", "x"])(
    "may be of an unknown kind: %s",
    (type) => {
      expect(judge("ConnectionEvent")({ type, id: "1" })).toBe(true);
      expect(judge("SessionEvent")({ type, id: "1" })).toBe(true);
    },
  );

  it("may have unknown members", () => {
    for (const [union, kind] of required) {
      expect(judge(union)({ ...exampleOf(kind), shard: 4, "": null }), kind).toBe(true);
    }
  });
});

describe("a client that wants to connect", () => {
  it.each(["role", "channel_id", "connection_id"])("reports its %s", (name) => {
    const { [name]: left, ...rest } = exampleOf("Auth");
    expect(left).toBeDefined();
    expect(judge("AuthRequest")(rest)).toBe(false);
  });

  it.each([
    { metadata: null },
    { metadata: "text" },
    { auth_metadata: { access_token: "x" } },
    { video: false },
    { video: { codec_type: "VP9" } },
    { role: "a-role-to-come" },
    { channel_id: "lobby" },
    { channel_connections: 0 },
  ])("may send %j", (members) => {
    expect(judge("AuthRequest")({ ...exampleOf("Auth"), ...members })).toBe(true);
  });

  it.each([
    { video: "VP9" },
    { multistream: "true" },
    { channel_connections: -1 },
    { channel_connections: "3" },
    { channel_connections: 1.5 },
    { channel_id: 7 },
    { channel_id: "x".repeat(256) },
    { connection_id: "" },
    { client_id: "x".repeat(256) },
    { timestamp: 1775035815 },
  ])("never sends %j", (members) => {
    expect(judge("AuthRequest")({ ...exampleOf("Auth"), ...members })).toBe(false);
  });
});

it("the judge knows the intake's paths, and finds an empty answer invalid", () => {
  const headers = new Headers({ "content-type": "application/json; charset=UTF-8", "x-request-id": "1" });
  expect(faultsOf("/intake/auth", { status: 200, headers, text: '{"allowed":true}' })).toEqual([]);
  expect(faultsOf("/intake/auth", { status: 200, headers, text: "{}" })).not.toEqual([]);
});
