import type { SeenMessage } from "@media-ops/fake-slack";
import { type ReactNode, useMemo } from "react";
import type { PlaceInfo } from "../../../src/window/protocol.js";
import { MessageBox } from "../box/message-box.js";
import { useFocusBack } from "../frame/focus.js";
import { titleOf } from "../state/place.js";
import { useStage } from "../state/stage.js";
import { linesOf } from "./lines.js";
import { Message, repliesText } from "./message.js";
import { MessageLog } from "./message-log.js";

interface ThreadProps {
  readonly place: PlaceInfo;
  /** The message that begins the thread. */
  readonly root: SeenMessage;
  readonly replies: readonly SeenMessage[];
  /** How often the person has sent something. */
  readonly sent: number;
  /** Resolves to false if the line could not be sent. */
  readonly send: (line: string) => Promise<boolean>;
  readonly close: () => void;
}

/** A message with its replies, beside the conversation. */
export function Thread({ place, root, replies, sent, send, close }: ThreadProps): ReactNode {
  const { timeZone } = useStage().you;
  useFocusBack();
  const lines = useMemo(() => linesOf(replies, timeZone).filter(({ message }) => message), [replies, timeZone]);
  const count = replies.filter(({ isOnlyVisibleToYou }) => !isOnlyVisibleToYou).length;
  return (
    <aside className="thread" aria-label="Thread">
      <div className="thread-head">
        <h2>
          Thread <span className="muted">{titleOf(place)}</span>
        </h2>
        <button type="button" className="button is-icon" aria-label="Close the thread" onClick={close}>
          <span aria-hidden="true">✕</span>
        </button>
      </div>
      <MessageLog label={`Thread in ${titleOf(place)}`} messages={replies} sent={sent}>
        <Message message={root} isNext={false} />
        {count > 0 && (
          <h3 className="day is-replies">
            <span>{repliesText(count)}</span>
          </h3>
        )}
        {lines.map(
          ({ key, message, isNext = false }) => message && <Message key={key} message={message} isNext={isNext} />,
        )}
      </MessageLog>
      <MessageBox label="Reply in the thread" draft={`${place.id} ${root.ts}`} isFocused send={send} />
    </aside>
  );
}
