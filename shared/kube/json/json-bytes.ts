/** Bytes of frozen values, by the value. It lets go of what no one else holds. */
const known = new WeakMap<object, number>();

/** Notes how many bytes the JSON of a value has that never changes again: one of `deepFreeze`. */
export const noteJsonBytes = (frozen: object, bytes: number): void => {
  known.set(frozen, bytes);
};

/** How many bytes the JSON of a value has. It is written to be counted unless that was noted. */
export const jsonBytes = (value: object): number =>
  known.get(value) ?? Buffer.byteLength(JSON.stringify(value));
