import type { ReactNode } from "react";
import type { PersonInfo } from "../../../src/window/protocol.js";
import type { Connection } from "../state/connection.js";
import { formatSlackDate, useOfNow } from "../text/slack-date.js";
import { Avatar } from "./avatar.js";

interface TopBarProps {
  readonly people: readonly PersonInfo[];
  readonly chosen: string;
  readonly become: (person: string) => void;
  readonly isMenuOpen: boolean;
  readonly toggleMenu: () => void;
}

/** The bar in which a person's window is selected. */
export function TopBar({ people, chosen, become, isMenuOpen, toggleMenu }: TopBarProps): ReactNode {
  const now = useOfNow((time) => time);
  return (
    <header className="top-bar">
      <button
        type="button"
        className="menu-button"
        aria-label="Conversations"
        aria-expanded={isMenuOpen}
        aria-controls="sidebar"
        onClick={toggleMenu}
      >
        <span aria-hidden="true">☰</span>
      </button>
      <Avatar name="app" size={22} />
      <h1>Media Ops playground</h1>
      <div className="whose" role="radiogroup" aria-label="Whose window">
        {people.map(({ id, name, realName, isAdmin, timeZone }) => {
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
                onChange={() => become(id)}
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
      <button type="button" className="button is-icon" aria-label="Dismiss" onClick={close}>
        <span aria-hidden="true">✕</span>
      </button>
    </div>
  );
}
