/**
 * Freezes a JSON value with all that is in it, and returns it. What is frozen already is taken as frozen throughout. Give it only what many
 * readers share: a reader that tries to change it then gets a `TypeError`, and the others do not see half a change.
 */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
};
