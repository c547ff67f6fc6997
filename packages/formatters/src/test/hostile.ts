function refuse(): never {
  throw new Error("Nobody may look at this.");
}

const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** Values that throw on access in different ways. */
export const hostile: Readonly<Record<string, object>> = {
  "a proxy that was revoked": revoked.proxy,
  "a proxy that refuses everything": new Proxy(
    {},
    { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse, getPrototypeOf: refuse },
  ),
  "fields that throw": Object.defineProperties(
    {},
    Object.fromEntries(
      ["timestamp", "status", "url", "exp", "problem"].map((name) => [name, { get: refuse, enumerable: true }]),
    ),
  ),
  "what cannot be made JSON": { toJSON: refuse },
  "a function that has no text": Object.assign(() => 1, { toString: refuse }),
  "an object without a prototype": Object.assign(Object.create(null), { status: 200 }),
};
