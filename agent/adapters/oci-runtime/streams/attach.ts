/** Connects a client with a container that runs: what it writes from now on, and its standard input if it has one. */
import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { openCriLog } from '../../../logs/cri-log.ts';
import type { StreamedProcess, WantedStreams } from '../../../ports/machine/container-streams.ts';
import { attached, FROM_NOW_ON, followed } from '../../containers/attachment.ts';
import type { Place } from '../../containers/places.ts';
import { ignoreErrors } from '../../linux/child-output.ts';
import { ENVIRONMENT } from '../bundles/runtime-calls.ts';
import type { OciParts } from '../containers/parts.ts';
import { attemptFolder, type OciRecord, readRecord } from '../containers/records.ts';
import { settle } from '../containers/settle.ts';
import { resizeTerminal } from './keeper-control.ts';

/** The socket of conmon is one of packets, which Node cannot open. It is named from its folder: the path of a socket is short. */
const CARRY = `use Socket;
socket(my $s, PF_UNIX, SOCK_SEQPACKET, 0) or die "socket: $!\\n";
connect($s, sockaddr_un("attach")) or die "connect: $!\\n";
while (my $n = sysread(STDIN, my $bytes, 8192)) { defined send($s, $bytes, 0) or last }
shutdown($s, 1);`;

export const isRunning = async (parts: OciParts, place: Place): Promise<boolean> =>
  (await settle(parts, place))?.is === 'running';

/** Both outputs. The place where they end is known before the client sends anything. */
const outputOf = async (parts: OciParts, place: Place, { logFile }: OciRecord, signal: AbortSignal) => {
  const source = await openCriLog(logFile, FROM_NOW_ON, signal);
  const deps = {
    isRunning: () => isRunning(parts, place),
    onChange: (callback: () => void) =>
      parts.ends.onEnd((uid) => {
        if (uid === place.key.podUid) callback();
      }),
  };
  return followed(source, logFile, deps, signal);
};

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Carries bytes to the program. It ends with the client: then the input does, if it ends with its first client. */
const carrier = ({ programs: { perl } }: OciParts, attempt: string) => {
  if (perl === undefined)
    throw new Error('the program perl is not there, which carries the input to a container');
  const child = spawn(perl, ['-e', CARRY], {
    cwd: attempt,
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  ignoreErrors(child.stdin);
  child.once('error', () => child.stdin.destroy());
  return child.stdin;
};

/** Rejects if the container does not run. */
export const attach = async (
  parts: OciParts,
  place: Place,
  { stdin: wantsInput }: WantedStreams,
): Promise<StreamedProcess> => {
  const record = readRecord(place);
  if (!record || !(await isRunning(parts, place))) throw new Error(`container ${place.id} is not running`);
  const attempt = attemptFolder(place, record);
  const gone = new AbortController();
  const input = wantsInput && record.spec.input?.hasInput ? carrier(parts, attempt) : undefined;
  const stdout = await outputOf(parts, place, record, gone.signal);
  const stdin = wantsInput ? (input ?? nowhere()) : undefined;
  return attached({ stdout, stdin, input, gone, resize: (size) => resizeTerminal(attempt, size) });
};
