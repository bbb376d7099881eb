/** Milliseconds since the Unix epoch, by the control plane's own clock. */
export type EpochMs = number;

/** The first of those that are known; `undefined`: none is. */
export const earliest = (times: readonly (EpochMs | undefined)[]): EpochMs | undefined =>
  times.reduce<EpochMs | undefined>(
    (least, at) => (at === undefined || (least !== undefined && least < at) ? least : at),
    undefined,
  );

/** Formats RFC 3339 with whole seconds, as `metav1.Time` on the wire: `2026-01-02T03:04:05Z`. */
export const toTime = (at: EpochMs): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** Formats RFC 3339 with microseconds, as `metav1.MicroTime` on the wire: `2026-01-02T03:04:05.678000Z`. */
export const toMicroTime = (at: EpochMs): string => new Date(at).toISOString().replace('Z', '000Z');

/** Parses an RFC 3339 string; `undefined` if it is not one. */
export const parseTime = (text: string): EpochMs | undefined => {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
};
