import { Fragment, type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import type { ActionResult, PersonInfo, Scene } from "../../src/window/protocol.js";
import { MessageBox } from "./box/message-box.js";
import { Conversation } from "./conversation/conversation.js";
import { Home } from "./conversation/home.js";
import { Thread } from "./conversation/thread.js";
import { threadAt } from "./conversation/threads.js";
import { Confirming } from "./elements/confirm.js";
import { Banner, Toast, TopBar } from "./frame/frame.js";
import { PlaceHead, Sidebar } from "./frame/sidebar.js";
import { Modal } from "./modal.js";
import { Panel } from "./panel/panel.js";
import type { Connection } from "./state/connection.js";
import { HOME, type Place, placeOf, titleOf } from "./state/place.js";
import { act, type Stage, StageContext, type Where, type WindowAction } from "./state/stage.js";
import type { WindowChange, WindowState } from "./state/window-state.js";
import { withMentions } from "./text/mentions.js";

interface WindowProps {
  readonly state: WindowState;
  readonly scene: Scene;
  readonly change: (change: WindowChange) => void;
  readonly connection: Connection;
  /** The person who was selected last. */
  readonly chosen: string;
  readonly go: (person: string, place: Place) => void;
}

const NOBODY: PersonInfo = { id: "", name: "", realName: "", isAdmin: false, timeZone: "UTC" };

/** The Slack window of one person. */
export function Window({ state, scene, change, connection, chosen, go }: WindowProps): ReactNode {
  const { place, thread, unread, notices } = state;
  const { people, places, app } = scene;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [toast, setToast] = useState<string>();
  // Errors of a lost connection are outdated once it is restored.
  useEffect(() => {
    if (connection === "live") setToast(undefined);
  }, [connection]);
  const you = people.find(({ id }) => id === scene.you) ?? NOBODY;
  const here = placeOf(scene, place);

  const report = useCallback(
    ({ shownError, error }: ActionResult, where?: Where): void => {
      if (error !== undefined) setToast(error);
      if (shownError === undefined) return;
      if (where === undefined) setToast(shownError);
      else change({ event: "notice", data: { ...where, at: Date.now(), text: shownError } });
    },
    [change],
  );
  const doIt = useCallback((doing: WindowAction) => act(you.id, doing), [you.id]);
  const stage = useMemo<Stage>(
    () => ({ you, people, places, app, here: here?.id, act: doIt, report }),
    [you, people, places, app, here?.id, doIt, report],
  );
  const show = (next: Place): void => {
    setMenuOpen(false);
    go(chosen, next);
  };
  const [sent, setSent] = useState(0);
  /** Resolves to false if the playground could not be reached. */
  const send = async (line: string, threadTs?: string): Promise<boolean> => {
    if (!here) return false;
    setSent((before) => before + 1);
    const answer = await sendTo(here.id, line, threadTs);
    report(answer, { channelId: here.id, threadTs });
    return answer.error === undefined;
  };
  const sendTo = async (place: string, line: string, threadTs: string | undefined): Promise<ActionResult> => {
    if (!line.startsWith("/")) {
      return doIt({ do: "say", place, text: withMentions(line, scene), ...(threadTs && { thread: threadTs }) });
    }
    if (threadTs !== undefined) return { shownError: `${line.split(" ")[0]} is not supported in threads. Sorry!` };
    return doIt({ do: "command", place, line });
  };
  const isHome = place === HOME;
  useEffect(() => {
    if (isHome) void doIt({ do: "home" }).then((answer) => report(answer));
  }, [isHome, doIt, report]);

  const openThread = useCallback((ts: string) => change({ event: "thread", data: ts }), [change]);
  const messages = useMemo(
    () => [...scene.messages, ...notices].filter(({ channelId }) => channelId === here?.id),
    [scene.messages, notices, here?.id],
  );
  const opened = isHome ? undefined : threadAt(messages, thread);
  return (
    <StageContext value={stage}>
      <Confirming>
        {/* biome-ignore lint/a11y/useValidAnchor: it links within the page, whose fragment has another use. */}
        <a className="skip" href="#conversation" onClick={focusConversation}>
          Skip to the conversation
        </a>
        <div className={isMenuOpen ? "window is-menu-open" : "window"}>
          <TopBar
            people={people}
            chosen={chosen}
            become={(person) => go(person, place)}
            isMenuOpen={isMenuOpen}
            toggleMenu={() => setMenuOpen(!isMenuOpen)}
          />
          <Banner connection={connection} />
          <Sidebar scene={scene} place={place} unread={unread} show={show} />
          <main className="main">
            <section
              className="main-section"
              aria-label="Conversation"
              aria-busy={chosen !== scene.you}
              id="conversation"
              tabIndex={-1}
            >
              {here && <PlaceHead place={place} here={here} show={show} unread={unread[here.id] ?? 0} />}
              <div className="place-body" id="place" {...(here?.kind === "direct" && asTab(place))}>
                {isHome && <Home view={scene.home} />}
                {!isHome && here && (
                  <Fragment key={`${you.id} ${here.id}`}>
                    <Conversation
                      place={here}
                      messages={messages}
                      sent={sent}
                      send={(line) => void send(line)}
                      openThread={openThread}
                    />
                    <MessageBox
                      label={`Message ${titleOf(here)}`}
                      draft={here.id}
                      send={(line) => send(line)}
                      runShortcut={(callbackId) =>
                        void doIt({ do: "shortcut", callbackId, place: here.id }).then((answer) =>
                          report(answer, { channelId: here.id }),
                        )
                      }
                    />
                  </Fragment>
                )}
              </div>
            </section>
          </main>
          {here && opened ? (
            <Thread
              key={opened.root.ts}
              place={here}
              {...opened}
              sent={sent}
              send={(line) => send(line, opened.root.ts)}
              close={() => change({ event: "thread", data: undefined })}
            />
          ) : (
            <Panel scene={scene} />
          )}
        </div>
        {toast !== undefined && <Toast text={toast} close={() => setToast(undefined)} />}
        {scene.modal && <Modal key={scene.modal.id} view={scene.modal} />}
      </Confirming>
    </StageContext>
  );
}

/** Returns tab panel attributes for the app's home and messages, which are tabs. */
function asTab(place: Place) {
  return { role: "tabpanel", "aria-labelledby": `tab-${place}` } as const;
}

function focusConversation(event: { preventDefault(): void }): void {
  // The URL fragment already holds the person and the place.
  event.preventDefault();
  document.getElementById("conversation")?.focus();
}
