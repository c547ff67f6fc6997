import {
  type ClipboardEvent,
  type ClipboardEventHandler,
  type KeyboardEvent,
  type KeyboardEventHandler,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { CommandInfo, PlaceInfo, ShortcutInfo } from "../../../src/window/protocol.js";
import { titleOf } from "../state/place.js";
import { useStage } from "../state/stage.js";
import { readHistory, recall, remember, writeHistory } from "./history.js";
import { type Offer, OfferList, useOffers } from "./offers.js";

interface MessageBoxProps {
  readonly place: PlaceInfo;
  readonly commands: readonly CommandInfo[];
  readonly shortcuts: readonly ShortcutInfo[];
  readonly send: (line: string) => Promise<boolean>;
  readonly runShortcut: (callbackId: string) => void;
}

// Unsent lines by person and conversation, which stay while another one is open.
const drafts = new Map<string, string>();

/** The input for messages, with completions for commands. */
export function MessageBox({ place, commands, shortcuts, send, runShortcut }: MessageBoxProps): ReactNode {
  const { you } = useStage();
  const draft = `${you.id} ${place.id}`;
  const [text, setText] = useState(drafts.get(draft) ?? "");
  const [highlighted, highlight] = useState(-1);
  // A line that was called back is to be sent or changed, not to be helped along at once.
  const [isHushed, hush] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const id = useId();
  const offers = useOffers(text, commands, shortcuts);
  const isOpen = offers.length > 0 && !isHushed && hasFocus;

  useEffect(() => {
    drafts.set(draft, text);
  }, [draft, text]);

  const write = (next: string, { hushed = false } = {}): void => {
    setText(next);
    highlight(-1);
    hush(hushed);
  };
  const take = ({ take: taken }: Offer): void => {
    if ("line" in taken) {
      write(taken.line);
      return;
    }
    write("");
    runShortcut(taken.shortcut);
  };
  const sendNow = async (): Promise<void> => {
    const line = text.trim();
    if (line === "") return;
    writeHistory(remember(readHistory(), line));
    write("");
    // A line that was not sent is restored.
    if (!(await send(line))) setText((now) => now || line);
  };
  const recallLine = (direction: "older" | "newer"): boolean => {
    const history = readHistory();
    // An unsent line is not replaced.
    if (text !== "" && !history.includes(text)) return false;
    const line = recall(history, text, direction);
    if (line === undefined) return false;
    write(line, { hushed: true });
    return true;
  };
  const offerKey = (key: string): boolean => {
    const [first] = offers;
    const chosen = offers[highlighted];
    if (key === "ArrowDown") highlight((highlighted + 1) % offers.length);
    else if (key === "ArrowUp") highlight(highlighted <= 0 ? offers.length - 1 : highlighted - 1);
    else if (key === "Escape") hush(true);
    else if (key === "Enter" && chosen) take(chosen);
    else if (key === "Tab" && first) take(chosen ?? first);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey, currentTarget } = event;
    if (key === "Enter" && shiftKey) {
      event.preventDefault();
      write(inserted(currentTarget, "\n"));
    } else if (!shiftKey && isOpen && offerKey(key)) {
      event.preventDefault();
    } else if (key === "Enter") {
      event.preventDefault();
      void sendNow();
    } else if ((key === "ArrowUp" || key === "ArrowDown") && !shiftKey && !text.includes("\n")) {
      if (recallLine(key === "ArrowUp" ? "older" : "newer")) event.preventDefault();
    }
  };
  const onPaste = (event: ClipboardEvent<HTMLInputElement | HTMLTextAreaElement>): void => {
    const pasted = event.clipboardData.getData("text/plain").replaceAll("\r\n", "\n");
    if (!pasted.includes("\n")) return;
    event.preventDefault();
    write(inserted(event.currentTarget, pasted));
  };
  return (
    <div className="message-box">
      {isOpen && <OfferList id={id} offers={offers} highlighted={highlighted} take={take} />}
      <div className="message-box-field">
        <TextField
          label={`Message ${titleOf(place)}`}
          text={text}
          list={isOpen ? { id, active: highlighted >= 0 ? `${id}-${highlighted}` : undefined } : undefined}
          write={write}
          onFocus={setFocus}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <button
          type="button"
          className="send"
          aria-label="Send"
          disabled={text.trim() === ""}
          onClick={() => void sendNow()}
        >
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
            <path d="M2 3.2 18 10 2 16.8l1.6-5.3L11 10 3.6 8.5Z" fill="currentColor" />
          </svg>
        </button>
      </div>
      <p className="muted is-small box-hint" aria-hidden="true">
        <kbd>Enter</kbd> to send · <kbd>/</kbd> for commands · <kbd>↑</kbd> for earlier lines
      </p>
    </div>
  );
}

/** The text with the selection replaced. */
function inserted(
  { value, selectionStart, selectionEnd }: HTMLInputElement | HTMLTextAreaElement,
  put: string,
): string {
  const start = selectionStart ?? value.length;
  return `${value.slice(0, start)}${put}${value.slice(selectionEnd ?? start)}`;
}

interface TextFieldProps {
  readonly label: string;
  readonly text: string;
  /** The open list of completions, and its highlighted item. */
  readonly list: { readonly id: string; readonly active: string | undefined } | undefined;
  readonly write: (text: string) => void;
  readonly onFocus: (hasFocus: boolean) => void;
  readonly onKeyDown: KeyboardEventHandler<HTMLInputElement | HTMLTextAreaElement>;
  readonly onPaste: ClipboardEventHandler<HTMLInputElement | HTMLTextAreaElement>;
}

/** A single line with completions (a combobox), or several lines without. */
function TextField({ label, text, list, write, onFocus, ...handlers }: TextFieldProps): ReactNode {
  const line = useRef<HTMLInputElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const isArea = text.includes("\n");
  const wasArea = useRef(isArea);

  useLayoutEffect(() => {
    if (area.current) {
      area.current.style.height = "auto";
      area.current.style.height = `${area.current.scrollHeight}px`;
    }
    if (wasArea.current === isArea) return;
    wasArea.current = isArea;
    // The new field replaces the focused one.
    const field = isArea ? area.current : line.current;
    field?.focus();
    field?.setSelectionRange(text.length, text.length);
  }, [isArea, text]);

  const common = {
    "aria-label": label,
    placeholder: label,
    autoComplete: "off",
    spellCheck: false,
    value: text,
    onFocus: () => onFocus(true),
    onBlur: () => onFocus(false),
    ...handlers,
  };
  if (isArea) return <textarea ref={area} rows={2} {...common} onChange={({ target }) => write(target.value)} />;
  return (
    <input
      ref={line}
      type="text"
      role="combobox"
      aria-autocomplete="list"
      aria-expanded={list !== undefined}
      aria-controls={list?.id}
      aria-activedescendant={list?.active}
      {...common}
      onChange={({ target }) => write(target.value)}
    />
  );
}
