import type { ReactNode } from "react";

/** A decorative picture: the app's logo, or a person's initials. */
export function Avatar({ name, size = 36 }: { name: "app" | (string & {}); size?: number }): ReactNode {
  const isApp = name === "app";
  return (
    <svg className="avatar" viewBox="0 0 36 36" width={size} height={size} aria-hidden="true">
      <rect width="36" height="36" rx="8" fill={isApp ? "#1d3557" : colorOf(name)} />
      {isApp ? (
        <g stroke="#fff" strokeWidth="2.6" strokeLinecap="round">
          <path d="M9 15v6M14 11v14M19 7.5v21" />
          <path d="M24 12v12M28.5 15.5v5" stroke="#8ecae6" />
        </g>
      ) : (
        <text x="18" y="23.5" textAnchor="middle" fontSize="15" fontWeight="700" fill="#fff">
          {initials(name)}
        </text>
      )}
    </svg>
  );
}

// White letters have enough contrast on each color.
const PEOPLE = ["#7c3aed", "#b4236a", "#0f766e", "#b45309", "#1d4ed8", "#be123c"];

function colorOf(name: string): string {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return PEOPLE[sum % PEOPLE.length] ?? "#1d4ed8";
}

function initials(name: string): string {
  const letters = name.split(/\s+/).map((word) => word.charAt(0).toUpperCase());
  return letters.slice(0, 2).join("");
}
