import type { ReactNode } from "react";
import type { PlaceInfo, Scene } from "../../../src/window/protocol.js";
import { DIRECT, HOME, type Place, placeOf, titleOf } from "../state/place.js";
import { Avatar } from "./avatar.js";
import { IncidentButton } from "./incident-button.js";
import { Tabs } from "./tabs.js";

interface SidebarProps {
  readonly scene: Scene;
  readonly place: Place;
  readonly unread: Readonly<Record<string, number>>;
  readonly show: (place: Place) => void;
}

/** The list of conversations, and what a person can do to the demo. */
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
            <Avatar name="app" size={20} />
            <span className="place-name">{scene.app.name}</span>
          </PlaceButton>
        </li>
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

/** The title of the open conversation, with tabs for the app. */
export function PlaceHead({ place, here, unread, show }: PlaceHeadProps): ReactNode {
  const isApp = here.kind === "direct";
  const messages = <>Messages{unread > 0 && <span className="unread">{unread}</span>}</>;
  return (
    <div className="place-head">
      <h2>
        {isApp && <Avatar name="app" size={24} />}
        {isApp ? (
          titleOf(here)
        ) : (
          <>
            <span className="muted hash">#</span> {here.name}
          </>
        )}
      </h2>
      {isApp && (
        <Tabs
          label={here.name}
          tabs={[
            [HOME, "Home"],
            [DIRECT, messages],
          ]}
          chosen={place}
          choose={show}
          panel="place"
        />
      )}
    </div>
  );
}
