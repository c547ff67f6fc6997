import fc from "fast-check";

/** With rate limits, repeated calls would soon be refused. */
export const unlimited = {
  MEDIA_LISTINGS_PER_MINUTE: "0",
  MEDIA_SEARCHES_PER_MINUTE: "0",
  MEDIA_TOKENS_PER_MINUTE: "0",
};
// Valid and invalid notations of times.
const digits = (from: number, to: number, length = 2): fc.Arbitrary<string> =>
  fc.integer({ min: from, max: to }).map((number) => String(number).padStart(length, "0"));
const dateTime = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: digits(1971, 2100, 4) }, { weight: 1, arbitrary: digits(0, 9999, 4) }),
    digits(1, 12),
    fc.oneof({ weight: 5, arbitrary: digits(1, 28) }, { weight: 1, arbitrary: digits(29, 31) }),
    fc.constantFrom(..."TTTTTTTTt "),
    digits(0, 23),
    digits(0, 59),
    fc.oneof({ weight: 29, arbitrary: digits(0, 59) }, { weight: 1, arbitrary: digits(60, 61) }),
    fc.oneof(fc.constant(""), fc.stringMatching(/^\.\d{1,9}$/), fc.stringMatching(/^\.0{0,30}[01]$/)),
    fc.oneof(fc.constantFrom("Z", "Z", "Z", "z", ""), fc.stringMatching(/^[+-][01]\d:[0-5]\d$/)),
  )
  .map(([year, month, day, t, hour, minute, second, fraction, zone]) =>
    [year, "-", month, "-", day, t, hour, ":", minute, ":", second, fraction, zone].join(""),
  );

const channelId = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 80 }).map((name) => `${name}@demo`) },
  { weight: 2, arbitrary: fc.constantFrom("lobby@other", "lobby@demo@other", "lobby@Demo", "@demo2", "x@y@z") },
  { weight: 1, arbitrary: fc.constantFrom("lobby", "lobby@", "", "\ud800@demo", `${"é".repeat(126)}@demo`) },
);
const role = fc.constantFrom("sendrecv", "sendonly", "recvonly");
const connections = fc.integer({ min: 0, max: 5000 });

/** A valid token request, except that it may name another project's channel or reverse its times. */
export const rightToken = fc.record(
  {
    channel_id: channelId,
    role,
    max_channel_connections: connections,
    not_before: dateTime,
    expiration_time: dateTime,
    jwt_id: fc.uuid(),
  },
  { requiredKeys: [] },
);
const anything = fc.jsonValue({ stringUnit: "binary" });
const nearlyRight = fc.record(
  {
    channel_id: fc.oneof(channelId, anything),
    role: fc.oneof(role, fc.constant("admin"), anything),
    max_channel_connections: fc.oneof(connections, fc.integer({ min: -2, max: 5002 }), fc.double(), anything),
    not_before: fc.oneof(dateTime, anything),
    expiration_time: fc.oneof(dateTime, anything),
    jwt_id: fc.oneof(fc.uuid(), fc.string({ minLength: 36, maxLength: 36 }), anything),
    project_id: fc.oneof(fc.constantFrom("demo", "other", ""), anything),
    expiration_tme: dateTime,
    "~/": anything,
    "": anything,
    constructor: anything,
  },
  { requiredKeys: [] },
);
const rightListing = fc.record({ project_id: fc.constantFrom("demo", "other") }, { requiredKeys: [] });
const nearlySearch = fc.record(
  {
    project_id: fc.constantFrom("demo", "demo", "other"),
    since: dateTime,
    until: dateTime,
    where: fc.oneof(
      fc.record({ failed: fc.boolean() }),
      fc.record({ url: fc.record({ like: fc.oneof(fc.string(), anything) }) }),
      fc.record({ timestamp: fc.record({ not: fc.record({ gt: dateTime }) }) }),
      fc.record({ status: fc.record({ eq: fc.oneof(fc.nat(), fc.array(fc.nat()), anything) }) }),
      anything,
    ),
    limit: fc.oneof(fc.integer({ min: 1, max: 1000 }), anything),
    order: fc.constantFrom("newest", "oldest", "latest"),
    cursor: fc.string(),
    wait_s: fc.integer({ min: -1, max: 31 }),
  },
  { requiredKeys: [] },
);
/** JSON that is valid, nearly valid, or arbitrary. */
export const json = fc
  .oneof(
    { weight: 4, arbitrary: rightToken },
    { weight: 4, arbitrary: nearlyRight },
    { weight: 1, arbitrary: rightListing },
    { weight: 4, arbitrary: nearlySearch },
    { weight: 1, arbitrary: anything },
  )
  .map((value) => JSON.stringify(value));

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
