import type { ReactNode } from "react";
import type { PersonInfo } from "../../../src/window/protocol.js";
import { Avatar } from "../conversation/avatar.js";
import { useOfNow } from "../text/now.js";
import { formatSlackDate } from "../text/slack-date.js";

interface TopBarProps {
  readonly people: readonly PersonInfo[];
  readonly chosen: string;
  readonly become: (person: string) => void;
  readonly isMenuOpen: boolean;
  readonly toggleMenu: () => void;
}

/** Whose window it is, and a way into another's. */
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
      <Avatar who={{ kind: "app" }} size={22} />
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
              <Avatar who={{ kind: "person", name: realName }} size={22} />
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
