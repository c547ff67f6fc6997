// Runs as a separate process: callers that cost the service as much as the contract allows, each in a closed loop. Reports
// its counts on a message. Exits when its parent disconnects.
const [url, key, callers] = process.argv.slice(2);
const counts = { answered: {}, failed: 0 };

const many = (length, of) => Array.from({ length }, (_, n) => of(n));
const random = (most) => Math.floor(Math.random() * most);
const noId = () => `none${random(1e9)}`;

const costly = { url: { any: many(2, (half) => ({ contains: many(100, (n) => `aab${half}${n}never`) })) } };
const webhooks = "/orgs/list-webhook-logs";

/** Requests that are valid, and cost as much as they can. */
const requests = [
  () => [webhooks, { where: costly, order: "oldest", limit: 1 }],
  () => [webhooks, { where: costly, limit: 1000 }],
  () => [webhooks, { where: { url: { like: many(20, (n) => `*${"a*".repeat(90)}b${n}*`) } } }],
  () => [webhooks, { where: { event_id: { not: { eq: noId() } } }, limit: 1000 }],
  () => [webhooks, { where: { connection_id: { eq: many(100, noId) } } }],
  () => ["/orgs/list-api-logs", { where: { from: { like: "*none*" } } }],
  () => [webhooks, { limit: 1000, order: "oldest" }],
  () => ["/orgs/count-logs", { kind: "webhooks", by: ["url"], top: 1000 }],
  () => ["/orgs/count-logs", { kind: "webhooks", by: ["url", "connection_id"], every: 3600, top: 1000 }],
  () => ["/orgs/count-logs", { kind: "webhooks", by: ["connection_id"], where: costly }],
  () => ["/orgs/list-live-channels", {}],
  () => ["/projects/list-access-tokens", { channel_id: `${noId()}@big` }],
  () => ["/projects/list-access-tokens", { requested_by: noId(), include_ended: true, limit: 1000 }],
  () => ["/projects/list-access-tokens", { limit: 1000 }],
  () => ["/projects/revoke-access-token", { channel_id: `${noId()}@big` }],
  () => ["/projects/list-access-token-revocations", { limit: 1000 }],
  () => ["/projects/check-access-token", { access_token: "a.b.c", channel_id: "lobby@big" }],
  () => ["/projects/list-deliveries", { state: "waiting", type: noId() }],
  () => ["/projects/list-deliveries", { type: noId(), limit: 1000 }],
  () => ["/projects/resend-deliveries", { since: "2020-01-01T00:00:00Z" }],
  () => ["/projects/resend-deliveries", { since: "2020-01-01T00:00:00Z", type: noId() }],
  () => ["/projects/list-webhook-endpoints", {}],
  () => ["/projects/list-audit-log", { action: noId() }],
  () => ["/projects/list-audit-log", { requested_by: noId(), limit: 1000 }],
  () => [webhooks, Object.fromEntries(many(4000, (n) => [`unknown${n}`, n]))],
  () => [webhooks, { where: { url: { any: many(900, (n) => ({ [`x${n}`]: n })) } } }],
];

async function call([path, body], headers = {}) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  counts.answered[response.status] = (counts.answered[response.status] ?? 0) + 1;
  return response;
}

async function follow() {
  const page = await call([webhooks, { limit: 1, where: costly }]);
  const cursor = page.headers.get("x-follow-cursor");
  if (cursor) await call([webhooks, { where: costly, cursor, limit: 1, wait_s: 1 }]);
}

async function run() {
  for (;;) {
    const at = random(requests.length + 1);
    const calling = at === requests.length ? follow() : call(requests[at]());
    await calling.catch(() => {
      counts.failed += 1;
    });
  }
}

process.on("message", () => process.send?.(counts));
process.on("disconnect", () => process.exit());
for (let n = 0; n < Number(callers); n++) void run();
