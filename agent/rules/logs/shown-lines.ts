/** What a reader sees of the lines of a log. Source: kubernetes v1.34 pkg/kubelet/kuberuntime/logs `logWriter`. */
import type { LogLine } from './cri-line.ts';
import type { LogOptions } from './log-options.ts';

export interface Shown {
  /** How much may still be shown (bytes). */
  readonly left: number;
  /** Whether the last piece had the end of its line, so that the next one gets a time. */
  readonly isAtLineStart: boolean;
}

export const shownAtFirst = ({ limitBytes, follow }: LogOptions): Shown => ({
  // A reader that follows is not cut.
  left: follow || limitBytes === undefined ? Number.POSITIVE_INFINITY : limitBytes,
  isAtLineStart: true,
});

const NEW_LINE = 10;

/** The bytes that one piece adds, and what has been shown then. Nothing is left to show when `left` is 0. */
export const showLine = (
  before: Shown,
  { text, time, at }: LogLine,
  { since, timestamps }: LogOptions,
): { readonly bytes: Uint8Array; readonly shown: Shown } => {
  const isAtLineStart = text.at(-1) === NEW_LINE;
  if (since !== undefined && at < since)
    return { bytes: new Uint8Array(), shown: { ...before, isAtLineStart } };
  const dated = timestamps && before.isAtLineStart ? Buffer.concat([Buffer.from(`${time} `), text]) : text;
  const bytes = dated.length > before.left ? dated.subarray(0, before.left) : dated;
  return { bytes, shown: { left: before.left - bytes.length, isAtLineStart } };
};
