import { setTimeout as pause } from "node:timers/promises";
import { capital, deliveriesRequest, nothingToResend, resendableRequest, resendRequest } from "@media-ops/commands";
import { formatCount, resendOutcomeWords } from "@media-ops/formatters";
import * as terminal from "@media-ops/formatters/terminal";
import type { Deliveries, Delivery } from "@media-ops/sdk";
import { confirm, NOTHING_DONE, preview, requireConsent } from "./confirm.js";
import { type Connected, connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { harmlessJson } from "./output.js";
import { knownTo, moreIn } from "./requests.js";
import type { Session } from "./session.js";

/** `media deliveries`: lists webhook deliveries. */
export async function deliveries(command: CommandNamed<"deliveries">, session: Session): Promise<void> {
  const { world, flags, screen, print } = session;
  const connected = await connect(session);
  const request = deliveriesRequest(command, knownTo(connected, session));
  const found = await connected.wait(connected.client.deliveries.list(request, { signal: world.signal }));
  if (flags.json) return print(harmlessJson(JSON.stringify(found)));
  const title = capital(language.describe(command, { project: connected.project, ...screen }));
  const [only, ...others] = found.deliveries;
  const isNamed = command.id !== undefined || command.event !== undefined;
  // One that was asked for by its id is shown with each of its attempts.
  if (isNamed && only && others.length === 0) return print(terminal.formatDelivery(only, screen));
  print(terminal.formatDeliveries(found.deliveries, { ...screen, title, ...moreIn(found, command.last) }));
}

type Resend = CommandNamed<"resend">;

/** `media resend`: shows what would be sent again, asks, and sends it. */
export async function resend(command: Resend, session: Session): Promise<void> {
  requireConsent(session);
  const { world, flags, print, say } = session;
  const connected = await connect(session);
  const isFollowed = command.id !== undefined && !flags.json;
  const request = resendRequest(command, knownTo(connected, session));
  const found = flags.yes && !isFollowed ? undefined : await affectedBy(request, connected, session);
  if (found && !flags.yes) {
    if (found.deliveries.length === 0) return say(`${nothingToResend(command)} ${NOTHING_DONE}`);
    const hasMore = found.next_cursor !== undefined;
    const { shown, ...heading } = preview(found.deliveries, { title: "To be sent again", hasMore });
    session.show(terminal.formatDeliveries(shown, { ...session.aside, ...heading }));
    await confirm(`Send ${countOf(found)} again?`, session);
  }
  const resent = await connected.wait(connected.client.deliveries.resend(request, { signal: world.signal }));
  if (flags.json) return print(harmlessJson(JSON.stringify(resent)));
  print(terminal.formatResent(resent, session.screen));
  const [before] = isFollowed ? (found?.deliveries ?? []) : [];
  if (before) print((await outcomeOf(before, connected, session)) ?? notTried(before));
}

const LOOK_MS = 200;
const PATIENCE_MS = 5000;

/** What became of a delivery that was sent again; undefined if it was not tried within some seconds. */
async function outcomeOf(before: Delivery, { client, wait }: Connected, session: Session): Promise<string | undefined> {
  const { signal } = session.world;
  for (let waited = 0; waited <= PATIENCE_MS; waited += LOOK_MS) {
    await pause(LOOK_MS, undefined, { signal });
    const [after] = (await wait(client.deliveries.list({ delivery_id: before.delivery_id }, { signal }))).deliveries;
    const words = after && resendOutcomeWords(before, after);
    if (words !== undefined) return words;
  }
  return undefined;
}

const notTried = ({ delivery_id }: Delivery): string =>
  `It has not been tried yet: media deliveries id:${terminal.clean(delivery_id)} shows when it is.`;

/** The deliveries that a command would send again: the one that it names, or those that have failed. */
function affectedBy(
  request: ReturnType<typeof resendRequest>,
  { client, wait }: Connected,
  { world }: Session,
): Promise<Deliveries> {
  return wait(client.deliveries.list(resendableRequest(request), { signal: world.signal }));
}

function countOf({ deliveries: { length }, next_cursor }: Deliveries): string {
  if (next_cursor !== undefined) return `at least ${formatCount(length)} webhooks`;
  return length === 1 ? "this webhook" : `these ${formatCount(length)} webhooks`;
}
