/** The host's log: one line per message, as text or JSON. Non-printable characters are escaped in both. */
import { printable } from '../../kube/text/printable.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { timeOfDay } from '../../rules/roll-call/units.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Writes log lines. `fields` are appended by name. */
export interface HostLog {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

export interface HostLogOptions {
  readonly format: 'text' | 'json';
  readonly clock: Pick<Clock, 'now'>;
  readonly write: (line: string) => void;
}

const plain = (value: unknown): unknown =>
  value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;

const shortly = (value: unknown): string => {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const textLine = (at: number, level: string, message: string, fields: Fields): string => {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${shortly(value)}`);
  const mark = level === 'info' ? [] : [level.toUpperCase()];
  return printable([timeOfDay(at), ...mark, message, ...rest].join(' '));
};

const jsonLine = (at: number, level: string, message: string, fields: Fields): string => {
  const values = Object.entries(fields).map(([name, value]) => [name, plain(value)]);
  const line = { time: new Date(at).toISOString(), level, message, ...Object.fromEntries(values) };
  return printable(JSON.stringify(line));
};

export const createHostLog = ({ format, clock, write }: HostLogOptions): HostLog => {
  const lineOf = format === 'json' ? jsonLine : textLine;
  const at =
    (level: string) =>
    (message: string, fields: Fields = {}): void =>
      write(lineOf(clock.now(), level, message, fields));
  return { info: at('info'), warn: at('warn'), error: at('error') };
};
