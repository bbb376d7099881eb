/** The folder of a host: its disk, its files, its certificates and its port. */
import { quoted } from '../../shell/quoted.ts';
import type { CertificateFacts, Facts, FolderFacts } from '../facts/facts.ts';
import { type Verdict, verdictsOf } from '../facts/verdict.ts';

const FREE_FAIL = 50e6;
const FREE_WARN = 1e9;
const INODES_FAIL = 100;
const DAY_MS = 24 * 60 * 60_000;
/** A host renews its certificate this long before it expires, when it starts. */
const EXPIRY_WARN_MS = 14 * DAY_MS;

/** Quoted for a shell. */
const startText = (path: string): string => `start one: rollcall serve --folder ${quoted(path)}`;

const stateVerdict = ({ path, state }: FolderFacts): Verdict => {
  const check = verdictsOf('folder');
  const other = 'or choose another folder with --folder';
  switch (state) {
    case 'writable':
      return check.ok(path);
    case 'missing':
      return check.warn(`${path} is not there: no host has run in it`, startText(path));
    case 'read-only':
      return check.fail(`${path} is on a read-only file system`, `mount it for writing, ${other}`);
    case 'no folder':
      return check.fail(`${path} is no folder`, `remove it, ${other}`);
    case 'unwritable':
      return check.fail(
        `${path} is not writable for this user`,
        `be its owner (ls -ld '${path}'), change its owner, ${other}`,
      );
  }
};

/** Room for state. */
export const diskSpace = (freeBytes: number, freeInodes: number): Verdict => {
  const check = verdictsOf('disk');
  const free = `${(freeBytes / 1e9).toFixed(1)} GB free`;
  if (freeBytes < FREE_FAIL)
    return check.fail(`is full: ${free}`, 'free some space: state cannot be written');
  if (freeInodes < INODES_FAIL)
    return check.fail(`has ${freeInodes} free inodes`, 'remove small files: no more can be made');
  return freeBytes < FREE_WARN ? check.warn(free, 'free some space') : check.ok(free);
};

/** The folder itself and its disk. */
export const folder = ({ folder: found }: Facts): readonly Verdict[] => {
  if (found === undefined) return [];
  return [stateVerdict(found), diskSpace(found.freeBytes, found.freeInodes)];
};

const OTHERS = 0o077;

/** Keys, tokens and kubeconfigs that others than their owner may read. */
export const secretFiles = ({ folder: found, kubeconfig }: Facts): readonly Verdict[] => {
  const files = [...(found?.secrets ?? []), ...(kubeconfig === undefined ? [] : [kubeconfig])];
  if (files.length === 0) return [];
  const check = verdictsOf('secrets');
  const open = files.filter(({ mode }) => (mode & OTHERS) !== 0);
  if (open.length === 0) return [check.ok('only their owner may read the keys and tokens')];
  return open.map(({ path, mode }) =>
    check.fail(
      `${path} has mode ${mode.toString(8).padStart(4, '0')}: others may use it`,
      `chmod 600 '${path}', and if others have used this machine: rollcall rotate-key`,
    ),
  );
};

const SERVER_ANEW = 'stop the host, delete server.crt and server.key, and start it';
const AUTHORITY_ANEW =
  'stop the host, delete ca.crt and ca.key, start it, and give machines and users the new ca.crt';

const days = (ms: number): string => `${Math.ceil(ms / DAY_MS)} days`;

const certificateVerdict = ({ name, notBefore, notAfter, host }: CertificateFacts, now: number): Verdict => {
  const check = verdictsOf('certificate');
  const isAuthority = name === 'ca.crt';
  const anew = isAuthority ? AUTHORITY_ANEW : SERVER_ANEW;
  if (now < notBefore)
    return check.fail(
      `${name} counts from ${new Date(notBefore).toISOString()} on`,
      'set the clock of this machine: it is behind the one that made it',
    );
  if (now > notAfter) return check.fail(`${name} has expired on ${new Date(notAfter).toISOString()}`, anew);
  if (host && !host.isSigned) return check.fail(`${name} was not signed by ca.crt`, anew);
  if (host && !host.isNamed)
    return check.fail(`${name} is not for ${host.name}`, `start the host with --host-names ${host.name}`);
  if (notAfter - now < EXPIRY_WARN_MS)
    return check.warn(
      `${name} expires in ${days(notAfter - now)}`,
      isAuthority ? AUTHORITY_ANEW : 'restart the host, which renews it',
    );
  return check.ok(`${name}, for ${days(notAfter - now)}`);
};

/** Expiry, names and signatures. */
export const certificates = ({ folder: found, program }: Facts): readonly Verdict[] => [
  ...(found?.damaged ?? []).flatMap((name) =>
    name.endsWith('.crt')
      ? [verdictsOf('certificate').fail(`${name} is damaged`, 'restore it from a copy, or delete it')]
      : [],
  ),
  ...(found?.certificates ?? []).map((one) => certificateVerdict(one, program.now)),
];

const MENDED: Readonly<Record<string, string>> = {
  'host.json': 'delete it, and start the host again, which writes it',
  'signing-key.json':
    'restore it from a copy; without one, delete it and start the host: it makes another key, and all tokens are void',
};

/** Other files that a host cannot do without. */
export const files = ({ folder: found }: Facts): readonly Verdict[] =>
  (found?.damaged ?? []).flatMap((name) => {
    const remedy = MENDED[name];
    return remedy === undefined ? [] : [verdictsOf('files').fail(`${name} is damaged`, remedy)];
  });

/** The port that the host has, or will want again. */
export const port = ({ folder: found }: Facts): readonly Verdict[] => {
  if (found?.host === undefined) return [];
  const start = startText(found.path);
  const { isRunning, port: number, listener } = found.host;
  const check = verdictsOf('port');
  if (isRunning && listener !== undefined) return [check.ok(`the host listens on ${number}`)];
  if (isRunning)
    return [
      check.fail(
        `the host runs, and nobody listens on ${number}`,
        'it starts, or hangs: look at its log, or end it and start it again',
      ),
    ];
  if (listener === undefined) return [check.warn(`no host runs; port ${number} is free`, start)];
  const who = listener === '' ? 'another program' : listener;
  return [
    check.fail(
      `no host runs, and ${who} has port ${number}`,
      'end that program, or start the host with another port: --listen 127.0.0.1:0',
    ),
  ];
};
