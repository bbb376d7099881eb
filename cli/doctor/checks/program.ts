/** Versions, clocks and proxies. */
import type { Facts, ProgramFacts } from '../facts/facts.ts';
import { type Verdict, verdictsOf } from '../facts/verdict.ts';

const numbersOf = (version: string): readonly number[] =>
  (/\d+(\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);

/** Node.js 22.16 and later 22, or 24 and later. */
export const nodeVersion = ({ program: { node } }: Facts): readonly Verdict[] => {
  const check = verdictsOf('Node.js');
  const [major = 0, minor = 0] = numbersOf(node);
  if (major >= 24 || (major === 22 && minor >= 16)) return [check.ok(node)];
  return [check.fail(`${node} is too old`, 'install Node.js 24, or run: npm install node@24')];
};

/** Releases by which kubectl may differ from the API. Source: Kubernetes, version skew policy. */
const MOST_SKEW = 1;

/** kubectl may be one release older or newer than the API. */
export const kubectlVersion = ({ program: { kubectl }, server }: Facts): readonly Verdict[] => {
  if (kubectl === undefined || server?.version === undefined) return [];
  const check = verdictsOf('kubectl');
  const [, ours = 0] = numbersOf(kubectl);
  const [, theirs = 0] = numbersOf(server.version);
  if (Math.abs(ours - theirs) <= MOST_SKEW) return [check.ok(`${kubectl}, the API ${server.version}`)];
  return [
    check.warn(
      `${kubectl} is ${Math.abs(ours - theirs)} releases away from the API, ${server.version}`,
      `install kubectl 1.${theirs}`,
    ),
  ];
};

const ownPart = (version: string): string | undefined => /\+rollcall\.(.+)$/.exec(version)?.[1];

/** Agents of another version than this program. */
export const agentVersions = ({ program: { version }, server }: Facts): readonly Verdict[] => {
  const agents = Object.entries(server?.agents ?? {}).filter(([name]) => ownPart(name) !== undefined);
  if (agents.length === 0) return [];
  const check = verdictsOf('agents');
  const others = agents.filter(([name]) => ownPart(name) !== version);
  if (others.length === 0) return [check.ok(`all of version ${version}`)];
  const words = others.map(([name, count]) => `${count} of version ${ownPart(name)}`).join(', ');
  return [check.warn(`${words}; this is ${version}`, 'install this version on those machines, too')];
};

const STEP_MS = 500;
const OFFSET_WARN_MS = 5_000;
const OFFSET_FAIL_MS = 60_000;

const seconds = (ms: number): string => `${Math.round(Math.abs(ms) / 1000)} s`;

/** The clock against that of the server, and against itself. */
export const clocks = ({ program: { clockStepMs }, server }: Facts): readonly Verdict[] => {
  const check = verdictsOf('clock');
  const remedy = 'set it, for example with: timedatectl set-ntp true';
  if (Math.abs(clockStepMs) > STEP_MS)
    return [check.warn(`was set by ${seconds(clockStepMs)} while this ran`, remedy)];
  const offset = server?.offsetMs;
  if (offset === undefined) return [];
  if (Math.abs(offset) <= OFFSET_WARN_MS) return [check.ok('agrees with that of the server')];
  const words = `is ${seconds(offset)} ${offset > 0 ? 'behind' : 'ahead of'} that of the server`;
  return [Math.abs(offset) > OFFSET_FAIL_MS ? check.fail(words, remedy) : check.warn(words, remedy)];
};

const isExcepted = (host: string, { noProxy }: ProgramFacts): boolean =>
  noProxy.split(/[\s,]+/).some((entry) => {
    const name = entry.replace(/^\*?\./, '').replace(/:\d+$/, '');
    return entry === '*' || (name !== '' && (host === name || host.endsWith(`.${name}`)));
  });

const isOwn = (host: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$|\.localhost$/.test(host);

/** A proxy that stands between this machine and the server. */
export const proxies = ({ program, server }: Facts): readonly Verdict[] => {
  if (program.proxies.length === 0 || server === undefined) return [];
  const check = verdictsOf('proxy');
  const host = URL.parse(server.url)?.hostname ?? '';
  const names = program.proxies.join(', ');
  if (isOwn(host) || isExcepted(host, program)) return [check.ok(`${names} does not count for ${host}`)];
  return [
    check.warn(
      `${names} is set: agents and kubectl ask the proxy for ${host}, the other commands do not`,
      `if the proxy cannot reach it: export NO_PROXY=${host}`,
    ),
  ];
};
