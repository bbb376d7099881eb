/** Writes what a program says in the format of the CRI: `TIME STREAM TAG TEXT`. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';

/** The longest text of a line of the log (bytes): a longer one comes in parts. Source: containerd `max_container_log_line_size`. */
const MOST_TEXT = 16 * 1024;

const timeText = (at: EpochMs): string => new Date(at).toISOString().replace('Z', '000000Z');

/** Parts of at most so many characters, at least one. */
const partsOfLine = (line: string): readonly string[] => {
  const parts: string[] = [];
  for (let from = 0; from === 0 || from < line.length; from += MOST_TEXT)
    parts.push(line.slice(from, from + MOST_TEXT));
  return parts;
};

/**
 * The lines of the log for a piece of output. What has no end yet is written as a part at once, and the next piece goes on with it: so
 * nothing is kept back, and prompts are seen. Bytes that are no text stay as they are.
 */
export const logText = (stream: 'stdout' | 'stderr', piece: Buffer, at: EpochMs): Buffer => {
  const lines = piece.toString('latin1').split('\n');
  const rest = lines.pop() ?? '';
  const [whole, part] = ['F', 'P'].map((tag) => `${timeText(at)} ${stream} ${tag} `);
  const written = lines.map((line) => {
    if (line.length <= MOST_TEXT) return `${whole}${line}\n`;
    const parts = partsOfLine(line);
    return parts.map((one, index) => `${index < parts.length - 1 ? part : whole}${one}\n`).join('');
  });
  const open = rest === '' ? [] : partsOfLine(rest).map((one) => `${part}${one}\n`);
  return Buffer.from([...written, ...open].join(''), 'latin1');
};
