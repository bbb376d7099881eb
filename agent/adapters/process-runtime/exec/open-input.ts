/** Sends to the standard input of a container that has one. */
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { type ContainerInput, INPUT_END_PIPE, INPUT_PIPE } from '../../../rules/runtime/container-input.ts';

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
export const openInput = (
  folder: string,
  { endsWithClient, isTerminal }: ContainerInput,
): Writable | undefined => {
  const fd = openPipe(folder, INPUT_PIPE);
  if (fd === undefined) return undefined;
  const input = new Socket({ fd, readable: false, writable: true });
  input.on('error', () => {});
  if (endsWithClient && !isTerminal) input.once('close', () => endInput(folder));
  return input;
};
