import { Fragment, type ReactNode, useCallback, useEffect, useMemo, useState } from "react";
import type { ActionResult, PersonInfo, Scene } from "../../src/window/protocol.js";
import { MessageBox } from "./box/message-box.js";
import { Conversation, Home } from "./conversation/conversation.js";
import { Confirming } from "./elements/confirm.js";
import { Banner, Toast, TopBar } from "./frame/frame.js";
import { PlaceHead, Sidebar } from "./frame/sidebar.js";
import { Modal } from "./modal.js";
import { Panel } from "./panel/panel.js";
import type { Connection } from "./state/connection.js";
import { HOME, type Place, placeOf } from "./state/place.js";
import { act, type Stage, StageContext, type WindowAction } from "./state/stage.js";
import type { WindowChange, WindowState } from "./state/window-state.js";

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
  const { place, unread, notices } = state;
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
    ({ shownError, error }: ActionResult, channelId?: string): void => {
      if (error !== undefined) setToast(error);
      if (shownError === undefined) return;
      if (channelId === undefined) setToast(shownError);
      else change({ event: "notice", data: { channelId, at: Date.now(), text: shownError } });
    },
    [change],
  );
  const doIt = useCallback((doing: WindowAction) => act(you.id, doing), [you.id]);
  const stage = useMemo<Stage>(
    () => ({ you, people, places, app, act: doIt, report }),
    [you, people, places, app, doIt, report],
  );
  const show = (next: Place): void => {
    setMenuOpen(false);
    go(chosen, next);
  };
  const [sent, setSent] = useState(0);
  /** Resolves to false if the playground could not be reached. */
  const send = async (line: string): Promise<boolean> => {
    if (!here) return false;
    setSent((before) => before + 1);
    const doing: WindowAction = line.startsWith("/")
      ? { do: "command", place: here.id, line }
      : { do: "say", place: here.id, text: line };
    const answer = await doIt(doing);
    report(answer, here.id);
    return answer.error === undefined;
  };
  const isHome = place === HOME;
  useEffect(() => {
    if (isHome) void doIt({ do: "home" }).then((answer) => report(answer));
  }, [isHome, doIt, report]);

  const messages = useMemo(
    () => [...scene.messages, ...notices].filter(({ channelId }) => channelId === here?.id),
    [scene.messages, notices, here?.id],
  );
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
            <section className="main-section" aria-label="Conversation" id="conversation" tabIndex={-1}>
              {here && <PlaceHead place={place} here={here} show={show} unread={unread[here.id] ?? 0} />}
              <div className="place-body" id="place" {...(here?.kind === "direct" && asTab(place))}>
                {isHome && <Home view={scene.home} />}
                {!isHome && here && (
                  <Fragment key={`${you.id} ${here.id}`}>
                    <Conversation place={here} messages={messages} sent={sent} send={(line) => void send(line)} />
                    <MessageBox
                      place={here}
                      send={send}
                      runShortcut={(callbackId) =>
                        void doIt({ do: "shortcut", callbackId }).then((answer) => report(answer, here.id))
                      }
                    />
                  </Fragment>
                )}
              </div>
            </section>
          </main>
          <Panel scene={scene} />
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
