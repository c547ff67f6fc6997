import { setTimeout as wait } from "node:timers/promises";
import { capital, deliveriesRequest, nothingToResend, resendableRequest, resendRequest } from "@media-ops/commands";
import { formatCount, resendOutcomeWords } from "@media-ops/formatters";
import {
  escapeMrkdwn,
  formatDeliveries,
  formatDelivery,
  formatEnabled,
  formatEndpoints,
  formatResent,
} from "@media-ops/formatters/slack";
import type { Deliveries, Delivery, WebhookEndpoint } from "@media-ops/sdk";
import type { ActRecord } from "../audit/audited.js";
import { type CommandNamed, language } from "../language.js";
import { openProject } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { type Draft, plainSection, Refused, row, runButton } from "../slack/blocks.js";
import {
  type Act,
  actButton,
  announceAct,
  MOST_IN_WINDOW,
  MOST_SHOWN,
  mayDo,
  operationOptions,
  type Prospect,
  type Scene,
  sceneOf,
} from "./act.js";

/** `/media deliveries`: webhook deliveries, each with a button that sends it again, for those who may. */
export async function deliveries(command: CommandNamed<"deliveries">, request: Request): Promise<Draft> {
  const { now, timeZone } = request;
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  const limit = Math.min(command.last ?? MOST_SHOWN, MOST_SHOWN);
  const listed = { ...deliveriesRequest(command, operationOptions(project, request)), limit };
  const { need } = sceneOf(project, request);
  const found = await need("deliveries", (client, options) => client.deliveries.list(listed, options));
  const mayResend = await mayDo("resend", request);
  const again = (delivery: Delivery, at: number) =>
    mayResend && delivery.state !== "waiting" ? sendAgain(delivery, project.id, at) : undefined;
  const refresh = runButton("Refresh", language.write({ ...command, in: project.id }), { id: "refresh" });
  const isNamed = command.id !== undefined || command.event !== undefined;
  const [only] = found.deliveries;
  // One that was asked for by its id is shown with each of its attempts.
  if (isNamed && only) {
    const { blocks, text } = formatDelivery(only, { now: now(), timeZone });
    return { blocks: [...blocks, ...row(refresh, again(only, 0))], text };
  }
  const { blocks, text } = formatDeliveries(found.deliveries, {
    now: now(),
    timeZone,
    title: capital(language.describe(command, { project: project.id, now: now(), timeZone })),
    hasMore: found.next_cursor !== undefined,
    atMost: limit,
    button: (delivery) => again(delivery, found.deliveries.indexOf(delivery)),
  });
  return { blocks: [...blocks, ...row(refresh)], text };
}

const sendAgain = ({ delivery_id: id }: Delivery, projectId: string, at: number) =>
  actButton("Send again…", String(at), { name: "resend", id, is: "delivery", in: projectId });

/** A button that sends the webhook of a log entry again; undefined if the entry doesn't name its event. */
export function resendButton(entry: object, projectId: string) {
  const { event_id: id } = entry as { event_id?: unknown };
  if (typeof id !== "string" || id === "") return undefined;
  return actButton("Send again…", "resend", { name: "resend", id, is: "event", in: projectId });
}

type Resend = CommandNamed<"resend">;

/** `/media resend`: sends a webhook again, or all that failed since a time. */
export function resending(command: Resend): Act {
  const { id, since } = command;
  return {
    title: id === undefined ? "Send webhooks again" : "Send a webhook again",
    submit: "Send again",
    right: "resend",
    doing: "send webhooks again",
    record: {
      action: "deliveries.resend",
      subject: id ?? (since === undefined ? undefined : `since ${new Date(since).toISOString()}`),
    },
    look: (scene) => lookAtDeliveries(command, scene),
    run: (scene, record) => resend(command, scene, record),
  };
}

/** The deliveries that a command would send again: the one that it names, or those that have failed. */
async function affectedBy(command: Resend, { project, request, need }: Scene): Promise<Deliveries> {
  const wanted = resendableRequest(resendRequest(command, operationOptions(project, request)));
  return need("deliveries", (client, options) => client.deliveries.list(wanted, options));
}

async function lookAtDeliveries(command: Resend, scene: Scene): Promise<Prospect> {
  const { now, timeZone } = scene.request;
  const found = await affectedBy(command, scene);
  const [only] = found.deliveries;
  if (!only) return { blocks: [plainSection(nothingToResend(command))], isPossible: false };
  const times = { now: now(), timeZone };
  if (command.id !== undefined) {
    const words = "It is sent now, with the same webhook-id as before, so that its receiver recognises a repeat.";
    return { blocks: [...formatDelivery(only, times).blocks, plainSection(words)] };
  }
  const { length } = found.deliveries;
  const count = `${found.next_cursor === undefined ? "" : "at least "}${formatCount(length)}`;
  const title = `To be sent again: ${count} ${length === 1 ? "webhook" : "webhooks"}, project ${scene.project.id}`;
  const { blocks } = formatDeliveries(found.deliveries, { ...times, title, atMost: MOST_IN_WINDOW });
  const words =
    "They are sent in their order, with the same webhook-ids as before, and no faster than their receiver can take.";
  return { blocks: [...blocks, plainSection(words)] };
}

async function resend(command: Resend, scene: Scene, record: ActRecord): Promise<Draft> {
  const { project, request, need } = scene;
  const { now, timeZone } = request;
  // Attempts after these tell what became of it.
  const [before] = command.id === undefined ? [] : (await affectedBy(command, scene)).deliveries;
  const body = resendRequest(command, operationOptions(project, request));
  const resent = await need("deliveries", (client, options) => client.deliveries.resend(body, options));
  record.note({ detail: `${resent.resent} sent again` });
  announceAct(record, scene, "sent webhooks again", [
    ["Webhooks", formatCount(resent.resent)],
    ...(command.id === undefined ? [] : [["Id", escapeMrkdwn(command.id)] as const]),
  ]);
  const { id: _id, is: _is, ...period } = command;
  const list = language.write({ ...period, name: "deliveries", in: project.id });
  if (!before || resent.resent === 0) {
    const { blocks, text } = formatResent(resent, { now: now(), timeZone });
    return { blocks: [...blocks, ...row(runButton("Deliveries", list, { id: "deliveries" }))], text };
  }
  const after = await outcomeOf(before, scene);
  const words = resendOutcomeWords(before, after) ?? "✓ It is being sent again. It was not tried yet.";
  const one = language.write({ name: "deliveries", id: before.delivery_id, in: project.id });
  const { blocks } = formatDelivery(after, { now: now(), timeZone });
  return {
    blocks: [plainSection(words), ...blocks, ...row(runButton("Look again", one, { id: "delivery" }))],
    text: escapeMrkdwn(words),
  };
}

const LOOK_MS = 300;
/** Before this much time is left, the answer is given. */
const SPARE_MS = 4000;

/** What became of a delivery that was sent again, as far as that is known in time. */
async function outcomeOf(before: Delivery, { project, request, ask }: Scene): Promise<Delivery> {
  const wanted = { project_id: project.id, delivery_id: before.delivery_id };
  for (;;) {
    const { deliveries: found } = await ask((client, options) => client.deliveries.list(wanted, options));
    const after = found[0] ?? before;
    if (resendOutcomeWords(before, after) !== undefined || request.now() > request.answerBy - SPARE_MS) return after;
    await request.aside(() => wait(LOOK_MS));
  }
}

/** `/media endpoints`: the state of the webhook endpoints, with a button that switches one on, for those who may. */
export async function endpoints(command: CommandNamed<"endpoints">, request: Request): Promise<Draft> {
  const { now, timeZone } = request;
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  const found = await endpointsOf(sceneOf(project, request));
  const mayEnable = await mayDo("endpoints", request);
  const { blocks, text } = formatEndpoints(found, {
    now: now(),
    timeZone,
    title: capital(language.describe(command, { project: project.id })),
    button: ({ kind, state }) =>
      mayEnable && state === "off"
        ? actButton("Switch on…", kind, { name: "enable", endpoint: kind, in: project.id })
        : undefined,
  });
  const refresh = language.write({ ...command, in: project.id });
  return { blocks: [...blocks, ...row(runButton("Refresh", refresh, { id: "refresh" }))], text };
}

async function endpointsOf({ project: { id }, need }: Scene): Promise<readonly WebhookEndpoint[]> {
  return (await need("endpoints", (client, options) => client.endpoints.list({ project_id: id }, options))).endpoints;
}

type Enable = CommandNamed<"enable">;

/** `/media endpoints enable`: switches an endpoint on. */
export const enabling = (command: Enable): Act => ({
  title: "Switch an endpoint on",
  submit: "Switch on",
  right: "endpoints",
  doing: "switch webhook endpoints on",
  record: { action: "endpoint.enable", subject: command.endpoint },
  look: (scene) => lookAtEndpoint(command, scene),
  run: (scene, record) => enable(command, scene, record),
});

async function lookAtEndpoint({ endpoint: kind }: Enable, scene: Scene): Promise<Prospect> {
  const { now, timeZone } = scene.request;
  const endpoint = (await endpointsOf(scene)).find((one) => one.kind === kind);
  if (!endpoint) return { blocks: [plainSection(`The project has no ${kind} endpoint.`)], isPossible: false };
  const title = `The ${kind} endpoint, project ${scene.project.id}`;
  const { blocks } = formatEndpoints([endpoint], { now: now(), timeZone, title });
  if (endpoint.state !== "off")
    return { blocks: [...blocks, plainSection("It is switched on already.")], isPossible: false };
  const words = "The service then sends webhooks there again. Events that failed meanwhile are not sent by this.";
  return { blocks: [...blocks, plainSection(words)] };
}

async function enable({ endpoint: kind }: Enable, scene: Scene, record: ActRecord): Promise<Draft> {
  const { project, request, ask } = scene;
  const { now, timeZone } = request;
  const before = (await endpointsOf(scene)).find((one) => one.kind === kind);
  if (!before) throw new Refused(`The project has no ${kind} endpoint. Nothing was done.`);
  const enabled = await ask((client, options) => client.endpoints.enable({ project_id: project.id, kind }, options));
  announceAct(record, scene, "switched a webhook endpoint on", [["Endpoint", kind]]);
  const { blocks, text } = formatEnabled(enabled, { now: now(), timeZone });
  const since = Date.parse(before.off_since ?? "");
  const missed = kind === "event" && Number.isFinite(since) && (await mayDo("resend", request));
  return {
    blocks: [
      ...blocks,
      ...row(
        missed ? actButton("Send what failed…", "missed", { name: "resend", since, in: project.id }) : undefined,
        runButton("Endpoints", language.write({ name: "endpoints", in: project.id }), { id: "endpoints" }),
      ),
    ],
    text,
  };
}
