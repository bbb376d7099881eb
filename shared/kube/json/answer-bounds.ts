/** How much of an answer is read, by who answers. The only place for these limits: whoever reads foreign bytes names one of them. */

/** The most that is read of one answer, after decompression. */
export interface AnswerBounds {
  readonly bytes: number;
  /** JSON values at any depth, as `JsonSurvey.values` counts them; absent: the answer is not parsed as a whole. */
  readonly values?: number;
}

const KIBIBYTE = 2 ** 10;
const MEBIBYTE = 2 ** 20;

/**
 * What a node says of its usage. A kubelet's Summary of 250 pods with four containers each, with pressure figures and indented, has 2.5 MiB and
 * 45,000 values.
 */
export const NODE_USAGE: AnswerBounds = { bytes: 4 * MEBIBYTE, values: 60_000 };

/** What a service of the operator says of machines: it may list those of a whole fleet of 20,000. */
export const SERVICE: AnswerBounds = { bytes: 16 * MEBIBYTE, values: 250_000 };

/** What the API answers to a gateway or a relay that passes it on: a list of the largest fleet has no pages if its client wants none. */
export const PASSED_ON: AnswerBounds = { bytes: 256 * MEBIBYTE };

/** What the API answers to an agent: far more than the largest page of work. */
export const WORK: AnswerBounds = { bytes: 32 * MEBIBYTE };

/** What the API answers to a command or to the machines of a demonstration. */
export const COMMAND: AnswerBounds = { bytes: 64 * MEBIBYTE };

/** One event of a watch: an object of the largest size, twice. */
export const WATCH_LINE: AnswerBounds = { bytes: 8 * MEBIBYTE };

/** A refusal: a Status, or the page of a proxy. */
export const REFUSAL: AnswerBounds = { bytes: 64 * KIBIBYTE };

/** What another process of this machine says of itself, and what a container says of its health. */
export const NEIGHBOUR: AnswerBounds = { bytes: 64 * KIBIBYTE, values: 4_000 };
