import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { sinkNameOf } from '../../shared/adapters/webhook/sink-name.ts';
import type { CloudEvent } from '../../shared/rules/notifications/cloud-event.ts';
import type { Delivery } from '../../shared/rules/notifications/delivery.ts';
import type { EventFilter } from '../../shared/settings/events/event-filter.ts';
import type { Sink } from './sink.ts';

/** A command that is run for each event. */
export interface CommandSinkSettings {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly [string, ...string[]];
  readonly filter: EventFilter;
  readonly isGrouped: boolean;
}

const AT_ONCE = 4;
const MOST_TRIES = 5;
/** Milliseconds after which the command and all its processes are killed. */
const TIMEOUT_MS = 30_000;
/** Characters of what the command says on stderr that the log shows. */
const MOST_SAID = 500;

const environmentOf = ({ id, subject = '', type, data }: CloudEvent): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  LANG: process.env['LANG'],
  ROLLCALL_EVENT_ID: id,
  ROLLCALL_EVENT_TYPE: type.replace('dev.rollcall.', ''),
  ROLLCALL_EVENT_SUBJECT: subject,
  ROLLCALL_EVENT_SEVERITY: String(data['severity']),
});

/** The command is the leader of its group, so that what it has started ends with it. */
const killGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
};

const lastWords = (child: ChildProcess): (() => string) => {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-MOST_SAID);
  });
  return () => said.trim();
};

const run = (
  [program, ...args]: CommandSinkSettings['command'],
  event: CloudEvent,
  stop: AbortSignal,
): Promise<Delivery> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      detached: true,
      env: environmentOf(event),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const said = lastWords(child);
    const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
    const onAbort = (): void => killGroup(child);
    signal.addEventListener('abort', onAbort);
    child.on('error', reject);
    child.on('exit', (code, killedBy) => {
      signal.removeEventListener('abort', onAbort);
      // What the command has left behind would hold its place for ever.
      killGroup(child);
      const how = killedBy === null ? `exit code ${code}` : `killed by ${killedBy}`;
      const words = said();
      resolve({
        verdict: code === 0 ? 'delivered' : 'retry',
        said: words === '' ? how : `${how}: ${words}`,
      });
    });
    // A command need not read what it gets.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(`${JSON.stringify(event)}\n`);
  });

/** The sink of a command: it gets the CloudEvent on stdin, and has succeeded if it exits with 0. */
export const createCommandSink = ({ command, filter, isGrouped }: CommandSinkSettings): Sink => ({
  name: sinkNameOf(basename(command[0]), JSON.stringify([command, filter.types ?? []])),
  filter,
  isGrouped,
  atOnce: AT_ONCE,
  mostTries: MOST_TRIES,
  deliver: (event, signal) => run(command, event, signal),
  close: () => undefined,
});
