/** Connects a client with a container that runs: what it writes from now on, and its standard input if it has one. */

import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { openPlainLog } from '../../../logs/plain-log.ts';
import type { StreamedProcess, WantedStreams } from '../../../ports/machine/container-streams.ts';
import {
  type ContainerInput,
  INPUT_END_PIPE,
  INPUT_PIPE,
  TERMINAL_NAME,
} from '../../../rules/runtime/container-input.ts';
import { attached, FROM_NOW_ON, followed } from '../../containers/attachment.ts';
import type { Place } from '../../containers/places.ts';
import { createTerminalSizer } from '../../containers/terminal-size.ts';
import { textIn } from '../../linux/whole-files.ts';
import type { Parts } from '../lifecycle/parts.ts';
import { settle } from '../lifecycle/settle.ts';
import { readContainer } from '../processes/records.ts';
import { placeOf } from './exec-plan.ts';

export const isRunning = async (parts: Parts, id: string): Promise<boolean> => {
  const place = placeOf(parts, id);
  return place !== undefined && (await settle(parts.machine, place))?.state === 'running';
};

/** Both outputs of a container are one file. The place where it ends is known before the client sends anything. */
const outputOf = async (parts: Parts, { id, key }: Place, path: string, signal: AbortSignal) => {
  const source = await openPlainLog(path, FROM_NOW_ON, 'as written');
  const deps = {
    isRunning: () => isRunning(parts, id),
    onChange: (callback: () => void) =>
      parts.ends.onEnd((uid) => {
        if (uid === key.podUid) callback();
      }),
  };
  return followed(source, path, deps, signal);
};

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/** How often the name of a terminal is looked for, which a container writes when it begins, ms. */
const NAME_PERIOD_MS = 50;

const terminalOf = async ({ folder }: Place, signal: AbortSignal): Promise<string> => {
  for (;;) {
    const name = textIn(join(folder, TERMINAL_NAME))?.trim() ?? '';
    if (name !== '' || signal.aborted) return name;
    await wait(NAME_PERIOD_MS);
  }
};

const resizer = ({ tools }: Parts, place: Place, signal: AbortSignal): StreamedProcess['resize'] =>
  tools.terminal ? createTerminalSizer(tools.terminal.stty, () => terminalOf(place, signal)) : () => {};

/** Opens a pipe without waiting. `undefined`: it is not there, or nobody reads it. */
const openPipe = (folder: string, name: string): number | undefined => {
  try {
    return openSync(join(folder, name), constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
};

/** The program sees the end of its input when nobody has it open any more. It may have been ended before. */
const endInput = (folder: string): void => {
  const pipe = openPipe(folder, INPUT_END_PIPE);
  if (pipe !== undefined) closeSync(pipe);
};

/** `folder`: the container's. `undefined`: nobody reads its input. */
const openInput = (folder: string, { endsWithClient, isTerminal }: ContainerInput): Writable | undefined => {
  const fd = openPipe(folder, INPUT_PIPE);
  if (fd === undefined) return undefined;
  const input = new Socket({ fd, readable: false, writable: true });
  input.on('error', () => {});
  if (endsWithClient && !isTerminal) input.once('close', () => endInput(folder));
  return input;
};

/** Rejects if the container does not run. */
export const attach = async (
  parts: Parts,
  id: string,
  { stdin: wantsInput }: WantedStreams,
): Promise<StreamedProcess> => {
  const place = placeOf(parts, id);
  const record = place && readContainer(place);
  if (!record || !(await isRunning(parts, id))) throw new Error(`container ${id} is not running`);
  const gone = new AbortController();
  const stdout = await outputOf(parts, place, record.logFile, gone.signal);
  const { input: wanted } = record.spec;
  const input = wantsInput && wanted?.hasInput ? openInput(place.folder, wanted) : undefined;
  const stdin = wantsInput ? (input ?? nowhere()) : undefined;
  return attached({ stdout, stdin, input, gone, resize: resizer(parts, place, gone.signal) });
};
