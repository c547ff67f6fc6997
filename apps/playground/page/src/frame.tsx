import { type KeyboardEvent, memo, type ReactNode, useId, useMemo, useState } from "react";
import type { LogLine, PlaceInfo, Scene } from "../../src/window/protocol.js";
import { Avatar, classes, IconButton } from "./parts.js";
import { dateWriter, formatSlackDate, useOfNow } from "./slack-date.js";
import { type Connection, DIRECT, HOME, type Place, placeOf, titleOf, useStage, type WindowProps } from "./stage.js";

interface MenuProps {
  readonly isMenuOpen: boolean;
  readonly toggleMenu: () => void;
}

/** The bar in which a person's window is selected. */
export function TopBar({ scene, place, chosen, go, isMenuOpen, toggleMenu }: WindowProps & MenuProps): ReactNode {
  const now = useOfNow((time) => time);
  return (
    <header className="top-bar">
      <IconButton
        className="menu-button"
        label="Conversations"
        aria-expanded={isMenuOpen}
        aria-controls="sidebar"
        onClick={toggleMenu}
      >
        ☰
      </IconButton>
      <Avatar name="app" size={22} />
      <h1>Media Ops playground</h1>
      <div className="whose" role="radiogroup" aria-label="Whose window">
        {scene.people.map(({ id, name, realName, isAdmin, timeZone }) => {
          const time = formatSlackDate(now / 1000, "{time}", { timeZone, now });
          const role = isAdmin ? "admin" : "member";
          return (
            <label key={id} className="who" title={`${realName} (@${name}), ${role}, ${timeZone}`}>
              <input
                type="radio"
                name="whose"
                aria-label={realName}
                aria-describedby={`about-${id}`}
                checked={id === chosen}
                onChange={() => go(id, place)}
              />
              <Avatar name={realName} size={22} />
              <span className="who-name">{realName}</span>
              <span className="who-about" id={`about-${id}`}>
                {role} · {timeZone} · {time}
              </span>
            </label>
          );
        })}
      </div>
    </header>
  );
}

/** Reports a lost connection. */
export function Banner({ connection }: { connection: Connection }): ReactNode {
  return (
    <div role="status" className="banner-place">
      {connection === "reconnecting" && <div className="banner">Reconnecting…</div>}
      {connection === "stopped" && (
        <div className="banner is-stopped">
          The playground has stopped. Start it again: <code>npx -y pnpm@12 start</code>
        </div>
      )}
    </div>
  );
}

/** Shows the last error message until it is dismissed. */
export function Toast({ text, close }: { text: string; close: () => void }): ReactNode {
  return (
    <div role="alert" className="toast">
      {text}
      <IconButton label="Dismiss" onClick={close}>
        ✕
      </IconButton>
    </div>
  );
}

/** The list of conversations, and what a person can do to the demo. */
export function Sidebar(props: WindowProps & { readonly closeMenu: () => void }): ReactNode {
  const { scene, place, chosen, unread, go, closeMenu } = props;
  const show = (next: Place): void => {
    closeMenu();
    go(chosen, next);
  };
  const unreadDirect = unread[placeOf(scene, DIRECT)?.id ?? ""] ?? 0;
  return (
    <nav id="sidebar" className="sidebar" aria-label="Conversations">
      <div className="team">{scene.team}</div>
      <h2>Channels</h2>
      <ul>
        {scene.places
          .filter(({ kind }) => kind === "channel")
          .map(({ id, name }) => (
            <PlaceButton key={id} isShown={place === id} unread={unread[id] ?? 0} show={() => show(id)}>
              <span aria-hidden="true" className="hash">
                #
              </span>
              <span className="place-name">{name}</span>
            </PlaceButton>
          ))}
      </ul>
      <h2>Apps</h2>
      <ul>
        <PlaceButton
          isShown={place === HOME || place === DIRECT}
          unread={unreadDirect}
          show={() => show(unreadDirect > 0 ? DIRECT : HOME)}
        >
          <Avatar name="app" size={20} />
          <span className="place-name">{scene.app.name}</span>
        </PlaceButton>
      </ul>
      <h2>Demo</h2>
      <IncidentButton until={scene.incident} />
    </nav>
  );
}

interface PlaceButtonProps {
  readonly isShown: boolean;
  readonly unread: number;
  readonly show: () => void;
  readonly children: ReactNode;
}

function PlaceButton({ isShown, unread, show, children }: PlaceButtonProps): ReactNode {
  return (
    <li>
      <button
        type="button"
        className={classes("place", unread > 0 && "is-unread")}
        aria-current={isShown ? "page" : undefined}
        onClick={show}
      >
        {children}
        {unread > 0 && (
          <span className="unread">
            {unread}
            <span className="hidden"> unread</span>
          </span>
        )}
      </button>
    </li>
  );
}

/** A button that lets the demo's webhooks fail for a while, so that a person sees what the bot does then. */
function IncidentButton({ until }: { until: Scene["incident"] }): ReactNode {
  const { perform, you } = useStage();
  const id = useId();
  const time = until !== null && dateWriter("en-GB", { timeZone: you.timeZone, timeStyle: "medium" }).format(until);
  return (
    <>
      <button
        type="button"
        className="place incident"
        aria-disabled={until !== null}
        aria-describedby={id}
        onClick={() => until === null && void perform({ do: "incident" })}
      >
        <span aria-hidden="true" className="hash">
          ⚡
        </span>
        <span className="place-name">Let webhooks fail</span>
      </button>
      <p id={id} className="incident-about is-small" role="status">
        {time ? `Webhooks fail until ${time}.` : "For a while. A watch notifies #incidents."}
      </p>
    </>
  );
}

const TABS = [
  [HOME, "Home"],
  [DIRECT, "Messages"],
] as const;

/** The title of the open conversation, with tabs for the app. Their element ids are `tab-` followed by the place. */
export function PlaceHead({ here, place, chosen, go }: WindowProps & { readonly here: PlaceInfo }): ReactNode {
  if (here.kind === "channel") {
    return (
      <div className="place-head">
        <h2>
          <span className="muted hash">#</span> {here.name}
        </h2>
      </div>
    );
  }
  const other = place === HOME ? DIRECT : HOME;
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    go(chosen, other);
    document.getElementById(`tab-${other}`)?.focus();
  };
  return (
    <div className="place-head">
      <h2>
        <Avatar name="app" size={24} />
        {titleOf(here)}
      </h2>
      <div role="tablist" aria-label={here.name} className="tabs">
        {TABS.map(([tab, name]) => (
          <button
            key={tab}
            id={`tab-${tab}`}
            type="button"
            role="tab"
            aria-selected={tab === place}
            aria-controls={tab === place ? "place" : undefined}
            tabIndex={tab === place ? 0 : -1}
            onKeyDown={onKeyDown}
            onClick={() => go(chosen, tab)}
          >
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}

interface PanelProps {
  readonly log: readonly LogLine[];
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}

/** The panel with the requests between Slack and the app, and the logs of the service and the bot, newest first. */
export function Panel({ log, isOpen, setOpen }: PanelProps): ReactNode {
  return (
    <aside className={classes("panel", !isOpen && "is-folded")} aria-label="Behind the scenes">
      <div className="panel-head">
        {isOpen && <h2>Behind the scenes</h2>}
        <button
          type="button"
          className="button is-quiet fold"
          aria-expanded={isOpen}
          aria-label={isOpen ? "Hide what is behind the scenes" : "Show what is behind the scenes"}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-hidden="true">{isOpen ? "⇥" : "⇤"}</span>
          {!isOpen && <span className="fold-text">Behind the scenes</span>}
        </button>
      </div>
      {isOpen && <Lines log={log} />}
    </aside>
  );
}

function Lines({ log }: Pick<PanelProps, "log">): ReactNode {
  const [text, setText] = useState("");
  const shown = useMemo(() => searchLog(log, text), [log, text]);
  return (
    <div className="panel-body">
      <input
        className="control log-search"
        type="search"
        aria-label="Search the log"
        placeholder="Search: slack, service, bot, warn …"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {shown.length === 0 && <p className="muted panel-empty">No such lines.</p>}
      <ol className="records">
        {shown.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </ol>
    </div>
  );
}

/** A line that unfolds to its details. */
const Line = memo(function Line({ line: { at, from, level, text, detail } }: { line: LogLine }): ReactNode {
  const { timeZone } = useStage().you;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="record">
          <span className={`level is-${level}`}>{level}</span>
          <time className="muted">{dateWriter("en-GB", { timeZone, timeStyle: "medium" }).format(at)}</time>
          <span className="record-text">
            <span className="muted">{from}</span> {text}
          </span>
        </summary>
        {isOpen && <pre className="json">{JSON.stringify(detail, undefined, 2)}</pre>}
      </details>
    </li>
  );
});

/** Returns the lines that contain all words of a text, newest first. */
export function searchLog(lines: readonly LogLine[], wanted: string): LogLine[] {
  const words = wanted.toLowerCase().split(/\s+/);
  return lines.toReversed().filter(({ from, level, text, detail }) => {
    const all = `${from} ${level} ${text} ${JSON.stringify(detail)}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
