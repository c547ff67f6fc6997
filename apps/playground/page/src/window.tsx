import { Fragment, type ReactNode, useCallback, useEffect, useMemo, useReducer, useState } from "react";
import type { PersonInfo, Scene } from "../../src/window/protocol.js";
import { Conversation, Home, Thread, threadAt } from "./conversation.js";
import { Banner, Panel, PlaceHead, Sidebar, Toast, TopBar } from "./frame.js";
import type { Json } from "./json.js";
import { MessageBox } from "./message-box.js";
import { type Confirmation, ConfirmDialog, Modal } from "./modal.js";
import { classes } from "./parts.js";
import { withMentions } from "./slack-text.js";
import {
  act,
  type Connection,
  changeState,
  HOME,
  isValid,
  type Place,
  placeOf,
  readAddress,
  type Stage,
  StageContext,
  startState,
  titleOf,
  unreadIn,
  useConnection,
  type Where,
  type WindowAction,
  type WindowChange,
  type WindowProps,
  type WindowState,
  writeAddress,
} from "./stage.js";

/** The page, which shows one person's window at a time. */
export function App(): ReactNode {
  const [state, change] = useReducer(changeState, readAddress(location.hash), startState);
  const { person, place, scene } = state;
  const connection = useConnection(person, change);
  useEffect(() => {
    const onHashChange = (): void => change({ event: "shown", data: readAddress(location.hash) });
    addEventListener("hashchange", onHashChange);
    return () => removeEventListener("hashchange", onHashChange);
  }, []);
  useEffect(() => {
    if (scene && !isValid(readAddress(location.hash), scene)) {
      history.replaceState(null, "", writeAddress(scene.you, place));
    }
  }, [scene, place]);
  const title = scene && placeOf(scene, place)?.name;
  useEffect(() => {
    document.title = title ? `${title} · Media Ops playground` : "Media Ops playground";
  }, [title]);
  if (!scene) {
    return (
      <main className="waiting">
        <Banner connection={connection} />
        <p className="muted">Media Ops playground is starting …</p>
      </main>
    );
  }
  return <Window {...{ state, scene, change, connection }} />;
}

const NOBODY: PersonInfo = { id: "", name: "", realName: "", isAdmin: false, timeZone: "UTC" };

interface Shown {
  readonly state: WindowState;
  readonly scene: Scene;
  readonly change: (change: WindowChange) => void;
  readonly connection: Connection;
}

/** The Slack window of one person. */
function Window({ state, scene, change, connection }: Shown): ReactNode {
  const { person, place, thread, notices, seen } = state;
  const { people, places, app } = scene;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [toast, setToast] = useState<string>();
  const [question, setQuestion] = useState<Confirmation>();
  const [sent, setSent] = useState(0);
  const [isPanelOpen, setPanelOpen] = useState(() => !matchMedia("(max-width: 1100px)").matches);
  // Errors of a lost connection are outdated once it is restored.
  useEffect(() => {
    if (connection === "live") setToast(undefined);
  }, [connection]);
  const you = people.find(({ id }) => id === scene.you) ?? NOBODY;
  // Highlights a selection immediately, before the window has loaded.
  const chosen = people.find(({ id }) => id === person)?.id ?? scene.you;
  const here = placeOf(scene, place);

  const notify = useCallback(
    (text: string, where: Where) => change({ event: "notice", data: { ...where, at: Date.now(), text } }),
    [change],
  );
  const perform = useCallback(
    async (action: WindowAction, where?: Where) => {
      const { shownError, error } = await act(you.id, action);
      if (shownError !== undefined && where) notify(shownError, where);
      else setToast((before) => error ?? shownError ?? before);
      return error === undefined;
    },
    [you.id, notify],
  );
  const confirm = useCallback(async (confirmation: Json) => {
    const isSure = await new Promise<boolean>((answer) => setQuestion({ confirmation, answer }));
    setQuestion(undefined);
    return isSure;
  }, []);
  const stage = useMemo<Stage>(
    () => ({ you, people, places, app, here: here?.id, perform, confirm }),
    [you, people, places, app, here?.id, perform, confirm],
  );
  /** Shows a place. The browser's history is changed at once: by the next render, it may have navigated elsewhere. */
  const go = (next: string, to: Place): void => {
    const hash = writeAddress(next, to);
    if (hash !== location.hash) history.pushState(null, "", hash);
    change({ event: "shown", data: { person: next, place: to } });
  };
  const send = async (line: string, thread?: string): Promise<boolean> => {
    if (!here) return false;
    setSent((before) => before + 1);
    const where = { channelId: here.id, threadTs: thread };
    if (line.startsWith("/") && thread !== undefined) {
      notify(`${line.split(" ")[0]} is not supported in threads. Sorry!`, where);
      return true;
    }
    const action: WindowAction = line.startsWith("/")
      ? { do: "command", place: here.id, line }
      : { do: "say", place: here.id, text: withMentions(line, scene), ...(thread && { thread }) };
    return perform(action, where);
  };
  const isHome = place === HOME;
  useEffect(() => {
    if (isHome) void perform({ do: "home" });
  }, [isHome, perform]);

  const openThread = useCallback((ts: string | undefined) => change({ event: "thread", data: ts }), [change]);
  const messages = useMemo(
    () => [...scene.messages, ...notices].filter(({ channelId }) => channelId === here?.id),
    [scene.messages, notices, here?.id],
  );
  const unread = useMemo(() => unreadIn({ scene, seen }), [scene, seen]);
  const opened = isHome ? undefined : threadAt(messages, thread);
  const tab = here?.kind === "direct" ? ({ role: "tabpanel", "aria-labelledby": `tab-${place}` } as const) : {};
  const window: WindowProps = { scene, place, chosen, messages, unread, sent, send, openThread, go };
  return (
    <StageContext value={stage}>
      {/* biome-ignore lint/a11y/useValidAnchor: it links within the page, whose fragment has another use. */}
      <a className="skip" href="#conversation" onClick={focusConversation}>
        Skip to the conversation
      </a>
      <div className={classes("window", isMenuOpen && "is-menu-open")}>
        <TopBar {...window} isMenuOpen={isMenuOpen} toggleMenu={() => setMenuOpen(!isMenuOpen)} />
        <Banner connection={connection} />
        <Sidebar {...window} closeMenu={() => setMenuOpen(false)} />
        <main className="main">
          <section
            className="main-section"
            aria-label="Conversation"
            aria-busy={chosen !== scene.you}
            id="conversation"
            tabIndex={-1}
          >
            {here && <PlaceHead {...window} here={here} />}
            <div className="place-body" id="place" {...tab}>
              {isHome && <Home view={scene.home} />}
              {!isHome && here && (
                <Fragment key={`${you.id} ${here.id}`}>
                  <Conversation {...window} here={here} />
                  <MessageBox
                    label={`Message ${titleOf(here)}`}
                    draft={here.id}
                    send={send}
                    runShortcut={(callbackId) =>
                      void perform({ do: "shortcut", callbackId, place: here.id }, { channelId: here.id })
                    }
                  />
                </Fragment>
              )}
            </div>
          </section>
        </main>
        {here && opened ? (
          <Thread key={opened.root.ts} {...window} {...opened} here={here} />
        ) : (
          <Panel log={scene.log} isOpen={isPanelOpen} setOpen={setPanelOpen} />
        )}
      </div>
      {toast !== undefined && <Toast text={toast} close={() => setToast(undefined)} />}
      {scene.modal && <Modal key={scene.modal.id} view={scene.modal} />}
      {question && <ConfirmDialog {...question} />}
    </StageContext>
  );
}

function focusConversation(event: { preventDefault(): void }): void {
  // The URL fragment already holds the person and the place.
  event.preventDefault();
  document.getElementById("conversation")?.focus();
}
