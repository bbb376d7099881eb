const NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

/** What a name of a relay may be, for messages. */
export const RELAY_NAME_FORM =
  'up to 63 lower-case letters, digits, "-" and ".", the first and the last of them a letter or a digit';

/** Whether a relay may have this name. */
export const isRelayName = (name: string): boolean => NAME.test(name);
