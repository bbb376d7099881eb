const DAY_SECONDS = 86_400;

/** For how long the token of a relay may be asked for, and what it lasts if nobody says it. */
export const RELAY_TOKEN_SECONDS = { least: 60, usual: 30 * DAY_SECONDS, most: 365 * DAY_SECONDS };
