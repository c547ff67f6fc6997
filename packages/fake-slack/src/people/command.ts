import { isObject } from "../block-kit/json.js";
import { issueResponseUrl } from "../delivery/response-url.js";
import { messageContent } from "../web-api/message-content.js";
import { parsed } from "../web-api/parsed.js";
import { Refusal } from "../web-api/refusal.js";
import { postMessage } from "../world/messages.js";
import type { Channel, Json } from "../world/model.js";
import { issueTrigger } from "../world/triggers.js";
import { commandPayload, escaped } from "./payloads.js";
import { type Delivery, isTaken, type Seat, send } from "./seat.js";

/** Sends a slash command, and shows what it is answered with at once. */
export async function runCommand(seat: Seat, channel: Channel, line: string): Promise<Delivery> {
  const { world, team, user } = seat;
  const [command = ""] = line.split(/\s/, 1);
  if (!world.app.commands.includes(command)) throw new Error(`${command} is not a valid command.`);
  const origin = { kind: "slash_command" } as const;
  const answered = await send(
    seat,
    "slash_command",
    commandPayload(world, team, user, channel, {
      command,
      text: escaped(line.slice(command.length).trim()),
      triggerId: issueTrigger(world, team.id, user.id),
      responseUrl: issueResponseUrl(world, { teamId: team.id, channelId: channel.id, userId: user.id, origin }),
    }),
  );
  if (!isTaken(answered)) return answered;
  try {
    show(seat, channel, answered.body);
    return answered;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...answered, shownError: `${command} failed with the error "invalid_command_response"` };
  }
}

function show({ world, team, user }: Seat, channel: Channel, body: unknown): void {
  const answer = parsed(body);
  const args: Json = isObject(answer) ? answer : { text: typeof body === "string" ? body : "" };
  const isEmpty = (args.text === undefined || args.text === "") && args.blocks === undefined;
  if (isEmpty || !team.installation) return;
  postMessage(world, channel, {
    ...messageContent(world, args),
    userId: team.installation.botUserId,
    onlyFor: args.response_type === "in_channel" ? undefined : user.id,
  });
}
