/** The log of a program that runs containers: one line for each message, wherever its text comes from. */
import type { Log } from '../../agent/ports/machine/shutdown.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import { type LocalContext, reasonOf } from '../shell/command.ts';

/** Of a message, and of the reason behind it (bytes): programs of pods write what they like into both. */
const MOST_BYTES = 1024;

const cut = (text: string): string => {
  const bytes = Buffer.from(text.slice(0, MOST_BYTES));
  // A character that the cut goes through is left out.
  const kept = new TextDecoder().decode(bytes.subarray(0, MOST_BYTES), { stream: true });
  return kept.length < text.length ? `${kept}…` : kept;
};

const inOneLine = (text: string): string => printable(cut(text));

/** Writes where the command complains. No text makes a line of its own, or controls a terminal. */
export const lineLog =
  ({ complain }: Pick<LocalContext, 'complain'>): Log =>
  (message, error) => {
    const reason = error === undefined ? '' : `: ${inOneLine(reasonOf(error))}`;
    complain(`${inOneLine(message)}${reason}`);
  };
