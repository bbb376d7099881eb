/** What a reader sees of the lines of a log. Source: kubernetes v1.34 pkg/kubelet/kuberuntime/logs `logWriter`. */
import type { LogLine } from './cri-line.ts';
import type { LogOptions } from './log-options.ts';

export interface Shown {
  /** How much may still be shown (bytes). */
  readonly left: number;
  /** How many pieces of lines may still be shown: who asks for the last ones does not get what is written meanwhile. */
  readonly linesLeft: number;
  /** Whether the last piece had the end of its line, so that the next one gets a time. */
  readonly isAtLineStart: boolean;
}

/** A reader that follows is not cut. */
export const shownAtFirst = ({ limitBytes, tailLines, follow }: LogOptions): Shown => ({
  left: follow || limitBytes === undefined ? Number.POSITIVE_INFINITY : limitBytes,
  linesLeft: follow || tailLines === undefined ? Number.POSITIVE_INFINITY : tailLines,
  isAtLineStart: true,
});

/** Nothing more is shown. */
export const isFull = ({ left, linesLeft }: Shown): boolean => left === 0 || linesLeft === 0;

const NOTHING = new Uint8Array();

const NEW_LINE = 10;

/** The bytes that one piece adds, and what has been shown then. */
export const showLine = (
  before: Shown,
  { text, time, at }: LogLine,
  { since, timestamps }: LogOptions,
): { readonly bytes: Uint8Array; readonly shown: Shown } => {
  if (isFull(before)) return { bytes: NOTHING, shown: before };
  const after = {
    ...before,
    linesLeft: before.linesLeft - 1,
    isAtLineStart: text.at(-1) === NEW_LINE,
  };
  if (since !== undefined && at < since) return { bytes: NOTHING, shown: after };
  const dated = timestamps && before.isAtLineStart ? Buffer.concat([Buffer.from(`${time} `), text]) : text;
  const bytes = dated.length > before.left ? dated.subarray(0, before.left) : dated;
  return { bytes, shown: { ...after, left: before.left - bytes.length } };
};
