/** Each variable of the environment that is heard, with what it says; the help is made from it. */
export const variables = [
  ["MEDIA_PROFILE", "the profile to use, where --profile names none"],
  ["MEDIA_API_KEY", "the API key, where no profile is named; comes before the last login"],
  ["MEDIA_BASE_URL", "the service's address for that key; http://127.0.0.1:8080 by itself"],
  ["MEDIA_PROJECT_ID", "that key's project: a channel can then be named without @<project>"],
  ["NO_COLOR", "set to anything: no colours; FORCE_COLOR: colours also in a pipe"],
  ["COLUMNS", "how wide the output is to be"],
  ["XDG_CONFIG_HOME", "the folder for profiles; ~/.config by itself"],
  ["MEDIA_DEBUG", "set to anything: says where in media a mistake is"],
] as const;
