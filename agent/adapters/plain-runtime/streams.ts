/** Logs of containers, and clients that attach to them. */
import { type Readable, Writable } from 'node:stream';
import { openCriLog } from '../../logs/cri-log.ts';
import type {
  ContainerStreams,
  StreamedProcess,
  WantedStreams,
} from '../../ports/machine/container-streams.ts';
import { attached, FROM_NOW_ON, followed } from '../containers/attachment.ts';
import { dialMachine } from '../linux/dial-machine.ts';
import { execStream } from './exec.ts';
import type { Kept, Parts, Running } from './records.ts';

/** Finds a container by its id. */
export type Find = (id: string) => Kept | undefined;

/** Throws if the container does not run. */
export const runningOf = (kept: Kept | undefined, id: string): Running => {
  if (kept?.running) return kept.running;
  throw new Error(`container ${id} is not running`);
};

/** Both outputs, as the log has them: so a client that does not read keeps the program from nothing. */
const outputOf = async (parts: Parts, kept: Kept, signal: AbortSignal): Promise<Readable> => {
  const path = kept.record.logFile;
  const source = await openCriLog(path, FROM_NOW_ON, signal);
  const deps = {
    isRunning: async () => kept.running !== undefined,
    onChange: (callback: () => void) => {
      parts.callbacks.add(callback);
      return () => void parts.callbacks.delete(callback);
    },
  };
  return followed(source, path, deps, signal);
};

/** What one client sends. The input stays for the next one, unless it ends with the first. */
const inputOf = ({ spec, stdin }: Running): Writable => {
  const input = new Writable({
    write: (chunk, _encoding, done) => {
      if (!stdin?.writable) return done();
      stdin.write(chunk, () => done());
    },
  });
  if (spec.input?.endsWithClient) input.once('close', () => stdin?.destroy());
  return input;
};

const attach = async (
  parts: Parts,
  kept: Kept,
  running: Running,
  { stdin: wantsInput }: WantedStreams,
): Promise<StreamedProcess> => {
  const gone = new AbortController();
  const stdout = await outputOf(parts, kept, gone.signal);
  const input = wantsInput ? inputOf(running) : undefined;
  return attached({ stdout, stdin: input, input, gone, resize: () => undefined });
};

export const createPlainStreams = (parts: Parts, find: Find): ContainerStreams => ({
  log: async (id) => {
    const kept = find(id);
    return kept && { path: kept.record.logFile };
  },
  exec: async (id, command, wanted) => await execStream(runningOf(find(id), id), command, wanted),
  attach: async (id, wanted) => {
    const kept = find(id);
    const running = runningOf(kept, id);
    return await attach(parts, kept as Kept, running, wanted);
  },
  forward: async () => ({ dial: dialMachine }),
});
