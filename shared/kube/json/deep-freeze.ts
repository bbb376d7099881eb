const freezeMembers = (value: object): void => {
  if (Array.isArray(value)) for (const member of value) deepFreeze(member);
  // A third of the time of `Object.values`, which makes a list for each object. JSON inherits nothing.
  else for (const name in value) deepFreeze((value as Record<string, unknown>)[name]);
};

/**
 * Freezes a JSON value with all that is in it, and returns it. What is frozen already is taken as frozen throughout. Give it only what many
 * readers share: a reader that tries to change it then gets a `TypeError`, and the others do not see half a change.
 */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  freezeMembers(value);
  return Object.freeze(value);
};
