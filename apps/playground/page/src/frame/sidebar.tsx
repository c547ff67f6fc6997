import type { KeyboardEvent, ReactNode } from "react";
import type { PlaceInfo, Scene } from "../../../src/window/protocol.js";
import { DIRECT, HOME, type Place, placeOf, titleOf } from "../state/place.js";
import { Avatar } from "./avatar.js";

interface SidebarProps {
  readonly scene: Scene;
  readonly place: Place;
  readonly unread: Readonly<Record<string, number>>;
  readonly show: (place: Place) => void;
}

/** The list of conversations. */
export function Sidebar({ scene, place, unread, show }: SidebarProps): ReactNode {
  const direct = placeOf(scene, DIRECT);
  return (
    <nav id="sidebar" className="sidebar" aria-label="Conversations">
      <div className="team">{scene.team}</div>
      <h2>Channels</h2>
      <ul>
        {scene.places
          .filter(({ kind }) => kind === "channel")
          .map(({ id, name }) => (
            <li key={id}>
              <PlaceButton isShown={place === id} unread={unread[id] ?? 0} show={() => show(id)}>
                <span aria-hidden="true" className="hash">
                  #
                </span>
                <span className="place-name">{name}</span>
              </PlaceButton>
            </li>
          ))}
      </ul>
      <h2>Apps</h2>
      <ul>
        <li>
          <PlaceButton
            isShown={place === HOME || place === DIRECT}
            unread={direct ? (unread[direct.id] ?? 0) : 0}
            show={() => show(direct && unread[direct.id] ? DIRECT : HOME)}
          >
            <Avatar who={{ kind: "app" }} size={20} />
            <span className="place-name">{scene.app.name}</span>
          </PlaceButton>
        </li>
      </ul>
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
    <button
      type="button"
      className={unread > 0 ? "place is-unread" : "place"}
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
  );
}

interface PlaceHeadProps {
  readonly place: Place;
  readonly here: PlaceInfo;
  readonly unread: number;
  readonly show: (place: Place) => void;
}

/** The title of the open place, with tabs for the app. */
export function PlaceHead({ place, here, unread, show }: PlaceHeadProps): ReactNode {
  const isApp = here.kind === "direct";
  const tabs = [
    [HOME, "Home"],
    [DIRECT, "Messages"],
  ] as const;
  const onKeyDown = ({ key }: KeyboardEvent, next: Place): void => {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    show(next);
    document.getElementById(`place-${next}`)?.focus();
  };
  return (
    <div className="place-head">
      <h2>
        {isApp && <Avatar who={{ kind: "app" }} size={24} />}
        {isApp ? (
          titleOf(here)
        ) : (
          <>
            <span className="muted hash">#</span> {here.name}
          </>
        )}
      </h2>
      {isApp && (
        <div className="tabs" role="tablist" aria-label={here.name}>
          {tabs.map(([tab, name]) => (
            <button
              key={tab}
              id={`place-${tab}`}
              type="button"
              role="tab"
              aria-selected={tab === place}
              aria-controls={tab === place ? "place" : undefined}
              tabIndex={tab === place ? 0 : -1}
              onKeyDown={(event) => onKeyDown(event, tab === HOME ? DIRECT : HOME)}
              onClick={() => show(tab)}
            >
              {name}
              {tab === DIRECT && unread > 0 && <span className="unread">{unread}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
