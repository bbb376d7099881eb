/** What a client gets that attaches to a container. */
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { LogSource } from '../../logs/log-source.ts';
import { type FollowDeps, readSource } from '../../logs/read-log.ts';
import type { StreamedProcess } from '../../ports/machine/container-streams.ts';
import { createSystemClock } from '../system-clock.ts';

/** A log is read from its end on. */
export const FROM_NOW_ON = { follow: true, previous: false, timestamps: false, tailLines: 0 } as const;

/** What the log at `path` gets from now on, until the container ends or `signal` aborts. */
export const followed = (
  source: LogSource,
  path: string,
  deps: Omit<FollowDeps, 'clock'>,
  signal: AbortSignal,
): Readable => {
  const withClock = { ...deps, clock: createSystemClock(signal) };
  const pieces = readSource(source, dirname(path), FROM_NOW_ON, withClock, signal);
  return Readable.from(pieces, { objectMode: false }).once('close', () => void source.close());
};

/** The parts of an attachment. */
export interface Attachment {
  readonly stdout: Readable;
  /** What the client writes to; absent: it sends nothing. */
  readonly stdin?: Writable | undefined;
  /** The input of the container, which this client has open; absent: it has none. */
  readonly input?: Writable | undefined;
  /** Ends the reading of the log. */
  readonly gone: AbortController;
  readonly resize: StreamedProcess['resize'];
}

/** Ends with the output, or when the client goes. */
export const attached = ({ stdout, stdin, input, gone, resize }: Attachment): StreamedProcess => {
  const { promise: ended, resolve, reject } = Promise.withResolvers<number>();
  stdout.once('close', () => {
    gone.abort();
    input?.destroy();
    resolve(0);
  });
  stdout.once('error', reject);
  return {
    ...optional('stdin', stdin),
    stdout,
    ended,
    resize,
    end: () => {
      gone.abort();
      stdout.destroy();
    },
  };
};
